#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "kitbag/type.h"

namespace kitbag::arrow {

/// How a column stores its values.
enum class Layout : std::uint8_t {
  bits,          ///< a bit for each value: booleans
  fixed,         ///< ColumnType::width bytes for each value
  text,          ///< offsets, and UTF-8
  json,          ///< the same; the text is a value of any type, as JSON
  binary,        ///< offsets, and bytes
  fixed_binary,  ///< ColumnType::width bytes, which are no number
  list,          ///< offsets, and a column of elements
  fixed_list,    ///< ColumnType::width elements for each value
  structure,     ///< a column for each field
  dictionary,    ///< indexes of texts, four bytes each
};

/// Returns whether a column has a buffer of offsets, and one of values.
constexpr bool has_offsets(Layout layout) {
  return layout == Layout::text || layout == Layout::json || layout == Layout::binary ||
         layout == Layout::list;
}
constexpr bool has_values(Layout layout) {
  return layout != Layout::list && layout != Layout::fixed_list && layout != Layout::structure;
}

/// What the bytes of a value of Layout::fixed mean.
enum class Number : std::uint8_t { none, integer, unsigned_integer, real, time, duration };

/// The name and type of a column.
struct ColumnType {
  std::string name;
  std::string format;  ///< as in ArrowSchema
  Layout layout = Layout::structure;
  Number number = Number::none;
  std::uint32_t width = 0;
  bool is_nullable = true;
  std::vector<std::pair<std::string, std::string>> metadata = {};
  std::vector<ColumnType> children = {};

  bool operator==(const ColumnType&) const = default;
};

/// Returns the type of a column for values of `type`:
///
///   boolean, integers, reals   as they are; octet and character as uint8, wide_char as uint16
///   enumeration                its integer, with the metadata "kitbag.enumerators"
///   text, wide_text            utf8
///   time, duration             timestamp[ns] without a time zone (it is UTC), duration[ns]
///   array, sequence            fixed-size list (up to some length), list; of bytes binary
///   structure, tagged_union    struct; of a union, all branches but the selected one are null
///   any, and a type in itself  utf8, as JSON, with Arrow's name for that type in the metadata
ColumnType column_type(const Type& type, std::string name);

/// Returns whether values of `type`, which is a scalar or a text, have the same bytes in the column
/// as in an encoding by position.
bool is_stored_alike(const Type& type, const ColumnType& column);

ColumnType json_type(std::string name);
ColumnType text_type(std::string name);
ColumnType time_type(std::string name);
/// Texts of which there are few, such as topics.
ColumnType dictionary_type(std::string name);
ColumnType list_type(ColumnType element, std::string name);

}  // namespace kitbag::arrow
