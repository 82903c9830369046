#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "arrow/column_type.h"
#include "arrow/memory.h"
#include "base/little_endian.h"
#include "kitbag/arrow.h"

namespace kitbag::arrow {

/// A column while it is filled, with the columns that it consists of. Each value is added by one
/// call; those of a list, a structure or a fixed-size list are added to its children by the caller,
/// which keeps their lengths as they must be. One thread at a time.
class Column {
 public:
  /// `type` and `replaced_bytes` must outlive the column. Bytes of texts that are not UTF-8 are
  /// added to `replaced_bytes`.
  Column(const ColumnType& type, const std::shared_ptr<MemoryPool>& pool,
         std::uint64_t& replaced_bytes);

  const ColumnType& type() const { return type_; }
  Layout layout() const { return type_.layout; }
  std::size_t length() const { return length_; }
  /// Of a structure its fields, of a list its elements.
  std::vector<Column>& children() { return children_; }
  Column& element() { return children_.front(); }

  /// Of Layout::fixed: T has the width of the column.
  template <class T>
  void add(T value) {
    std::byte* at = values_.extend(sizeof value);
    std::memcpy(at, &value, sizeof value);
    ++length_;
  }
  /// Of Layout::fixed: converts the number to the column's. False: it does not fit.
  [[nodiscard]] bool add_integer(std::int64_t value);
  [[nodiscard]] bool add_unsigned(std::uint64_t value);
  [[nodiscard]] bool add_real(double value);
  /// Of Layout::bits.
  void add_bit(bool value);
  /// Of text and json. Bytes that are not UTF-8 become U+FFFD each. Throws Error (limit) if the
  /// texts of a batch take more than kMostOffset bytes.
  void add_text(std::string_view value);
  /// Of binary and fixed_binary. Throws likewise.
  void add_bytes(ByteView value);
  /// Of list: `count` elements follow. Throws likewise.
  void begin_list(std::size_t count);
  /// Of list: the last value has `count` more elements. Throws likewise.
  void extend_list(std::size_t count);
  /// Of structure and fixed_list, whose children get the rest.
  void add_parent() { ++length_; }
  void add_parents(std::size_t count) { length_ += count; }
  /// Of dictionary: the index of a text in `dictionary`.
  void add_index(std::int32_t index) { add(index); }
  /// Numbers of Layout::fixed that lie one after the other, or booleans, one byte each.
  void add_packed(ByteView values);

  /// A null, with what that takes in the children of structures and fixed-size lists.
  void add_null();

  /// Removes all values but the first `length`.
  void truncate(std::size_t length);
  /// The bytes of all values: numbers, texts, bits; those of a list are in its element. Valid until
  /// the column is changed.
  ByteView values() const { return {values_.data(), values_.size()}; }
  ByteView element_values() const { return children_.front().values(); }
  /// Returns whether a value is null, here or in the children.
  bool has_nulls() const;
  /// Returns the size of the buffers, those of the children included.
  std::size_t bytes() const;

  /// Moves the values to `out`, and leaves the column empty. `dictionary`: the texts of dictionary
  /// columns.
  void move_to(ArrowArray* out, std::span<const std::string> dictionary = {});

  /// The most bytes or elements that offsets of 32 bits can reach.
  static constexpr std::size_t kMostOffset = std::numeric_limits<std::int32_t>::max();

 private:
  void require_offset(std::size_t end) const;
  void add_offset(std::size_t end);
  std::size_t last_offset() const;
  /// `count` values that nobody sees, below a null.
  void fill(std::size_t count);
  void begin_offsets();
  /// Marks all values since the last null as valid.
  void pad_validity();

  const ColumnType& type_;
  std::shared_ptr<MemoryPool> pool_;
  std::uint64_t& replaced_bytes_;
  std::size_t length_ = 0;
  Memory values_;
  Memory offsets_;   ///< int32: 0, and where each value ends
  Memory validity_;  ///< a bit for each value up to the last null; the others are valid
  std::size_t validity_bits_ = 0;
  std::size_t null_count_ = 0;
  std::vector<Column> children_;
};

/// Describes the columns as the fields of a struct: what a table is for Arrow.
void export_schema(const ColumnType& type, ArrowSchema* out);

}  // namespace kitbag::arrow
