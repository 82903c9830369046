#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "arrow/ipc_field.h"
#include "kitbag/bytes.h"

namespace kitbag::arrow {

/// The values of columns as the body of a message: the buffers of all columns, each followed by the
/// buffers of its children. Buffers are views of the arrays, but where the format wants other
/// bytes.
class IpcBody {
 public:
  /// Buffers begin at multiples of this, as Arrow recommends.
  static constexpr std::int64_t kAlignment = 64;

  /// A struct of format/Message.fbs, for each column.
  struct Node {
    std::int64_t length;
    std::int64_t null_count;
  };
  /// A struct of format/Schema.fbs. `length` is without what fills the buffer up.
  struct Buffer {
    std::int64_t offset;
    std::int64_t length;
  };

  /// Adds values of `array`, of which the body keeps views. Throws Error (invalid) if it is not as
  /// `field` says.
  void add(const IpcField& field, const ArrowArray& array, std::int64_t begin, std::int64_t length);
  /// Adds the columns of `batch`, a struct array without nulls. Throws likewise.
  void add_columns(const IpcField& root, const ArrowArray& batch);

  const std::vector<Node>& nodes() const { return nodes_; }
  const std::vector<Buffer>& buffers() const { return buffers_; }
  /// What the buffers hold.
  const std::vector<ByteView>& contents() const { return contents_; }
  /// The size of the body, all buffers filled up.
  std::int64_t bytes() const { return bytes_; }
  /// Returns a text that is equal for equal values in equal buffers.
  std::string fingerprint() const;

 private:
  void add_buffer(ByteView content);
  void add_validity(const ArrowArray& array, std::int64_t first, std::int64_t length);
  ByteView bits(const void* from, std::int64_t first, std::int64_t count);
  template <class Offset>
  void add_bytes(const IpcField& field, const ArrowArray& array, std::int64_t first,
                 std::int64_t length);
  template <class Offset>
  void add_list(const IpcField& field, const ArrowArray& array, std::int64_t first,
                std::int64_t length);
  template <class Offset>
  std::pair<Offset, Offset> add_offsets(const IpcField& field, const ArrowArray& array,
                                        std::int64_t first, std::int64_t length);

  std::vector<Node> nodes_;
  std::vector<Buffer> buffers_;
  std::vector<ByteView> contents_;
  std::int64_t bytes_ = 0;
  std::deque<std::vector<std::byte>> made_;  ///< buffers that no array has
};

}  // namespace kitbag::arrow
