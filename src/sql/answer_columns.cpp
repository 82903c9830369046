#include "sql/answer_columns.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "kitbag/error.h"
#include "kitbag/escape.h"
#include "sql/names.h"

// Rows of SQLite become columns of Arrow. A column has one type, which the reader gets before the
// first row, while SQLite knows the type of each value only when it comes. So the first batch is
// read before the schema is given. What comes later and does not fit is an error: to convert it
// would change what the answer says.
//
// Numbers are gathered as 64 bits, whatever they are: while the type is open, integers become real
// numbers in their place when the first real one comes, but only if each is exact as a double. So
// an answer never differs by rounding from what SQLite has computed.
//
// Buffers are handed over, not copied: the released array owns them, and the column begins new
// ones.

namespace kitbag::sql {

namespace {

constexpr std::int64_t kRowsOfBatch = 65'536;
/// A batch ends when its texts and bytes have reached this size. A single value has at most 1 GB
/// (SQLITE_MAX_LENGTH), so offsets of 32 bits suffice.
constexpr std::size_t kBytesOfBatch = 16 << 20;

/// What a value is; in the order of the alternatives of Value.
enum class CellType : std::uint8_t { null, integer, real, text, bytes };

constexpr std::array<const char*, 5> kFormats = {"n", "l", "g", "u", "z"};
constexpr std::array<const char*, 5> kNames = {"NULL", "an integer", "a real number", "a text",
                                               "bytes"};

std::size_t index_of(CellType type) {
  return static_cast<std::size_t>(type);
}

CellType declared(std::string_view name) {
  if (name == "INTEGER") return CellType::integer;
  if (name == "REAL") return CellType::real;
  if (name == "TEXT") return CellType::text;
  return name == "BLOB" ? CellType::bytes : CellType::null;
}

/// Nothing: no real number is exactly this integer.
std::optional<double> exact_real(std::int64_t integer) {
  constexpr double kEnd = 0x1p63;
  auto real = static_cast<double>(integer);
  if (real >= kEnd || static_cast<std::int64_t>(real) != integer) return std::nullopt;
  return real;
}

/// The buffers of a column in a batch.
struct Buffers {
  std::vector<unsigned char> validity;  ///< a bit for each value
  std::vector<std::int64_t> numbers;    ///< integers, or the bits of real numbers
  std::vector<std::int32_t> ends;       ///< 0, and where each text ends
  std::string bytes;
  std::array<const void*, 3> addresses{};
};

/// The values of a column that wait for their batch.
class Gathered {
 public:
  explicit Gathered(std::string name) : name_(std::move(name)) {}

  const std::string& name() const { return name_; }
  CellType type() const { return type_; }
  std::size_t bytes() const { return buffers_.bytes.size(); }

  /// The type is final from now on: without values, it is `declared`.
  void fix_type(CellType declared) {
    if (type_ == CellType::null) become(declared);
    is_fixed_ = true;
  }

  /// `row`: its number, from 1 on.
  void add(const Value& value, std::int64_t row) {
    auto type = static_cast<CellType>(value.index());
    if (type != CellType::null && type != type_) adapt(value, type, row);
    append_validity(type != CellType::null);
    ++length_;
    if (type == CellType::null) ++nulls_;
    if (type_ == CellType::integer || type_ == CellType::real) {
      buffers_.numbers.push_back(number_of(value, row));
    } else if (type_ == CellType::text || type_ == CellType::bytes) {
      if (const auto* text = std::get_if<std::string_view>(&value)) {
        buffers_.bytes += valid_utf8(*text);
      }
      if (const auto* view = std::get_if<ByteView>(&value)) buffers_.bytes += as_text(*view);
      buffers_.ends.push_back(static_cast<std::int32_t>(buffers_.bytes.size()));
    }
  }

  void move_to(ArrowArray* out) {
    auto held = std::make_unique<Buffers>(std::exchange(buffers_, {}));
    std::int64_t count = 0;
    if (type_ != CellType::null) {
      held->addresses[0] = nulls_ > 0 ? held->validity.data() : nullptr;
      bool is_number = held->ends.empty();
      held->addresses[1] = is_number ? static_cast<const void*>(held->numbers.data())
                                     : static_cast<const void*>(held->ends.data());
      held->addresses[2] = held->bytes.data();
      count = is_number ? 2 : 3;
    }
    *out = {};
    out->length = length_;
    out->null_count = nulls_;
    out->n_buffers = count;
    out->buffers = held->addresses.data();
    out->release = [](ArrowArray* array) {
      delete static_cast<Buffers*>(array->private_data);
      array->release = nullptr;
    };
    out->private_data = held.release();
    length_ = nulls_ = 0;
    if (has_ends()) buffers_.ends = {0};
  }

 private:
  bool has_ends() const { return type_ == CellType::text || type_ == CellType::bytes; }

  /// From null, all values so far being null.
  void become(CellType type) {
    type_ = type;
    auto length = static_cast<std::size_t>(length_);
    if (type == CellType::integer || type == CellType::real) buffers_.numbers.resize(length);
    if (has_ends()) buffers_.ends.resize(length + 1);
  }

  /// Makes the column take `value`, if that is possible.
  void adapt(const Value& value, CellType type, std::int64_t row) {
    if (type_ == CellType::null && !is_fixed_) return become(type);
    if (type_ == CellType::real && type == CellType::integer) return;  // number_of() converts it
    if (type_ == CellType::integer && type == CellType::real && !is_fixed_) return become_real(row);
    if (type_ == CellType::null) {
      fail(
          fmt::format("is NULL in the first rows, from which its type is taken, and {} in row {}; "
                      "leave these rows out, or sort them after the others",
                      kNames.at(value.index()), row));
    }
    fail(fmt::format("has {} in row {} and {} before; use CAST to give all values the same type",
                     kNames.at(value.index()), row, kNames.at(index_of(type_))));
  }

  void become_real(std::int64_t row) {
    type_ = CellType::real;
    for (std::int64_t& number : buffers_.numbers) {
      number = std::bit_cast<std::int64_t>(real_of(number, row));
    }
  }

  std::int64_t number_of(const Value& value, std::int64_t row) const {
    if (const auto* real = std::get_if<double>(&value)) return std::bit_cast<std::int64_t>(*real);
    const auto* integer = std::get_if<std::int64_t>(&value);
    if (!integer) return 0;
    if (type_ == CellType::integer) return *integer;
    return std::bit_cast<std::int64_t>(real_of(*integer, row));
  }

  double real_of(std::int64_t integer, std::int64_t row) const {
    if (auto real = exact_real(integer)) return *real;
    fail(fmt::format(
        "has real numbers and, in row {} or before, the integer {}, which float64 cannot "
        "represent; use CAST to give all values the same type",
        row, integer));
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw Error(ErrorCode::unsupported, fmt::format("the column \"{}\" {}", name_, what));
  }

  void append_validity(bool is_valid) {
    if (length_ % 8 == 0) buffers_.validity.push_back(0);
    if (is_valid) {
      auto bit = static_cast<unsigned>(length_ % 8);
      buffers_.validity.back() = static_cast<unsigned char>(buffers_.validity.back() | 1U << bit);
    }
  }

  std::string name_;
  CellType type_ = CellType::null;
  bool is_fixed_ = false;
  std::int64_t length_ = 0;
  std::int64_t nulls_ = 0;
  Buffers buffers_;
};

/// A struct of the Arrow C data interface with its parts.
template <class Struct>
struct Parent {
  std::vector<Struct> children;
  std::vector<Struct*> pointers;
  const void* validity = nullptr;
  std::string name;  ///< of a schema without parts

  explicit Parent(std::size_t count) : children(count) {
    for (Struct& each : children) pointers.push_back(&each);
  }

  static void release(Struct* released) {
    auto* parent = static_cast<Parent*>(released->private_data);
    for (Struct& each : parent->children) {
      if (each.release) each.release(&each);
    }
    delete parent;
    released->release = nullptr;
  }
};

void describe(const Gathered& column, ArrowSchema* out) {
  auto held = std::make_unique<Parent<ArrowSchema>>(0);
  held->name = column.name();
  *out = {};
  out->format = kFormats.at(index_of(column.type()));
  out->name = held->name.c_str();
  out->flags = ARROW_FLAG_NULLABLE;
  out->release = Parent<ArrowSchema>::release;
  out->private_data = held.release();
}

class AnswerColumns final : public Columns {
 public:
  explicit AnswerColumns(Answer& answer) : answer_(answer) {
    for (std::string& name : unique_names(answer.names())) columns_.emplace_back(std::move(name));
    read_batch();
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      columns_[i].fix_type(declared(answer.declared_type(i)));
    }
  }

  void schema(ArrowSchema* out) const override {
    auto held = std::make_unique<Parent<ArrowSchema>>(columns_.size());
    for (std::size_t i = 0; i < columns_.size(); ++i) describe(columns_[i], held->pointers[i]);
    *out = {};
    out->format = "+s";
    out->name = "";
    out->n_children = static_cast<std::int64_t>(columns_.size());
    out->children = held->pointers.data();
    out->release = Parent<ArrowSchema>::release;
    out->private_data = held.release();
  }

  bool next(ArrowArray* out, const Wait&) override {
    if (rows_ == 0) read_batch();
    *out = {};
    if (rows_ == 0) return false;
    auto held = std::make_unique<Parent<ArrowArray>>(columns_.size());
    for (std::size_t i = 0; i < columns_.size(); ++i) columns_[i].move_to(held->pointers[i]);
    out->length = std::exchange(rows_, 0);
    out->n_buffers = 1;
    out->buffers = &held->validity;
    out->n_children = static_cast<std::int64_t>(columns_.size());
    out->children = held->pointers.data();
    out->release = Parent<ArrowArray>::release;
    out->private_data = held.release();
    return true;
  }

 private:
  void read_batch() {
    std::size_t bytes = 0;
    while (!is_end_ && rows_ < kRowsOfBatch && bytes < kBytesOfBatch) {
      is_end_ = !answer_.next();
      if (is_end_) return;
      ++rows_;
      ++number_;
      bytes = 0;
      for (std::size_t i = 0; i < columns_.size(); ++i) {
        columns_[i].add(answer_.value(i), number_);
        bytes += columns_[i].bytes();
      }
    }
  }

  Answer& answer_;
  std::vector<Gathered> columns_;
  std::int64_t rows_ = 0;    ///< that wait
  std::int64_t number_ = 0;  ///< of the last row
  bool is_end_ = false;
};

}  // namespace

std::unique_ptr<Columns> columns_of(Answer& answer) {
  return std::make_unique<AnswerColumns>(answer);
}

}  // namespace kitbag::sql
