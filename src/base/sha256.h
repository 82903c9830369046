#pragma once

#include <memory>
#include <span>
#include <string>

#include "kitbag/bytes.h"

namespace kitbag {

/// The SHA-256 of bytes that come one after the other.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;

  void add(ByteView bytes);
  /// Returns the digest as 64 hexadecimal digits. No call may follow.
  std::string finish();

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

/// Returns the SHA-256 of the pieces, one after the other, as 64 hexadecimal digits.
std::string sha256(std::span<const ByteView> pieces);

}  // namespace kitbag
