#include "arrow/ipc_field.h"

#include <fmt/format.h>

#include <charconv>
#include <cstring>
#include <optional>
#include <string_view>

#include "kitbag/error.h"

// The C data interface writes a type as a few letters ("+w:36"), the IPC format as a table with
// numbers. All types are translated that have a fixed layout, also those that kitbag's own tables
// do not have, because the writer takes the tables of any library. Unions, views and run-end
// encoding are refused. A letter decides how many children and buffers there have to be, which is
// checked before anything is read.

namespace kitbag::arrow {

namespace {

// The values of enumerations of Schema.fbs.
enum Precision : std::int16_t { kHalf, kSingle, kDouble };
enum DateUnit : std::int16_t { kDay, kMillisecond };
enum IntervalUnit : std::int16_t { kYearMonth, kDayTime, kMonthDayNano };

constexpr int kMostDecimalBits = 256;

IpcType integer(std::int32_t bits, bool is_signed) {
  return {IpcTypeNumber::integer, IpcLayout::fixed, bits / 8, {bits, is_signed}};
}

IpcType real(std::int64_t width, Precision precision) {
  return {IpcTypeNumber::floating_point, IpcLayout::fixed, width, {std::int16_t{precision}}};
}

/// Of formats with one letter.
std::optional<IpcType> type_of_letter(char letter) {
  switch (letter) {
    case 'n':
      return IpcType{IpcTypeNumber::null, IpcLayout::none};
    case 'b':
      return IpcType{IpcTypeNumber::boolean, IpcLayout::bits};
    case 'c':
      return integer(8, true);
    case 'C':
      return integer(8, false);
    case 's':
      return integer(16, true);
    case 'S':
      return integer(16, false);
    case 'i':
      return integer(32, true);
    case 'I':
      return integer(32, false);
    case 'l':
      return integer(64, true);
    case 'L':
      return integer(64, false);
    case 'e':
      return real(2, kHalf);
    case 'f':
      return real(4, kSingle);
    case 'g':
      return real(8, kDouble);
    case 'z':
      return IpcType{IpcTypeNumber::binary, IpcLayout::bytes};
    case 'Z':
      return IpcType{IpcTypeNumber::large_binary, IpcLayout::large_bytes};
    case 'u':
      return IpcType{IpcTypeNumber::utf8, IpcLayout::bytes};
    case 'U':
      return IpcType{IpcTypeNumber::large_utf8, IpcLayout::large_bytes};
    default:
      return std::nullopt;
  }
}

/// The numbers behind the colon of a format, such as "d:38,0". Nothing: there is something else.
std::optional<std::vector<std::int32_t>> numbers_of(std::string_view text) {
  std::vector<std::int32_t> numbers;
  for (;;) {
    std::int32_t number = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc()) return std::nullopt;
    numbers.push_back(number);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (text.empty()) return numbers;
    if (text.front() != ',') return std::nullopt;
    text.remove_prefix(1);
  }
}

std::optional<IpcType> decimal(std::string_view text) {
  constexpr std::int32_t kUsualBits = 128;
  auto numbers = numbers_of(text);
  if (!numbers || numbers->size() < 2 || numbers->size() > 3) return std::nullopt;
  std::int32_t bits = numbers->size() == 3 ? numbers->back() : kUsualBits;
  if (bits <= 0 || bits > kMostDecimalBits || bits % 8 != 0) return std::nullopt;
  return IpcType{
      IpcTypeNumber::decimal, IpcLayout::fixed, bits / 8, {numbers->at(0), numbers->at(1), bits}};
}

/// Of formats that begin with t: times and dates.
std::optional<IpcType> temporal(std::string_view format) {
  if (format.size() < 3) return std::nullopt;
  const std::string_view rest = format.substr(3);
  auto fixed = [&](IpcTypeNumber number, std::int32_t bytes, std::int16_t unit) {
    return IpcType{number, IpcLayout::fixed, bytes, {unit}};
  };
  constexpr std::string_view kUnits = "smun";  // in the order of the enumeration TimeUnit
  const std::size_t place = kUnits.find(format[2]);
  const auto unit = static_cast<std::int16_t>(place);
  const bool has_unit = place != std::string_view::npos;
  if (format[1] == 's' && has_unit && rest.starts_with(':')) {
    IpcType type = fixed(IpcTypeNumber::timestamp, 8, unit);
    type.time_zone = rest.substr(1);
    return type;
  }
  if (!rest.empty()) return std::nullopt;
  if (format[1] == 'D' && has_unit) return fixed(IpcTypeNumber::duration, 8, unit);
  if (format[1] == 't' && has_unit) {
    std::int32_t bytes = unit < 2 ? 4 : 8;
    IpcType type = fixed(IpcTypeNumber::time, bytes, unit);
    type.parameters.emplace_back(bytes * 8);
    return type;
  }
  if (format == "tdD") return fixed(IpcTypeNumber::date, 4, kDay);
  if (format == "tdm") return fixed(IpcTypeNumber::date, 8, kMillisecond);
  if (format == "tiM") return fixed(IpcTypeNumber::interval, 4, kYearMonth);
  if (format == "tiD") return fixed(IpcTypeNumber::interval, 8, kDayTime);
  if (format == "tin") return fixed(IpcTypeNumber::interval, 16, kMonthDayNano);
  return std::nullopt;
}

std::optional<IpcType> nested(std::string_view format, bool are_keys_sorted) {
  if (format == "+s") return IpcType{IpcTypeNumber::structure, IpcLayout::structure};
  if (format == "+l") return IpcType{IpcTypeNumber::list, IpcLayout::list};
  if (format == "+L") return IpcType{IpcTypeNumber::large_list, IpcLayout::large_list};
  if (format == "+m") return IpcType{IpcTypeNumber::map, IpcLayout::list, 0, {are_keys_sorted}};
  return std::nullopt;
}

/// Of "w:N" and "+w:N".
std::optional<IpcType> of_width(std::string_view format) {
  const bool is_list = format.starts_with('+');
  auto numbers = numbers_of(format.substr(is_list ? 3 : 2));
  if (!numbers || numbers->size() != 1 || numbers->front() < 0) return std::nullopt;
  return IpcType{is_list ? IpcTypeNumber::fixed_size_list : IpcTypeNumber::fixed_size_binary,
                 is_list ? IpcLayout::fixed_list : IpcLayout::fixed,
                 numbers->front(),
                 {numbers->front()}};
}

IpcType type_of(const ArrowSchema& schema) {
  const std::string_view format = schema.format ? schema.format : "";
  std::optional<IpcType> type;
  if (format.size() == 1) {
    type = type_of_letter(format[0]);
  } else if (format.starts_with("d:")) {
    type = decimal(format.substr(2));
  } else if (format.starts_with("w:") || format.starts_with("+w:")) {
    type = of_width(format);
  } else if (format.starts_with('t')) {
    type = temporal(format);
  } else {
    type = nested(format, (schema.flags & ARROW_FLAG_MAP_KEYS_SORTED) != 0);
  }
  if (type) return *type;
  throw Error(
      ErrorCode::unsupported,
      fmt::format("the column \"{}\" has the type \"{}\", which is not written as Arrow IPC",
                  schema.name ? schema.name : "", format));
}

std::size_t children_of(IpcLayout layout, const ArrowSchema& schema) {
  switch (layout) {
    case IpcLayout::structure:
      return static_cast<std::size_t>(schema.n_children);
    case IpcLayout::list:
    case IpcLayout::large_list:
    case IpcLayout::fixed_list:
      return 1;
    default:
      return 0;
  }
}

/// The pairs in ArrowSchema::metadata. It has no length, so the sizes in it are believed.
std::vector<std::pair<std::string, std::string>> metadata_of(const char* encoded) {
  if (!encoded) return {};
  auto next_size = [&] {
    std::int32_t size = 0;
    std::memcpy(&size, encoded, sizeof size);
    encoded += sizeof size;
    if (size < 0) throw Error(ErrorCode::invalid, "a negative length in the metadata of a column");
    return static_cast<std::size_t>(size);
  };
  auto next_text = [&] {
    std::size_t size = next_size();
    std::string text(encoded, size);
    encoded += size;
    return text;
  };
  std::vector<std::pair<std::string, std::string>> pairs;
  for (std::size_t left = next_size(); left > 0; --left) {
    std::string key = next_text();
    pairs.emplace_back(std::move(key), next_text());
  }
  return pairs;
}

class FieldReader {
 public:
  IpcField read(const ArrowSchema& schema) {
    IpcField field;
    field.name = schema.name ? schema.name : "";
    field.is_nullable = (schema.flags & ARROW_FLAG_NULLABLE) != 0;
    field.metadata = metadata_of(schema.metadata);
    field.type = type_of(schema);
    std::size_t children = children_of(field.type.layout, schema);
    if (schema.n_children < 0 || static_cast<std::uint64_t>(schema.n_children) != children) {
      throw Error(ErrorCode::invalid,
                  fmt::format("the column \"{}\" of type \"{}\" has {} children", field.name,
                              schema.format, schema.n_children));
    }
    for (std::size_t i = 0; i < children; ++i) field.children.push_back(read(*schema.children[i]));
    if (!schema.dictionary) return field;
    if (field.type.number != IpcTypeNumber::integer) {
      throw Error(ErrorCode::invalid,
                  fmt::format("the dictionary of the column \"{}\" has indexes of type \"{}\"",
                              field.name, schema.format));
    }
    field.dictionary_id = next_id_++;
    field.is_ordered = (schema.flags & ARROW_FLAG_DICTIONARY_ORDERED) != 0;
    field.dictionary = std::make_unique<IpcField>(read(*schema.dictionary));
    return field;
  }

 private:
  std::int64_t next_id_ = 0;
};

}  // namespace

IpcField ipc_field(const ArrowSchema& schema) {
  return FieldReader().read(schema);
}

}  // namespace kitbag::arrow
