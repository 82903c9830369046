#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>

#include "base/buffer.h"
#include "kitbag/error.h"
#include "kitbag/file.h"
#include "parquet/file_metadata.h"
#include "parquet/page_codec.h"
#include "parquet/run_decoder.h"
#include "parquet/value_decoder.h"

namespace kitbag::parquet {

/// A column of the file that has values.
struct StoredLeaf {
  Stored stored;
  std::uint8_t most_definition = 0;
  std::uint8_t most_repetition = 0;
};

/// The values of one column in one row group, in order: their levels, which can be seen before
/// anything is taken, and behind each level that says so a value. It holds a page and a dictionary.
/// Throws Error as make_decoder() does, and as the file does, with offsets in the file. One thread.
class LeafReader {
 public:
  /// Both must outlive this.
  LeafReader(const ReadFile& file, const StoredLeaf& leaf, const StoredChunk& chunk);

  const StoredLeaf& leaf() const { return leaf_; }
  /// Reads levels if none are at hand. False: all have been taken.
  bool has_more(const std::stop_token& stop);
  // What follows is for what has_more() has found. The levels at hand, the next one first:
  std::size_t at_hand() const { return level_count_ - level_; }
  std::uint8_t definition(std::size_t ahead = 0) const { return definitions_.at(level_ + ahead); }
  std::uint8_t repetition(std::size_t ahead = 0) const { return repetitions_.at(level_ + ahead); }
  /// Takes levels. The values that they stand for are taken beside.
  void take_levels(std::size_t count) { level_ += count; }
  void read_fixed(std::byte* out, std::size_t count);
  ByteView read_bytes();

 private:
  static constexpr std::size_t kLevels = 1024;

  bool next_page(const std::stop_token& stop);
  void begin_data(const PageHeader& header, ByteView page, const std::stop_token& stop);
  void begin_data_v2(const PageHeader& header, ByteView page, const std::stop_token& stop);
  void begin_values(const PageHeader& header, ByteView values);
  ValueDecoder& values();
  PageHeader read_header();
  ByteView unpacked(ByteView page, std::int32_t size, const std::stop_token& stop);
  [[noreturn]] void rethrow_at(const Error& error, std::uint64_t offset) const;

  const ReadFile& file_;
  const StoredLeaf& leaf_;
  std::uint64_t offset_;  ///< of the next page
  std::uint64_t end_;     ///< of the chunk
  std::uint64_t page_offset_ = 0;
  std::uint64_t values_left_;    ///< of the chunk, behind this page
  std::uint64_t page_left_ = 0;  ///< levels of the page that are not at hand
  PageCodec codec_;
  Buffer packed_;
  Buffer page_;
  std::optional<Dictionary> dictionary_;
  ByteView stored_values_;  ///< of the page
  std::int32_t encoding_ = 0;
  std::unique_ptr<ValueDecoder> values_;  ///< null: none has been read of the page
  RunDecoder definition_runs_;
  RunDecoder repetition_runs_;
  std::array<std::uint8_t, kLevels> definitions_{};
  std::array<std::uint8_t, kLevels> repetitions_{};
  std::size_t level_ = 0;
  std::size_t level_count_ = 0;
};

}  // namespace kitbag::parquet
