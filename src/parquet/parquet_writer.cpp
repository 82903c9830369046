#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "arrow/ipc_body.h"
#include "arrow/ipc_field.h"
#include "arrow/ipc_message.h"
#include "base/little_endian.h"
#include "compress/zstd.h"
#include "kitbag/base64.h"
#include "kitbag/error.h"
#include "kitbag/parquet.h"
#include "parquet/metadata.h"
#include "parquet/shredder.h"

// A file is
//
//   "PAR1" | row groups | column indexes | offset indexes | footer | its length | "PAR1"
//
// A row group has all values of its first column, then those of the second, and so on. So it is
// complete before any of it is written, and a writer holds one: its pages, compressed, and of each
// column the page that is not complete yet.

namespace kitbag {

namespace {

using arrow::IpcField;
using namespace parquet;

constexpr std::string_view kParquetMagic = "PAR1";
/// Rows are taken by parts: a page can end behind each, and the parts stay in the processor's
/// cache.
constexpr std::uint64_t kPartBytes = 1 << 20;
constexpr std::int64_t kMostPartRows = 4096;

/// The schema as Arrow's own readers look for it: a message of Arrow IPC.
std::string arrow_schema(const IpcField& root) {
  constexpr std::uint32_t kContinuation = 0xFFFFFFFF;
  arrow::IpcMetadata message = arrow::schema_message(root);
  message.resize((message.size() + 7) / 8 * 8);
  std::vector<std::byte> bytes(2 * sizeof(std::uint32_t));
  store_le(bytes.data(), kContinuation);
  store_le(bytes.data() + sizeof kContinuation, static_cast<std::uint32_t>(message.size()));
  bytes.insert(bytes.end(), message.begin(), message.end());
  return encode_base64(bytes);
}

bool has_empty_structure(const IpcField& field) {
  if (field.type.number == arrow::IpcTypeNumber::structure && field.children.empty()) return true;
  return std::any_of(field.children.begin(), field.children.end(), has_empty_structure);
}

class FileWriter final : public ParquetWriter {
 public:
  FileWriter(const ArrowSchema& schema, BytesOut out, const ParquetOptions& options)
      : root_(arrow::ipc_field(schema)),
        schema_(make_schema(root_)),
        out_(std::move(out)),
        options_(options) {
    if (options_.zstd_level != 0) compressor_ = make_zstd_compressor(options_.zstd_level);
    page_options_ = {compressor_.get(), options_.page_bytes};
    chunks_.reserve(schema_.leaves.size());
    for (const Leaf& leaf : schema_.leaves) chunks_.emplace_back(leaf, page_options_);
    put(as_bytes(kParquetMagic));
  }

  void write(const ArrowArray& batch) override {
    std::uint64_t bytes = require_fit(batch);
    auto rows = static_cast<std::uint64_t>(batch.length);
    // Rows are taken to be alike: a part is that share of them.
    std::uint64_t part = bytes > kPartBytes ? rows * kPartBytes / bytes : rows;
    auto part_rows = std::clamp<std::int64_t>(static_cast<std::int64_t>(part), 1, kMostPartRows);
    for (std::int64_t begin = 0; begin < batch.length; begin += part_rows) {
      std::int64_t count = std::min(part_rows, batch.length - begin);
      shred(root_, batch, begin, count, chunks_);
      group_rows_ += count;
      for (ColumnChunk& chunk : chunks_) chunk.end_rows(group_rows_);
      if (unpacked_bytes() >= options_.row_group_bytes) end_row_group();
    }
  }

  void end_row_group() override {
    if (group_rows_ == 0) return;
    RowGroupEntry group{.rows = group_rows_, .offset = position_, .chunks = {}};
    for (ColumnChunk& chunk : chunks_) {
      group.chunks.push_back(
          chunk.end(group_rows_, position_, [this](ByteView bytes) { put(bytes); }));
    }
    footer_.rows += group_rows_;
    footer_.groups.push_back(std::move(group));
    group_rows_ = 0;
  }

  std::uint64_t held_bytes() const override {
    std::uint64_t all = 0;
    for (const ColumnChunk& chunk : chunks_) all += chunk.held_bytes();
    return all;
  }

  void finish() override {
    end_row_group();
    put_indexes();
    footer_.schema = &schema_;
    footer_.is_compressed = compressor_ != nullptr;
    footer_.metadata = options_.key_values;
    footer_.created_by = fmt::format("kitbag version {}", KITBAG_VERSION);
    // Such a structure is another one in the file, and a schema that does not fit is an error.
    if (!has_empty_structure(root_)) {
      footer_.metadata.emplace_back("ARROW:schema", arrow_schema(root_));
    }
    Buffer bytes;
    put_footer(bytes, footer_);
    auto size = static_cast<std::uint32_t>(bytes.size());
    store_le(bytes.extend(sizeof size), size);
    bytes.append(as_bytes(kParquetMagic));
    put(bytes.view());
  }

 private:
  void put(ByteView bytes) {
    out_(bytes);
    position_ += static_cast<std::int64_t>(bytes.size());
  }

  std::uint64_t unpacked_bytes() const {
    std::uint64_t all = 0;
    for (const ColumnChunk& chunk : chunks_) all += chunk.unpacked_bytes();
    return all;
  }

  /// Checks what can be checked of an array. Returns about how many bytes its values have.
  std::uint64_t require_fit(const ArrowArray& batch) const {
    arrow::IpcBody body;
    body.add_columns(root_, batch);
    auto bytes = static_cast<std::uint64_t>(body.bytes());
    require_dictionaries(root_, batch);
    return bytes;
  }

  static void require_dictionaries(const IpcField& field, const ArrowArray& array) {
    for (std::size_t i = 0; i < field.children.size(); ++i) {
      require_dictionaries(field.children[i], *array.children[i]);
    }
    if (!field.dictionary) return;
    if (!array.dictionary) {
      throw Error(ErrorCode::invalid,
                  fmt::format("the column \"{}\" has no dictionary", field.name));
    }
    arrow::IpcBody().add(*field.dictionary, *array.dictionary, 0, array.dictionary->length);
  }

  void put_indexes() {
    for (RowGroupEntry& group : footer_.groups) {
      for (ChunkEntry& chunk : group.chunks) {
        Buffer index;
        if (!put_column_index(index, chunk)) continue;
        chunk.column_index_offset = position_;
        chunk.column_index_bytes = static_cast<std::int32_t>(index.size());
        put(index.view());
      }
    }
    for (RowGroupEntry& group : footer_.groups) {
      for (ChunkEntry& chunk : group.chunks) {
        Buffer index;
        put_offset_index(index, chunk);
        chunk.offset_index_offset = position_;
        chunk.offset_index_bytes = static_cast<std::int32_t>(index.size());
        put(index.view());
      }
    }
  }

  IpcField root_;
  FileSchema schema_;
  BytesOut out_;
  ParquetOptions options_;
  std::unique_ptr<Compressor> compressor_;
  PageOptions page_options_;
  std::vector<ColumnChunk> chunks_;
  std::int64_t group_rows_ = 0;
  std::int64_t position_ = 0;
  Footer footer_;
};

}  // namespace

std::unique_ptr<ParquetWriter> parquet_writer(const ArrowSchema& schema, BytesOut out,
                                              const ParquetOptions& options) {
  return std::make_unique<FileWriter>(schema, std::move(out), options);
}

}  // namespace kitbag
