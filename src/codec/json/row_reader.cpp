#include "codec/json/row_reader.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "codec/json/scanner.h"
#include "codec/keyed/row_value.h"
#include "kitbag/base64.h"
#include "model/type/value_budget.h"

// Reads some fields without making a tree of the text. A table for each object has the keys that
// are wanted; the values of others are skipped by their quotes and brackets.
//
// If a key comes twice, the decoder takes the first value. So an object is done as soon as each of
// its wanted keys has come, and nothing behind the last wanted value is looked at. The brackets of
// objects that were left early are counted, and closed only if something behind them is wanted.

namespace kitbag::json {

namespace {

using keyed::RowValue;

class RowReader final : public arrow::RowReader {
 public:
  RowReader(TypePtr type, std::unique_ptr<RowValue> root)
      : type_(std::move(type)), root_(std::move(root)) {}

  /// False: the values take the decoder.
  bool compile() { return add(*root_); }

  bool read(ByteView payload) override {
    scanner_ = Scanner(as_text(payload));
    budget_ = ValueBudget(payload.size());
    has_come_.clear();
    open_ = 0;
    return value(*root_);
  }

 private:
  /// The wanted keys of an object, by length and letters, with their places in RowValue::fields.
  struct Keys {
    std::vector<std::pair<std::string_view, std::size_t>> sorted;

    static bool comes_first(std::string_view a, std::string_view b) {
      return a.size() != b.size() ? a.size() < b.size() : a < b;
    }
    /// Returns SIZE_MAX if it is not wanted.
    std::size_t find(std::string_view name) const {
      auto found = std::lower_bound(
          sorted.begin(), sorted.end(), name,
          [](const auto& one, std::string_view key) { return comes_first(one.first, key); });
      return found != sorted.end() && found->first == name ? found->second : SIZE_MAX;
    }
  };

  bool add(const RowValue& value) {
    if (keys_.size() <= value.id) keys_.resize(value.id + 1);
    auto& sorted = keys_[value.id].sorted;
    for (std::size_t i = 0; i < value.fields.size(); ++i) {
      sorted.emplace_back(value.fields[i].field->name, i);
    }
    std::sort(sorted.begin(), sorted.end(),
              [](const auto& a, const auto& b) { return Keys::comes_first(a.first, b.first); });
    auto same = std::adjacent_find(sorted.begin(), sorted.end(),
                                   [](const auto& a, const auto& b) { return a.first == b.first; });
    // Two fields of one name both get the one value that the decoder finds.
    if (same != sorted.end()) return false;
    for (const RowValue& part : value.fields) {
      if (!add(part)) return false;
    }
    if (value.each && !add(*value.each)) return false;
    return std::all_of(value.elements.begin(), value.elements.end(),
                       [&](const auto& element) { return add(element.second); });
  }

  /// Behind the objects that were left early.
  bool close() { return open_ == 0 || scanner_.skip_open(std::exchange(open_, 0)); }

  bool value(RowValue& value) {
    switch (value.type->kind) {
      case Kind::structure:
        return structure(value);
      case Kind::array:
      case Kind::sequence:
        return list(value);
      case Kind::text:
      case Kind::wide_text: {
        std::string_view text;
        if (!scanner_.string(text, scratch_)) return false;
        value.add_text(text);
        return true;
      }
      case Kind::boolean:
        if (scanner_.peek() == 't') return scanner_.take_word("true") && value.add_boolean(true);
        return scanner_.take_word("false") && value.add_boolean(false);
      case Kind::float32:
      case Kind::float64:
        return real(value);
      default:
        return integer(value);
    }
  }

  bool structure(RowValue& value) {
    const Keys& keys = keys_[value.id];
    if (!scanner_.take('{')) return false;
    value.begin_struct();
    std::size_t base = has_come_.size();
    std::size_t missing = value.fields.size();
    has_come_.resize(base + missing);
    bool is_end = scanner_.peek() == '}' && scanner_.take('}');
    while (!is_end && missing > 0) {
      std::string_view name;
      if (!scanner_.key(name) || !scanner_.take(':')) return false;
      std::size_t index = keys.find(name);
      if (index == SIZE_MAX || has_come_[base + index]) {
        if (!scanner_.skip_value()) return false;
      } else {
        has_come_[base + index] = true;
        --missing;
        if (!member(value.fields[index])) return false;
        if (missing == 0) break;
        if (!close()) return false;
      }
      is_end = scanner_.take('}');
      if (!is_end && !scanner_.take(',')) return false;
    }
    if (!is_end) ++open_;
    for (std::size_t i = 0; i < value.fields.size() && missing > 0; ++i) {
      if (has_come_[base + i]) continue;
      RowValue& part = value.fields[i];
      if (!budget_.try_charge(part.type->default_values) || !part.add_default()) return false;
    }
    has_come_.resize(base);
    return value.end_struct();
  }

  bool member(RowValue& part) {
    bool is_nothing = scanner_.peek() == 'n' && part.field->is_optional;
    if (!is_nothing) return value(part);
    part.add_nulls();
    return scanner_.take_word("null");
  }

  bool list(RowValue& value) {
    bool is_byte_list = is_byte(value.type->element->kind);
    if (is_byte_list && scanner_.peek() == '"') return base64(value);
    if (!scanner_.take('[')) return false;
    bool has_bytes = is_byte_list && value.has_binary();
    if (has_bytes) return bytes(value);
    value.begin_list();
    std::uint64_t count = 0;
    bool is_end = scanner_.take(']');
    while (!is_end) {
      const char* begin = scanner_.position();
      bool is_read = false;
      bool is_added = value.element(count++, [&](RowValue& element) {
        open_ = 0;
        // An element is read for each value that it goes into. What the reading before has left
        // open is nothing to this one.
        scanner_.return_to(begin);
        is_read = true;
        return this->value(element);
      });
      if (!is_added || !close()) return false;
      if (!is_read && !scanner_.skip_value()) return false;
      is_end = scanner_.take(']');
      if (!is_end && !scanner_.take(',')) return false;
    }
    return value.end_list(count);
  }

  bool base64(RowValue& value) {
    std::string_view text;
    if (!scanner_.string(text, scratch_)) return false;
    auto decoded = decode_base64(text);
    return decoded && value.add_bytes(*decoded);
  }

  /// Of which each is a number.
  bool bytes(RowValue& value) {
    bytes_.clear();
    bool is_end = scanner_.take(']');
    while (!is_end) {
      std::int64_t number = 0;
      if (!integer_text(number) || number < 0 || number > UINT8_MAX) return false;
      bytes_.push_back(static_cast<std::byte>(number));
      is_end = scanner_.take(']');
      if (!is_end && !scanner_.take(',')) return false;
    }
    return value.add_bytes(bytes_);
  }

  bool real(RowValue& value) {
    char c = scanner_.peek();
    if (c == 'n') {
      return scanner_.take_word("null") && value.add_real(std::numeric_limits<double>::quiet_NaN());
    }
    if (c == '"') {
      std::string_view text;
      if (!scanner_.string(text, scratch_)) return false;
      constexpr double kInfinity = std::numeric_limits<double>::infinity();
      if (text == "NaN") return value.add_real(std::numeric_limits<double>::quiet_NaN());
      if (text == "Infinity") return value.add_real(kInfinity);
      return text == "-Infinity" && value.add_real(-kInfinity);
    }
    Scanner::Number number;
    if (!scanner_.number(number)) return false;
    double real = 0;
    const char* end = number.text.data() + number.text.size();
    if (std::from_chars(number.text.data(), end, real).ec != std::errc()) return false;
    if (number.is_integer && real == 0) real = 0;  // "-0" is an integer
    return value.add_real(real);
  }

  bool integer_text(std::int64_t& value) {
    Scanner::Number number;
    if (!scanner_.number(number) || !number.is_integer) return false;
    const char* end = number.text.data() + number.text.size();
    return std::from_chars(number.text.data(), end, value).ec == std::errc();
  }

  bool integer(RowValue& value) {
    const Type& type = *value.type;
    if (type.kind == Kind::enumeration && scanner_.peek() == '"') {
      std::string_view name;
      if (!scanner_.string(name, scratch_)) return false;
      auto found = std::find_if(type.enumerators.begin(), type.enumerators.end(),
                                [&](const Enumerator& one) { return one.name == name; });
      return found != type.enumerators.end() && value.add_integer(found->value);
    }
    Kind kind = type.kind == Kind::enumeration ? type.base : type.kind;
    if (kind == Kind::uint64) return unsigned_integer(value);
    std::int64_t number = 0;
    return integer_text(number) && is_in_range(kind, number) && value.add_integer(number);
  }

  bool unsigned_integer(RowValue& value) {
    Scanner::Number number;
    if (!scanner_.number(number) || !number.is_integer) return false;
    const char* end = number.text.data() + number.text.size();
    std::uint64_t integer = 0;
    if (std::from_chars(number.text.data(), end, integer).ec != std::errc()) return false;
    bool is_small = integer <= INT64_MAX;
    if (is_small) return value.add_integer(static_cast<std::int64_t>(integer));
    return value.type->kind == Kind::uint64 && value.add_unsigned(integer);
  }

  static bool is_in_range(Kind kind, std::int64_t value) {
    bool is_signed =
        kind == Kind::int8 || kind == Kind::int16 || kind == Kind::int32 || kind == Kind::int64;
    auto bits = static_cast<unsigned>(8 * scalar_bytes(kind));
    if (bits == 64) return true;
    std::int64_t end = std::int64_t{1} << (is_signed ? bits - 1 : bits);
    return value >= (is_signed ? -end : 0) && value < end;
  }

  TypePtr type_;
  std::unique_ptr<RowValue> root_;
  std::vector<Keys> keys_;  ///< by RowValue::id
  Scanner scanner_;
  std::vector<char> has_come_;  ///< of the objects that are open: which of their fields
  std::size_t open_ = 0;        ///< objects that were left early
  std::string scratch_;
  std::vector<std::byte> bytes_;
  ValueBudget budget_{0};
};

}  // namespace

std::unique_ptr<arrow::RowReader> make_row_reader(const TypePtr& type,
                                                  const arrow::Target& target) {
  if (!type) return nullptr;
  auto root = keyed::compile_row(*type, target);
  if (!root) return nullptr;
  auto reader = std::make_unique<RowReader>(type, std::move(root));
  if (!reader->compile()) return nullptr;
  return reader;
}

}  // namespace kitbag::json
