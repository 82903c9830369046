#include "sql/arrow_value.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

#include "kitbag/base64.h"
#include "kitbag/escape.h"

// Where a value lies in an array, by the first letters of its format:
//
//   c C s S i I l L f g t   buffers[1], one number for each row
//   b                       buffers[1], one bit for each row
//   u z                     buffers[1] has where each row begins and ends, buffers[2] the bytes
//   w:N                     buffers[1], N bytes for each row
//   +l  +w:N                rows of the child: from offsets in buffers[1], or N for each row
//   +s                      the same row of each child
//
// buffers[0] has the validity, a bit for each row. Every array has an offset of its own, which at()
// adds. The offset of a structure holds for its children in addition to theirs, so `array.offset +
// row` is passed down to them; the offsets of a list lead to rows of the child by themselves.
//
// The format is looked at for each value, because SQLite takes one value at a time, by a call.

namespace kitbag::sql {

namespace {

template <class T>
T at(const ArrowArray& array, std::size_t buffer, std::int64_t row) {
  T value;
  const char* values = static_cast<const char*>(array.buffers[buffer]);
  std::memcpy(&value, values + static_cast<std::size_t>(array.offset + row) * sizeof value,
              sizeof value);
  return value;
}

bool bit(const void* bits, std::int64_t index) {
  return (static_cast<const unsigned char*>(bits)[index / 8] >> (index % 8) & 1) != 0;
}

/// Of format "w:N".
std::string_view fixed_bytes_at(const char* format, const ArrowArray& array, std::int64_t row) {
  auto width = static_cast<std::size_t>(std::strtoull(format + 2, nullptr, 10));
  return {static_cast<const char*>(array.buffers[1]) +
              static_cast<std::size_t>(array.offset + row) * width,
          width};
}

/// A number of one of the formats with one letter, or a time.
std::optional<std::int64_t> integer_at(const char* format, const ArrowArray& array,
                                       std::int64_t row) {
  switch (format[0]) {
    case 'c':
      return at<std::int8_t>(array, 1, row);
    case 'C':
      return at<std::uint8_t>(array, 1, row);
    case 's':
      return at<std::int16_t>(array, 1, row);
    case 'S':
      return at<std::uint16_t>(array, 1, row);
    case 'i':
      return at<std::int32_t>(array, 1, row);
    case 'I':
      return at<std::uint32_t>(array, 1, row);
    case 'l':
    case 't':  // timestamp and duration
      return at<std::int64_t>(array, 1, row);
    case 'b':
      return bit(array.buffers[1], array.offset + row) ? 1 : 0;
    default:
      return std::nullopt;
  }
}

void append_real(std::string& text, double value) {
  if (std::isfinite(value)) {
    text += fmt::format("{}", value);
  } else {
    text += "null";
  }
}

void append_elements(std::string& text, const ArrowSchema& schema, const ArrowArray& array,
                     std::int64_t begin, std::int64_t end) {
  text += '[';
  for (std::int64_t i = begin; i < end; ++i) {
    if (i > begin) text += ',';
    append_json(text, *schema.children[0], *array.children[0], i);
  }
  text += ']';
}

void append_fields(std::string& text, const ArrowSchema& schema, const ArrowArray& array,
                   std::int64_t row) {
  text += '{';
  for (std::int64_t i = 0; i < schema.n_children; ++i) {
    if (i > 0) text += ',';
    text += json_quoted(schema.children[i]->name) + ':';
    append_json(text, *schema.children[i], *array.children[i], array.offset + row);
  }
  text += '}';
}

struct Giver {
  sqlite3_context* context;
  void operator()(std::monostate) const { sqlite3_result_null(context); }
  void operator()(std::int64_t value) const { sqlite3_result_int64(context, value); }
  void operator()(double value) const { sqlite3_result_double(context, value); }
  void operator()(std::string_view value) const {
    sqlite3_result_text64(context, value.data(), value.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  }
  void operator()(ByteView value) const {
    sqlite3_result_blob64(context, value.data(), value.size(), SQLITE_TRANSIENT);
  }
};

}  // namespace

std::string_view text_at(const ArrowArray& array, std::int64_t row) {
  auto begin = static_cast<std::size_t>(at<std::int32_t>(array, 1, row));
  auto end = static_cast<std::size_t>(at<std::int32_t>(array, 1, row + 1));
  return {static_cast<const char*>(array.buffers[2]) + begin, end - begin};
}

bool is_null(const ArrowArray& array, std::int64_t row) {
  return array.null_count != 0 && array.buffers[0] && !bit(array.buffers[0], array.offset + row);
}

std::int64_t integer_value(const ArrowArray& array, std::int64_t row) {
  return at<std::int64_t>(array, 1, row);
}

void append_json(std::string& text, const ArrowSchema& schema, const ArrowArray& array,
                 std::int64_t row) {
  const std::string_view format = schema.format;
  if (is_null(array, row)) {
    text += "null";
  } else if (schema.dictionary) {
    append_json(text, *schema.dictionary, *array.dictionary, at<std::int32_t>(array, 1, row));
  } else if (format == "b") {
    text += bit(array.buffers[1], array.offset + row) ? "true" : "false";
  } else if (auto integer = integer_at(schema.format, array, row)) {
    text += std::to_string(*integer);
  } else if (format == "L") {
    text += std::to_string(at<std::uint64_t>(array, 1, row));
  } else if (format == "f") {
    append_real(text, static_cast<double>(at<float>(array, 1, row)));
  } else if (format == "g") {
    append_real(text, at<double>(array, 1, row));
  } else if (format == "u") {
    text += json_quoted(text_at(array, row));
  } else if (format == "z") {
    text += '"' + encode_base64(as_bytes(text_at(array, row))) + '"';
  } else if (format.starts_with("w:")) {
    text += '"' + encode_base64(as_bytes(fixed_bytes_at(schema.format, array, row))) + '"';
  } else if (format == "+l") {
    append_elements(text, schema, array, at<std::int32_t>(array, 1, row),
                    at<std::int32_t>(array, 1, row + 1));
  } else if (format.starts_with("+w:")) {
    std::int64_t width = std::strtoll(schema.format + 3, nullptr, 10);
    append_elements(text, schema, array, (array.offset + row) * width,
                    (array.offset + row + 1) * width);
  } else {
    append_fields(text, schema, array, row);
  }
}

std::optional<double> real_at(const ArrowSchema& schema, const ArrowArray& array,
                              std::int64_t row) {
  if (is_null(array, row)) return std::nullopt;
  const std::string_view format = schema.format;
  if (format == "g") return at<double>(array, 1, row);
  if (format == "f") return static_cast<double>(at<float>(array, 1, row));
  if (format == "L") return static_cast<double>(at<std::uint64_t>(array, 1, row));
  auto integer = integer_at(schema.format, array, row);
  if (!integer) return std::nullopt;
  return static_cast<double>(*integer);
}

Elements elements_of(const ArrowSchema& schema, const ArrowArray& array, std::int64_t row) {
  if (is_null(array, row)) return {};
  auto in_children = [&](std::int64_t begin, std::int64_t end) {
    return Elements{schema.children[0], array.children[0], {}, begin, end - begin};
  };
  auto in_bytes = [](std::string_view bytes) {
    return Elements{nullptr, nullptr, bytes, 0, static_cast<std::int64_t>(bytes.size())};
  };
  const std::string_view format = schema.format;
  if (format == "+l") {
    return in_children(at<std::int32_t>(array, 1, row), at<std::int32_t>(array, 1, row + 1));
  }
  if (format.starts_with("+w:")) {
    std::int64_t width = std::strtoll(schema.format + 3, nullptr, 10);
    return in_children((array.offset + row) * width, (array.offset + row + 1) * width);
  }
  if (format == "z") return in_bytes(text_at(array, row));
  if (format.starts_with("w:")) return in_bytes(fixed_bytes_at(schema.format, array, row));
  return {};
}

void give_element(sqlite3_context* context, const Elements& elements, std::int64_t index) {
  if (elements.schema) {
    return give_value(context, *elements.schema, *elements.array, elements.begin + index);
  }
  auto byte = static_cast<unsigned char>(elements.bytes[static_cast<std::size_t>(index)]);
  sqlite3_result_int64(context, byte);
}

Value value_at(const ArrowSchema& schema, const ArrowArray& array, std::int64_t row,
               std::string& text) {
  if (is_null(array, row)) return {};
  if (schema.dictionary) {
    return value_at(*schema.dictionary, *array.dictionary, at<std::int32_t>(array, 1, row), text);
  }
  const std::string_view format = schema.format;
  if (format == "g") return at<double>(array, 1, row);
  if (format == "f") return static_cast<double>(at<float>(array, 1, row));
  if (auto integer = integer_at(schema.format, array, row)) return *integer;
  if (format == "u") return text_at(array, row);
  if (format == "z") return as_bytes(text_at(array, row));
  if (format.starts_with("w:")) return as_bytes(fixed_bytes_at(schema.format, array, row));
  if (format == "L") {
    auto number = at<std::uint64_t>(array, 1, row);
    // SQLite has no greater integers; a real number loses some digits, a negative one all sense.
    if (std::in_range<std::int64_t>(number)) return static_cast<std::int64_t>(number);
    return static_cast<double>(number);
  }
  text.clear();
  append_json(text, schema, array, row);
  return std::string_view(text);
}

void give_value(sqlite3_context* context, const ArrowSchema& schema, const ArrowArray& array,
                std::int64_t row) {
  std::string text;
  std::visit(Giver{context}, value_at(schema, array, row, text));
}

}  // namespace kitbag::sql
