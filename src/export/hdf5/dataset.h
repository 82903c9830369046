#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "export/hdf5/h5.h"
#include "kitbag/bytes.h"

namespace kitbag::hdf5 {

/// The sizes of a dataset beside the number of its rows, which grows. None is zero.
using Dimensions = std::vector<hsize_t>;

/// A dataset that grows row by row, chunked and compressed. Rows wait until they fill a chunk.
/// Every call is made under a Lock.
class Dataset {
 public:
  /// `type` is that of a value in the file and in memory, which takes `value_bytes`. `fill` is a
  /// value that rows have which are skipped; null: zero.
  Dataset(hid_t group, const std::string& name, hid_t type, std::size_t value_bytes,
          const Dimensions& dimensions, const void* fill = nullptr);

  hid_t id() const { return id_.get(); }
  std::uint64_t values_of_a_row() const { return values_of_a_row_; }

  /// Adds values, of whole rows.
  void append(ByteView values);
  /// Adds rows that have the fill value. Only before any other.
  void skip(std::uint64_t rows);
  std::uint64_t held_bytes() const { return waiting_.size(); }
  /// Writes all rows.
  void flush() { write_waiting(true); }

 protected:
  /// Writes rows behind those that are written.
  void write(std::uint64_t rows, const void* values);
  std::uint64_t chunk_rows() const { return chunk_rows_; }

 private:
  void write_waiting(bool with_part_of_chunk);

  Id type_;
  Dimensions dimensions_;
  std::uint64_t values_of_a_row_ = 1;
  std::size_t row_bytes_;
  std::uint64_t chunk_rows_ = 1;
  Id id_;
  std::uint64_t written_ = 0;  ///< rows
  std::vector<std::byte> waiting_;
};

/// A dataset of texts of any length.
class TextDataset final : public Dataset {
 public:
  TextDataset(hid_t group, const std::string& name, const Dimensions& dimensions);

  /// Adds a value. NULs and bytes that are not UTF-8 become U+FFFD, and are counted in `replaced`.
  void add(std::string_view text, std::size_t& replaced);
  std::uint64_t held_text_bytes() const { return held_bytes_; }
  /// Writes all rows.
  void flush_texts();

 private:
  std::vector<std::string> texts_;
  std::uint64_t held_bytes_ = 0;
};

}  // namespace kitbag::hdf5
