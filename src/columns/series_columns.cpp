#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "arrow/column.h"
#include "kitbag/series.h"

// All series as one long table: a row for each part of a field of a topic that has a value, a batch
// for each series. So its columns do not depend on what was asked for, and data frames can group
// and plot it. Into which parts the time is divided is in the metadata of the schema, because parts
// without values have no rows.

namespace kitbag {
namespace {

/// A batch is given away before the next one is filled, so there is no memory to keep.
constexpr std::size_t kIdleBytes = 0;

arrow::ColumnType number_type(std::string name, arrow::Number number) {
  bool is_real = number == arrow::Number::real;
  return {.name = std::move(name),
          .format = is_real ? "g" : "L",
          .layout = arrow::Layout::fixed,
          .number = number,
          .width = sizeof(std::uint64_t),
          .is_nullable = false};
}

arrow::ColumnType without_nulls(arrow::ColumnType type) {
  type.is_nullable = false;
  return type;
}

arrow::ColumnType table_type(const Series& series) {
  arrow::ColumnType table{.name = "", .format = "+s"};
  table.metadata = {{"kitbag.start_time", std::to_string(to_ns(series.start))},
                    {"kitbag.bucket_duration", std::to_string(series.bucket_duration.count())},
                    {"kitbag.buckets", std::to_string(series.buckets)}};
  table.children = {without_nulls(arrow::text_type("topic")),
                    without_nulls(arrow::text_type("field")),
                    without_nulls(arrow::time_type("time")),
                    number_type("count", arrow::Number::unsigned_integer),
                    number_type("min", arrow::Number::real),
                    number_type("max", arrow::Number::real),
                    number_type("mean", arrow::Number::real),
                    number_type("last", arrow::Number::real)};
  return table;
}

class SeriesColumns final : public Columns {
 public:
  explicit SeriesColumns(Series series)
      : series_(std::move(series)),
        type_(table_type(series_)),
        table_(type_, std::make_shared<arrow::MemoryPool>(kIdleBytes), replaced_bytes_) {}

  void schema(ArrowSchema* out) const override { export_schema(type_, out); }

  bool next(ArrowArray* out, const Wait& wait) override {
    throw_if_stopped(wait);
    out->release = nullptr;
    while (next_ < series_.fields.size() && series_.fields[next_].buckets.empty()) ++next_;
    if (next_ == series_.fields.size()) return false;
    const FieldSeries& field = series_.fields[next_++];
    for (const SeriesBucket& bucket : field.buckets) add(field, bucket);
    table_.move_to(out);
    return true;
  }

 private:
  void add(const FieldSeries& field, const SeriesBucket& bucket) {
    auto& columns = table_.children();
    table_.add_parent();
    std::size_t next = 0;
    columns[next++].add_text(field.topic);
    columns[next++].add_text(field.field);
    // The part has a value, so a time can represent where it begins, whatever the product is.
    auto width = static_cast<std::uint64_t>(series_.bucket_duration.count());
    auto begin = static_cast<std::uint64_t>(to_ns(series_.start)) + bucket.index * width;
    columns[next++].add(static_cast<std::int64_t>(begin));
    columns[next++].add(bucket.count);
    for (double value : {bucket.min, bucket.max, bucket.mean, bucket.last}) {
      columns[next++].add(value);
    }
  }

  Series series_;
  arrow::ColumnType type_;
  std::uint64_t replaced_bytes_ = 0;
  arrow::Column table_;
  std::size_t next_ = 0;  ///< of `series_.fields`
};

}  // namespace

std::unique_ptr<Columns> series_columns(Series series) {
  return std::make_unique<SeriesColumns>(std::move(series));
}

}  // namespace kitbag
