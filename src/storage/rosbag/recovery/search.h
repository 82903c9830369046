#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/buffer.h"
#include "kitbag/file.h"
#include "storage/rosbag/record_file.h"
#include "storage/rosbag/records.h"

/// Finding records where the way to the next one is lost: behind damage a record is known by its
/// `op` field, which stands somewhere in its header as the same seven bytes in every record.
namespace kitbag::rosbag {

/// Whether a record may begin with this header: it has the fields of its kind, and as much data as
/// they say. Unknown kinds are not plausible.
bool is_plausible(const Fields& header, std::uint64_t data_size);

/// True for records that stand between chunks and not in them.
bool is_structural(Op op);

/// Searches forward through a file, in a window: time O(bytes searched), whatever they are.
class RecordSearch {
 public:
  static constexpr std::size_t kWindow = 256 << 10;

  /// Looks at nothing from `end` on.
  RecordSearch(const ReadFile& file, std::uint64_t end, std::size_t window_bytes = kWindow)
      : file_(file), end_(end), window_bytes_(window_bytes) {}

  /// The record whose header begins at `offset`, if it is plausible; its data may go beyond the
  /// end.
  std::optional<RecordHead> head_at(std::uint64_t offset);
  /// The first place from `from` on where a plausible header begins that is all there; `end` where
  /// there is none.
  std::uint64_t find_record(std::uint64_t from);
  /// As above, for structural records only.
  std::uint64_t find_structure(std::uint64_t from);
  /// The first place from `from` on where `bytes` stand; `end` where there is none.
  std::uint64_t find_bytes(std::uint64_t from, std::string_view bytes);
  /// `count` bytes at `offset`, fewer at the end; valid until the next call of any member.
  ByteView bytes(std::uint64_t offset, std::size_t count);
  /// They are in the window already.
  bool holds(std::uint64_t offset, std::size_t count) const {
    return offset >= start_ && offset + count <= start_ + window_.size();
  }

 private:
  struct Found {
    std::uint64_t offset;
    Op op;
  };

  ByteView window(std::uint64_t from, std::size_t at_least);
  Found find_header(std::uint64_t from);
  std::optional<Found> header_around(std::uint64_t op_field, std::uint64_t from);

  const ReadFile& file_;
  std::uint64_t end_;
  std::size_t window_bytes_;
  Buffer window_;
  std::uint64_t start_ = 0;  ///< of the window in the file
};

}  // namespace kitbag::rosbag
