#include "export/lerobot/parquet_rows.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "arrow/owned.h"
#include "kitbag/error.h"

// Rows are gathered as columns of Arrow, and passed to the writer when they are 4096 or take 4 MiB.
// The writer makes pages of them. The caller ends a row group behind each episode.

namespace kitbag::lerobot {
namespace {

using arrow::ColumnType;
using arrow::Layout;
using arrow::Number;

constexpr std::size_t kIdleBytes = 8 << 20;
constexpr std::size_t kMostWaitingBytes = 4 << 20;
constexpr std::size_t kMostWaitingRows = 1 << 12;

ColumnType scalar_column(const std::string& name, const std::string& dtype) {
  if (dtype == "float32") return {name, "f", Layout::fixed, Number::real, 4};
  if (dtype == "float64") return {name, "g", Layout::fixed, Number::real, 8};
  if (dtype == "int32") return {name, "i", Layout::fixed, Number::integer, 4};
  if (dtype == "int64") return {name, "l", Layout::fixed, Number::integer, 8};
  return {name, "b", Layout::bits};
}

}  // namespace

ColumnType number_column(const std::string& name, const std::string& dtype, std::uint64_t count) {
  if (count == 1) return scalar_column(name, dtype);
  ColumnType list{name, fmt::format("+w:{}", count), Layout::fixed_list, Number::none,
                  static_cast<std::uint32_t>(count)};
  list.children.push_back(scalar_column("item", dtype));
  return list;
}

ColumnType picture_column(const std::string& name) {
  ColumnType picture{name, "+s", Layout::structure};
  picture.children.push_back({"bytes", "z", Layout::binary});
  picture.children.push_back(arrow::text_type("path"));
  return picture;
}

void add_number(arrow::Column& column, double value) {
  const ColumnType& type = column.type();
  if (type.layout == Layout::bits) return column.add_bit(value != 0);
  if (type.number == Number::real) {
    type.width == 4 ? column.add(static_cast<float>(value)) : column.add(value);
    return;
  }
  constexpr double kExact = 9007199254740992;  // a double has all integers up to this
  bool is_whole = std::trunc(value) == value && std::abs(value) <= kExact;
  if (!is_whole || !column.add_integer(static_cast<std::int64_t>(value))) {
    throw Error(ErrorCode::invalid,
                fmt::format("{} is not an integer of {} bits; use the dtype float64", value,
                            8 * type.width));
  }
}

ParquetRows::ParquetRows(const std::string& name, ColumnType columns, ExportFolder& folder,
                         const ParquetOptions& options)
    : type_(std::make_unique<ColumnType>(std::move(columns))),
      pool_(std::make_shared<arrow::MemoryPool>(kIdleBytes)),
      rows_(*type_, pool_, replaced_bytes_),
      file_(folder.create(name)) {
  arrow::Owned<ArrowSchema> schema;
  arrow::export_schema(*type_, schema.get());
  writer_ = parquet_writer(
      *schema, [to = file_.get()](ByteView bytes) { to->append(bytes); }, options);
}

void ParquetRows::end_row() {
  rows_.add_parent();
  if (rows_.length() >= kMostWaitingRows || rows_.bytes() >= kMostWaitingBytes) pass_on();
}

void ParquetRows::pass_on() {
  if (rows_.length() == 0) return;
  arrow::Owned<ArrowArray> rows;
  rows_.move_to(rows.get());
  writer_->write(*rows);
}

void ParquetRows::end_row_group() {
  pass_on();
  writer_->end_row_group();
}

std::uint64_t ParquetRows::finish() {
  pass_on();
  writer_->finish();
  std::uint64_t size_bytes = file_->size();
  file_->commit();
  return size_bytes;
}

}  // namespace kitbag::lerobot
