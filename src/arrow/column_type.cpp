#include "arrow/column_type.h"

#include <fmt/format.h>

#include <algorithm>

// A null in a fixed-size list takes the room of a value, and lists in lists multiply: an array of
// 64 arrays of 64 is 4096 numbers in each row, whether it is there or not. So the limit is for the
// product, and from there on arrays are lists, whose nulls take nothing.
//
// A type that contains itself would have endless columns. Where it comes again within itself, the
// value is one column of JSON.

namespace kitbag::arrow {

namespace {

/// A null takes as much room as any other value of a fixed-size list, so longer arrays are lists.
constexpr std::uint64_t kMostFixedElements = 4096;

ColumnType number_type(std::string name, Kind kind) {
  auto fixed = [&](const char* format, Number number) {
    auto width = static_cast<std::uint32_t>(scalar_bytes(kind));
    return ColumnType{std::move(name), format, Layout::fixed, number, width};
  };
  switch (kind) {
    case Kind::int8:
      return fixed("c", Number::integer);
    case Kind::int16:
      return fixed("s", Number::integer);
    case Kind::int32:
      return fixed("i", Number::integer);
    case Kind::int64:
      return fixed("l", Number::integer);
    case Kind::uint16:
    case Kind::wide_char:
      return fixed("S", Number::unsigned_integer);
    case Kind::uint32:
      return fixed("I", Number::unsigned_integer);
    case Kind::uint64:
      return fixed("L", Number::unsigned_integer);
    case Kind::float32:
      return fixed("f", Number::real);
    case Kind::float64:
      return fixed("g", Number::real);
    default:
      return fixed("C", Number::unsigned_integer);
  }
}

/// The names of values, as "0=IDLE,1=MOVING".
std::string enumerators_of(const Type& type) {
  std::string all;
  for (const Enumerator& each : type.enumerators) {
    if (!all.empty()) all += ',';
    all += fmt::format("{}={}", each.value, each.name);
  }
  return all;
}

bool is_two_integers(const Type& type) {
  return type.fields.size() == 2 &&
         std::all_of(type.fields.begin(), type.fields.end(), [](const Field& field) {
           return is_integer(field.type->kind) && !field.is_optional;
         });
}

class Shaper {
 public:
  /// `slots`: how many values of this type a null of the nearest list, or of the row, takes up.
  ColumnType shape(const Type& type, std::string name, std::uint64_t slots) {
    switch (type.kind) {
      case Kind::boolean:
        return {std::move(name), "b", Layout::bits};
      case Kind::text:
      case Kind::wide_text:
        return text_type(std::move(name));
      case Kind::enumeration: {
        ColumnType column = number_type(std::move(name), type.base);
        column.metadata = {{"kitbag.enumerators", enumerators_of(type)}};
        return column;
      }
      case Kind::structure:
      case Kind::tagged_union:
        return structure(type, std::move(name), slots);
      case Kind::array:
      case Kind::sequence:
        return list(type, std::move(name), slots);
      case Kind::any:
        return json_type(std::move(name));
      default:
        return number_type(std::move(name), type.kind);
    }
  }

 private:
  ColumnType structure(const Type& type, std::string name, std::uint64_t slots) {
    if (type.role != Role::none && is_two_integers(type)) {
      bool is_time = type.role == Role::time;
      return {std::move(name), is_time ? "tsn:" : "tDn", Layout::fixed,
              is_time ? Number::time : Number::duration, sizeof(std::int64_t)};
    }
    if (std::find(open_.begin(), open_.end(), &type) != open_.end()) {
      return json_type(std::move(name));
    }
    open_.push_back(&type);
    ColumnType column{std::move(name), "+s", Layout::structure};
    for (const Field& field : type.fields) {
      column.children.push_back(shape(*field.type, field.name, slots));
    }
    open_.pop_back();
    return column;
  }

  ColumnType list(const Type& type, std::string name, std::uint64_t slots) {
    const Type& element = *type.element;
    bool is_bytes = is_byte(element.kind);
    slots = type.length > 0 && slots <= kMostFixedElements / type.length ? slots * type.length
                                                                         : kMostFixedElements + 1;
    if (type.kind == Kind::array && slots <= kMostFixedElements) {
      auto length = static_cast<std::uint32_t>(type.length);
      ColumnType column{std::move(name), "", Layout::fixed_binary, Number::none, length};
      column.format = fmt::format("{}:{}", is_bytes ? "w" : "+w", length);
      if (is_bytes) return column;
      column.layout = Layout::fixed_list;
      column.children.push_back(shape(element, "item", slots));
      return column;
    }
    if (is_bytes) return {std::move(name), "z", Layout::binary};
    return list_type(shape(element, "item", 1), std::move(name));
  }

  std::vector<const Type*> open_;  ///< the structures around
};

}  // namespace

ColumnType column_type(const Type& type, std::string name) {
  return Shaper().shape(type, std::move(name), 1);
}

bool is_stored_alike(const Type& type, const ColumnType& column) {
  if (type.kind == Kind::boolean) return column.layout == Layout::bits;
  if (is_text(type.kind)) return type.kind == Kind::text && column.layout == Layout::text;
  if (!is_scalar(type.kind) || column.layout != Layout::fixed) return false;
  return number_type({}, type.kind == Kind::enumeration ? type.base : type.kind).format ==
         column.format;
}

ColumnType json_type(std::string name) {
  ColumnType column{std::move(name), "u", Layout::json};
  // The canonical extension type, by which consumers know that the text is JSON.
  column.metadata = {{"ARROW:extension:name", "arrow.json"}, {"ARROW:extension:metadata", ""}};
  return column;
}

ColumnType text_type(std::string name) {
  return {std::move(name), "u", Layout::text};
}

ColumnType time_type(std::string name) {
  return {std::move(name), "tsn:", Layout::fixed, Number::time, sizeof(std::int64_t)};
}

ColumnType dictionary_type(std::string name) {
  return {std::move(name), "i", Layout::dictionary, Number::none, sizeof(std::int32_t)};
}

ColumnType list_type(ColumnType element, std::string name) {
  element.name = "item";
  ColumnType list{std::move(name), "+l", Layout::list};
  list.children.push_back(std::move(element));
  return list;
}

}  // namespace kitbag::arrow
