#include "parquet/schema.h"

#include <fmt/format.h>

#include <limits>
#include <utility>
#include <variant>

#include "kitbag/error.h"

// Every list becomes three nodes, as the format describes it: the list, which may be missing, what
// is repeated, and the element. An array of fixed length is a list too: the format has no other.
//
// A structure without fields cannot be a node without children. It gets a field of its own, so that
// it can still be told from one that is missing, and counted in a list.
//
// A dictionary of Arrow is written as the texts that its indexes stand for. Pages of texts have a
// dictionary of their own, which finds again what is repeated.

namespace kitbag::parquet {

namespace {

using arrow::IpcField;
using arrow::IpcTypeNumber;

bool is_json(const IpcField& field) {
  for (const auto& [key, value] : field.metadata) {
    if (key == "ARROW:extension:name") return value == "arrow.json";
  }
  return false;
}

template <class T>
T parameter(const IpcField& field, std::size_t index) {
  return std::get<T>(field.type.parameters.at(index));
}

class Maker {
 public:
  FileSchema make(const IpcField& root) {
    schema_.elements.push_back(
        {.name = "schema", .children = static_cast<std::int32_t>(root.children.size())});
    for (const IpcField& column : root.children) add(column, column.name, {});
    return std::move(schema_);
  }

 private:
  /// Where a node is.
  struct Place {
    std::vector<std::string> path = {};
    unsigned definition = 0;
    unsigned repetition = 0;
  };

  void add(const IpcField& field, const std::string& name, Place place) {
    auto repetition = field.is_nullable ? Repetition::optional : Repetition::required;
    Element element = node(name, repetition, place);
    if (field.dictionary) {
      if (!is_text(*field.dictionary)) refuse(field);
      return add_leaf(*field.dictionary, std::move(element), std::move(place));
    }
    switch (field.type.number) {
      case IpcTypeNumber::structure:
        return add_structure(field, std::move(element), place);
      case IpcTypeNumber::list:
      case IpcTypeNumber::large_list:
      case IpcTypeNumber::fixed_size_list:
        return add_list(field, std::move(element), place);
      default:
        return add_leaf(field, std::move(element), std::move(place));
    }
  }

  static Element node(std::string name, Repetition repetition, Place& place) {
    place.path.push_back(name);
    if (repetition != Repetition::required) ++place.definition;
    if (repetition == Repetition::repeated) ++place.repetition;
    return {.name = std::move(name), .repetition = repetition};
  }

  void add_structure(const IpcField& field, Element element, const Place& place) {
    bool is_empty = field.children.empty();
    element.children = is_empty ? 1 : static_cast<std::int32_t>(field.children.size());
    schema_.elements.push_back(std::move(element));
    for (const IpcField& child : field.children) add(child, child.name, place);
    if (!is_empty) return;
    Place inside = place;
    Element only = node("empty", Repetition::required, inside);
    only.type = Physical::boolean;
    add_leaf(std::move(only), Order::none, std::move(inside));
  }

  void add_list(const IpcField& field, Element element, Place place) {
    element.meaning = Meaning::list;
    element.children = 1;
    schema_.elements.push_back(std::move(element));
    Element repeated = node("list", Repetition::repeated, place);
    repeated.children = 1;
    schema_.elements.push_back(std::move(repeated));
    add(field.children.front(), "element", std::move(place));
  }

  void add_leaf(const IpcField& field, Element element, Place place) {
    Order order = describe(field, element);
    add_leaf(std::move(element), order, std::move(place));
    schema_.leaves.back().may_have_dictionary = is_text(field);
  }

  void add_leaf(Element element, Order order, Place place) {
    constexpr unsigned kMost = std::numeric_limits<std::uint8_t>::max();
    if (place.definition > kMost) {
      throw Error(ErrorCode::unsupported, fmt::format("the column \"{}\" has more than {} levels",
                                                      place.path.front(), kMost));
    }
    schema_.leaves.push_back({.type = *element.type,
                              .order = order,
                              .most_definition = static_cast<std::uint8_t>(place.definition),
                              .most_repetition = static_cast<std::uint8_t>(place.repetition),
                              .path = std::move(place.path)});
    schema_.elements.push_back(std::move(element));
  }

  static bool is_text(const IpcField& field) {
    return field.type.number == IpcTypeNumber::utf8 ||
           field.type.number == IpcTypeNumber::large_utf8;
  }

  /// Says in `element` how values of `field` are stored.
  static Order describe(const IpcField& field, Element& element) {
    switch (field.type.number) {
      case IpcTypeNumber::boolean:
        element.type = Physical::boolean;
        return Order::is_unsigned;
      case IpcTypeNumber::integer:
        return describe_integer(field, element);
      case IpcTypeNumber::floating_point:
        if (field.type.width < 4) refuse(field);
        element.type = field.type.width == 4 ? Physical::float32 : Physical::float64;
        return Order::real;
      case IpcTypeNumber::utf8:
      case IpcTypeNumber::large_utf8:
        element.type = Physical::bytes;
        element.meaning = is_json(field) ? Meaning::json : Meaning::text;
        return Order::bytes;
      case IpcTypeNumber::binary:
      case IpcTypeNumber::large_binary:
        element.type = Physical::bytes;
        return Order::none;
      case IpcTypeNumber::fixed_size_binary:
        element.width = static_cast<std::int32_t>(field.type.width);
        // For readers, a fixed length of 0 is no length.
        element.type = element.width == 0 ? Physical::bytes : Physical::fixed_bytes;
        return Order::none;
      case IpcTypeNumber::timestamp:
        return describe_time(field, element);
      case IpcTypeNumber::duration:
        element.type = Physical::int64;
        return Order::is_signed;
      default:
        refuse(field);
    }
  }

  static Order describe_integer(const IpcField& field, Element& element) {
    element.bits = static_cast<std::int8_t>(parameter<std::int32_t>(field, 0));
    element.is_signed = parameter<bool>(field, 1);
    element.meaning = Meaning::integer;
    element.type = field.type.width == 8 ? Physical::int64 : Physical::int32;
    return element.is_signed ? Order::is_signed : Order::is_unsigned;
  }

  static Order describe_time(const IpcField& field, Element& element) {
    element.unit = parameter<std::int16_t>(field, 0);
    // Seconds: Parquet begins with milliseconds.
    if (element.unit == 0) refuse(field);
    element.is_in_utc = !field.type.time_zone.empty();
    element.meaning = Meaning::time;
    element.type = Physical::int64;
    return Order::is_signed;
  }

  [[noreturn]] static void refuse(const IpcField& field) {
    throw Error(
        ErrorCode::unsupported,
        fmt::format("the column \"{}\" has a type that is not written as Parquet", field.name));
  }

  FileSchema schema_;
};

}  // namespace

FileSchema make_schema(const arrow::IpcField& root) {
  if (root.type.number != IpcTypeNumber::structure || root.dictionary || root.children.empty()) {
    throw Error(ErrorCode::invalid,
                "a table must be a struct, with a field for each of one or more columns");
  }
  return Maker().make(root);
}

}  // namespace kitbag::parquet
