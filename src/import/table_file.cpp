#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "arrow/ipc_body.h"
#include "arrow/ipc_field.h"
#include "arrow/owned.h"
#include "kitbag/csv.h"
#include "kitbag/error.h"
#include "kitbag/import_tables.h"
#include "kitbag/parquet.h"

// A file is known by its first bytes, and Parquet by its name too, so that one whose beginning is
// damaged is not read as CSV. CSV has no sign of its own and is what is left.
//
// Batches of a stream come from another library. The C interface of Arrow is pointers and promises,
// so every offset is checked before a row is read.

namespace kitbag {

namespace {

constexpr std::string_view kParquetMagic = "PAR1";
constexpr std::string_view kArrowMagic = "ARROW1";

std::shared_ptr<const ReadFile> open_at(const std::string& path, const Session& session) {
  if (path == "-") return open_file(path);
  std::string place = session.path_of(path);
  FileSystemPtr files = session.file_system(place);
  auto status = files->status(place);
  if (status && status->is_folder) throw Error(ErrorCode::invalid, "is a folder", path);
  return files->open(place);
}

/// Batches of another library, which may be anything.
class StreamColumns final : public Columns {
 public:
  explicit StreamColumns(ArrowArrayStream* stream) : stream_(*stream) {
    // Moved, as the interface has it: the caller must not release it any more.
    stream->release = nullptr;
    try {
      require(stream_.get_schema(&stream_, schema_.get()));
      root_ = arrow::ipc_field(*schema_);
    } catch (...) {
      stream_.release(&stream_);
      throw;
    }
  }
  StreamColumns(const StreamColumns&) = delete;
  StreamColumns& operator=(const StreamColumns&) = delete;
  ~StreamColumns() override { stream_.release(&stream_); }

  void schema(ArrowSchema* out) const override { require(stream_.get_schema(&stream_, out)); }

  bool next(ArrowArray* out, const Wait& wait) override {
    out->release = nullptr;
    throw_if_stopped(wait);
    require(stream_.get_next(&stream_, out));
    if (!out->release) return false;
    try {
      arrow::IpcBody body;  // which looks at all lengths and offsets
      body.add_columns(root_, *out);
      require_dictionaries(root_, *out);
    } catch (...) {
      out->release(out);
      throw;
    }
    return true;
  }

 private:
  static void require_dictionaries(const arrow::IpcField& field, const ArrowArray& array) {
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

  void require(int code) const {
    if (code == 0) return;
    const char* sentence = stream_.get_last_error(&stream_);
    throw Error(code == EINTR ? ErrorCode::cancelled : ErrorCode::io,
                sentence ? sentence : "the stream of the table has failed");
  }

  mutable ArrowArrayStream stream_;
  arrow::Owned<ArrowSchema> schema_;
  arrow::IpcField root_;
};

}  // namespace

TableFile open_table(const std::string& path, const OpenTableOptions& options,
                     const Session& session) {
  auto file = open_at(path, session);
  std::array<std::byte, kArrowMagic.size()> head{};
  std::string_view magic = as_text(ByteView(head).first(file->read(0, head)));
  TableFile table;
  table.name = path;
  if (magic == kArrowMagic) {
    throw Error(ErrorCode::unsupported,
                "is an Arrow IPC file; tables are read from Parquet and CSV", path);
  }
  if (magic.starts_with(kParquetMagic) || path.ends_with(".parquet")) {
    auto reader = parquet_reader(std::move(file), path);
    table.key_values = reader->key_values();
    table.columns = std::move(reader);
    return table;
  }
  CsvOptions csv;
  csv.delimiter = options.delimiter != 0 ? options.delimiter : path.ends_with(".tsv") ? '\t' : ',';
  auto reader = csv_reader(std::move(file), path, csv);
  table.place_of_row = [lines = reader.get()](std::uint64_t row) {
    return fmt::format("line {}", lines->line_of(row));
  };
  table.columns = std::move(reader);
  table.is_empty_missing = true;
  return table;
}

std::unique_ptr<Columns> columns_of(ArrowArrayStream* stream) {
  return std::make_unique<StreamColumns>(stream);
}

}  // namespace kitbag
