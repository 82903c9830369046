#include "sql/duckdb/answer.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kitbag/columns.h"
#include "kitbag/error.h"
#include "sql/arrow_value.h"
#include "sql/names.h"

// DuckDB hands its answers over as Arrow arrays too. Here, sums of integers are decimals of 128
// bits, and times come in the unit of their type.
//
// A decimal has 16 bytes, the low half first. If the high half is only the sign of the low one, the
// number fits into 64 bits and stays exact; larger ones become real numbers. Answers that go on as
// Arrow are not touched: columns() hands DuckDB's own batches over.

namespace kitbag::sql {

namespace {

/// The number of digits behind the point, of a decimal of 128 bits: "d:38,0" or "d:38,0,128".
std::optional<int> scale_of(const char* format) {
  int digits = 0;
  int scale = 0;
  int bits = 128;
  bool is_decimal = std::sscanf(format, "d:%d,%d,%d", &digits, &scale, &bits) >= 2;
  if (!is_decimal || bits != 128) return std::nullopt;
  return scale;
}

/// Nanoseconds in the unit of a timestamp ("tsu:UTC"), or 0.
std::int64_t nanoseconds_of(std::string_view format) {
  if (format.starts_with("tsn:")) return 1;
  if (format.starts_with("tsu:")) return 1'000;
  if (format.starts_with("tsm:")) return 1'000'000;
  if (format.starts_with("tss:")) return 1'000'000'000;
  return 0;
}

/// What append_json() knows.
bool is_plain(const ArrowSchema& schema) {
  const std::string_view format = schema.format;
  if (schema.dictionary) return false;
  if (format == "+s" || format == "+l" || format.starts_with("+w:")) {
    for (std::int64_t i = 0; i < schema.n_children; ++i) {
      if (!is_plain(*schema.children[i])) return false;
    }
    return true;
  }
  constexpr std::string_view kLetters = "bcCsSiIlLfguz";
  bool is_letter = format.size() == 1 && kLetters.find(format[0]) != std::string_view::npos;
  return is_letter || format.starts_with("w:") || format.starts_with("tsn:") || format == "tDn";
}

bool is_supported(const ArrowSchema& schema) {
  const std::string_view format = schema.format;
  return is_plain(schema) ||
         (!schema.dictionary && (scale_of(schema.format) || nanoseconds_of(format)));
}

Value decimal_at(const ArrowArray& array, std::int64_t row, int scale) {
  std::uint64_t low = 0;
  std::int64_t high = 0;
  const char* place = static_cast<const char*>(array.buffers[1]) + (array.offset + row) * 16;
  std::memcpy(&low, place, sizeof low);
  std::memcpy(&high, place + sizeof low, sizeof high);
  auto small = std::bit_cast<std::int64_t>(low);
  bool is_small = high == (small < 0 ? -1 : 0);
  if (is_small && scale == 0) return small;
  double number = is_small ? static_cast<double>(small)
                           : std::ldexp(static_cast<double>(high), 64) + static_cast<double>(low);
  return number / std::pow(10, scale);
}

/// The batches of a result, as DuckDB hands them over.
class ResultColumns final : public Columns {
 public:
  ResultColumns(std::shared_ptr<const DuckDbLibrary> library, const DuckDbLibrary::Result& result)
      : library_(std::move(library)), result_(result) {
    options_ = library_->result_get_arrow_options(&result_);
    std::uint64_t count = library_->column_count(&result_);
    for (std::uint64_t i = 0; i < count; ++i) {
      names_.emplace_back(library_->column_name(&result_, i));
    }
  }
  ~ResultColumns() override {
    library_->destroy_arrow_options(&options_);
    library_->destroy_result(&result_);
  }
  ResultColumns(const ResultColumns&) = delete;
  ResultColumns& operator=(const ResultColumns&) = delete;

  const std::vector<std::string>& names() const { return names_; }

  void schema(ArrowSchema* out) const override {
    std::vector<void*> types;
    std::vector<const char*> names;
    const std::vector<std::string> unique = unique_names(names_);
    for (const std::string& name : unique) {
      types.push_back(library_->column_logical_type(&result_, types.size()));
      names.push_back(name.c_str());
    }
    void* error =
        library_->to_arrow_schema(options_, types.data(), names.data(), types.size(), out);
    for (void* type : types) library_->destroy_logical_type(&type);
    throw_if(error);
  }

  bool next(ArrowArray* out, const Wait& /*wait*/) override {
    out->release = nullptr;
    void* chunk = library_->fetch_chunk(result_);
    if (!chunk) return false;
    void* error = library_->data_chunk_to_arrow(options_, chunk, out);
    library_->destroy_data_chunk(&chunk);
    throw_if(error);
    return true;
  }

 private:
  void throw_if(void* error) const {
    if (!error) return;
    const char* text = library_->error_data_message(error);
    std::string message = text ? text : "DuckDB gives no reason";
    library_->destroy_error_data(&error);
    throw Error(ErrorCode::invalid, message);
  }

  std::shared_ptr<const DuckDbLibrary> library_;
  mutable DuckDbLibrary::Result result_;  ///< DuckDB takes no pointer to const
  void* options_ = nullptr;
  std::vector<std::string> names_;
};

class DuckDbAnswer final : public Answer {
 public:
  DuckDbAnswer(std::shared_ptr<const DuckDbLibrary> library, const DuckDbLibrary::Result& result)
      : columns_(std::move(library), result) {}

  std::vector<std::string> names() const override { return columns_.names(); }
  Columns* columns() override { return &columns_; }

  bool next() override {
    if (schema_.is_empty()) read_schema();
    ++row_;
    while (batch_.is_empty() || row_ >= batch_->length) {
      if (!columns_.next(batch_.fill(), {})) return false;
      row_ = 0;
    }
    return true;
  }

  Value value(std::size_t column) const override {
    const ArrowSchema& schema = *schema_->children[column];
    const ArrowArray& array = *batch_->children[column];
    std::int64_t unit = nanoseconds_of(schema.format);
    std::optional<int> scale = scale_of(schema.format);
    if (unit == 0 && !scale) return value_at(schema, array, row_, texts_[column]);
    if (is_null(array, row_)) return {};
    if (scale) return decimal_at(array, row_, *scale);
    std::int64_t time = integer_value(array, row_);
    std::int64_t time_ns = 0;
    // DuckDB's seconds reach further than nanoseconds of 64 bits.
    if (__builtin_mul_overflow(time, unit, &time_ns))
      return static_cast<double>(time) * static_cast<double>(unit);
    return time_ns;
  }

 private:
  /// Rows are printed as texts and numbers, which not every type can be.
  void read_schema() {
    columns_.schema(schema_.fill());
    const std::vector<std::string>& names = columns_.names();
    texts_.resize(names.size());
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (is_supported(*schema_->children[i])) continue;
      throw Error(ErrorCode::unsupported,
                  fmt::format("the column {} has a type that is not printed; cast it, for instance "
                              "to VARCHAR or DOUBLE",
                              names[i]));
    }
  }

  ResultColumns columns_;
  Owned<ArrowSchema> schema_;
  Owned<ArrowArray> batch_;
  std::int64_t row_ = -1;                   ///< in `batch_`
  mutable std::vector<std::string> texts_;  ///< by column: what value() returns a view of
};

}  // namespace

std::unique_ptr<Answer> duckdb_answer(std::shared_ptr<const DuckDbLibrary> library,
                                      const DuckDbLibrary::Result& result) {
  return std::make_unique<DuckDbAnswer>(std::move(library), result);
}

}  // namespace kitbag::sql
