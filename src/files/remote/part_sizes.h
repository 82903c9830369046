#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kitbag/bytes.h"
#include "kitbag/file.h"

namespace kitbag::remote {

/// An upload has no more parts than this.
inline constexpr std::size_t kMostParts = 10'000;
/// No part but the last one may be smaller.
inline constexpr std::uint64_t kLeastPartBytes = std::uint64_t{5} << 20;
/// No part may be larger.
inline constexpr std::uint64_t kMostPartBytes = std::uint64_t{5} << 30;

/// How an object is divided that is uploaded in parts.
struct PartSizes {
  std::uint64_t equal_bytes = 0;  ///< of each part; 0: they grow

  /// Returns the size of the part `number`, which begins at 1, unless it is the last one. The first
  /// part is small, since it is kept in memory to the end; the others have 8 MiB + 20 KiB * number,
  /// so that kMostParts reach 1 TiB.
  std::uint64_t of(std::size_t number) const;
};

/// Returns equal parts for an object of this size: of 8 MiB, as the tools of AWS make them, or of
/// twice that, and so on, until kMostParts are enough.
PartSizes equal_parts(std::uint64_t size_bytes);

/// A running MD5 sum. One thread.
class Md5 {
 public:
  /// Throws Error (unsupported) where OpenSSL is built without MD5.
  Md5();
  ~Md5();
  Md5(Md5&&) noexcept;
  Md5& operator=(Md5&&) noexcept;

  void add(ByteView bytes);
  /// Returns the 16 bytes of the sum, and starts a new one.
  std::string take();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Returns the 16 bytes of the MD5 of a file. Throws Error (io).
std::string md5_of(const ReadFile& file);

/// Returns bytes in hexadecimal.
std::string hexadecimal(std::string_view bytes);

/// Returns the ETag that stores give to an object of these parts: the MD5 of their MD5s, which are
/// 16 bytes long each, and their number.
std::string etag_of_parts(const std::vector<std::string>& md5s);

/// Returns an ETag without its quotation marks.
std::string_view bare_etag(std::string_view etag);

/// Computes the ETag that an object has which is uploaded in one piece, if it is not larger than
/// the first part, and else in parts.
class EtagSum {
 public:
  explicit EtagSum(const PartSizes& sizes) : sizes_(sizes) {}

  void add(ByteView bytes);
  /// Returns the ETag of what was added, without quotation marks. Nothing may be added after it.
  std::string etag();

 private:
  PartSizes sizes_;
  Md5 md5_;
  std::vector<std::string> md5s_;
  std::uint64_t part_bytes_ = 0;  ///< of the part that has begun
};

/// Returns whether `file` uploaded in parts of one of the usual sizes, or of `sizes`, has this
/// ETag. False also where the ETag is not made of MD5s, or the parts are unusual. Throws Error
/// (io).
bool has_etag(const ReadFile& file, std::string_view etag, const PartSizes& sizes);

}  // namespace kitbag::remote
