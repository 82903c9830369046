#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <utility>

#include "arrow/column.h"
#include "base/little_endian.h"
#include "kitbag/error.h"
#include "kitbag/parquet.h"
#include "parquet/arrow_durations.h"
#include "parquet/file_metadata.h"
#include "parquet/table_reader.h"
#include "parquet/table_schema.h"

// The end of the file says where its footer is, and the footer where everything else is. Of what it
// says only as much is believed as the file can have: rows are counted by the levels that pages
// have, and pages are in the file or not at all.
//
// Row groups are read one after the other, and no batch has rows of two. The columns of a group are
// read side by side: of each, a page and a dictionary are in memory.

namespace kitbag {

namespace {

using namespace parquet;

constexpr std::string_view kFileMagic = "PAR1";
constexpr std::string_view kEncryptedMagic = "PARE";
constexpr std::size_t kEndBytes = 8;  // the length of the footer, and "PAR1"
constexpr std::uint64_t kMostFooterBytes = 64 << 20;
constexpr std::size_t kIdleBytes = 64 << 20;

std::vector<std::byte> read_exactly(const ReadFile& file, std::uint64_t offset, std::size_t size) {
  std::vector<std::byte> bytes(size);
  if (file.read(offset, bytes) != size) {
    throw Error(ErrorCode::truncated, "the file became shorter while it was read", {}, offset);
  }
  return bytes;
}

StoredFooter footer_of(const ReadFile& file) {
  if (file.is_forward_only()) {
    throw Error(ErrorCode::unsupported, "needs random access; save it to a file first");
  }
  std::uint64_t size = file.size();
  if (size < kFileMagic.size() + kEndBytes) {
    throw Error(ErrorCode::truncated, "is too short to be a Parquet file");
  }
  auto end = read_exactly(file, size - kEndBytes, kEndBytes);
  std::string_view magic = as_text(ByteView(end).subspan(sizeof(std::uint32_t)));
  if (magic == kEncryptedMagic) {
    throw Error(ErrorCode::unsupported, "the footer is encrypted");
  }
  if (magic != kFileMagic) {
    // The beginning tells a file that was cut off from one that is none.
    bool is_begun = as_text(read_exactly(file, 0, kFileMagic.size())) == kFileMagic;
    throw Error(is_begun ? ErrorCode::truncated : ErrorCode::corrupt,
                is_begun ? "the end of the Parquet file is missing: it was cut off, or its writer "
                           "has not finished"
                         : "is not a Parquet file");
  }
  auto footer_bytes = std::uint64_t{load_le<std::uint32_t>(end.data())};
  if (footer_bytes > size - kFileMagic.size() - kEndBytes) {
    throw Error(ErrorCode::corrupt, "the footer is longer than the file", {}, size - kEndBytes);
  }
  if (footer_bytes > kMostFooterBytes) {
    throw Error(ErrorCode::limit, fmt::format("the footer has {} bytes, and at most {} are read",
                                              footer_bytes, kMostFooterBytes));
  }
  std::uint64_t offset = size - kEndBytes - footer_bytes;
  auto bytes = read_exactly(file, offset, static_cast<std::size_t>(footer_bytes));
  try {
    return read_footer(bytes);
  } catch (const Error& error) {
    std::uint64_t at = error.offset() == Error::kNoOffset ? 0 : error.offset();
    throw Error(error.code(), error.message(), {}, offset + at);
  }
}

class Reader final : public ParquetReader {
 public:
  Reader(std::shared_ptr<const ReadFile> file, std::string name, const ParquetReadOptions& options)
      : file_(std::move(file)), name_(std::move(name)), options_(options) {
    if (options_.batch_rows == 0) throw Error(ErrorCode::invalid, "a batch must have rows");
    named([&] {
      footer_ = footer_of(*file_);
      schema_ = make_table_schema(footer_.elements);
      require_rows();
      for (const auto& [key, value] : footer_.metadata) {
        if (key == "ARROW:schema") take_arrow_durations(value, schema_.type);
      }
    });
    pool_ = std::make_shared<arrow::MemoryPool>(kIdleBytes);
    table_ = std::make_unique<arrow::Column>(schema_.type, pool_, replaced_bytes_);
  }

  void schema(ArrowSchema* out) const override { arrow::export_schema(schema_.type, out); }

  bool next(ArrowArray* out, const Wait& wait) override {
    out->release = nullptr;
    throw_if_stopped(wait);
    return named([&] { return next_batch(out, wait); });
  }

  std::uint64_t rows() const override { return static_cast<std::uint64_t>(footer_.rows); }
  const std::vector<std::pair<std::string, std::string>>& key_values() const override {
    return footer_.metadata;
  }

 private:
  template <class Work>
  auto named(const Work& work) -> decltype(work()) {
    try {
      return work();
    } catch (const Error& error) {
      if (!error.file().empty()) throw;
      throw Error(error.code(), error.message(), name_, error.offset());
    }
  }

  void require_rows() const {
    std::int64_t rows = 0;
    for (const StoredGroup& group : footer_.groups) {
      if (__builtin_add_overflow(rows, group.rows, &rows)) rows = -1;
    }
    if (rows != footer_.rows) {
      throw Error(ErrorCode::corrupt, "the row groups have another number of rows than the file");
    }
  }

  bool next_batch(ArrowArray* out, const Wait& wait) {
    // A row group may be empty.
    while (!group_ || group_->rows_left() == 0) {
      group_.reset();
      if (next_group_ == footer_.groups.size()) return false;
      group_ = std::make_unique<TableReader>(*file_, schema_, footer_.groups[next_group_++]);
    }
    try {
      group_->read(*table_, options_.batch_rows, options_.batch_bytes, wait.stop);
    } catch (...) {
      // Some columns may have more rows than others by now.
      table_->truncate(0);
      throw;
    }
    table_->move_to(out);
    return true;
  }

  std::shared_ptr<const ReadFile> file_;
  std::string name_;
  ParquetReadOptions options_;
  StoredFooter footer_;
  TableSchema schema_;
  std::shared_ptr<arrow::MemoryPool> pool_;
  std::uint64_t replaced_bytes_ = 0;
  std::unique_ptr<arrow::Column> table_;
  std::unique_ptr<TableReader> group_;
  std::size_t next_group_ = 0;
};

}  // namespace

std::unique_ptr<ParquetReader> parquet_reader(std::shared_ptr<const ReadFile> file,
                                              std::string name, const ParquetReadOptions& options) {
  return std::make_unique<Reader>(std::move(file), std::move(name), options);
}

}  // namespace kitbag
