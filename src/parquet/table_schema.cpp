#include "parquet/table_schema.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "kitbag/error.h"
#include "parquet/page_bytes.h"

// A list is a group with LIST beside it, whose only child repeats. The child is the element itself
// in old files, and a group around the element in newer ones; the rules by which they are told
// apart are in LogicalTypes.md of the format, under "Backward-compatibility rules". A child that
// repeats without a LIST around it is a list too, which is never null.
//
// A map is a list of its pairs.
//
// Decimals become doubles, as no message has decimals. Dates and times of the day are the integers
// that Arrow has for them.

namespace kitbag::parquet {

namespace {

using arrow::ColumnType;
using arrow::Layout;
using arrow::Number;

constexpr std::size_t kMostTableDepth = 64;
constexpr std::size_t kMostFixedBytes = 1 << 20;
constexpr std::size_t kMostLeaves = 100'000;

/// The levels around a node.
struct Around {
  std::uint8_t definition = 0;
  std::uint8_t repetition = 0;
  std::size_t depth = 0;
};

/// A node with the type of its column.
struct Made {
  ColumnType type;
  TableNode node;
};

class TableMaker {
 public:
  explicit TableMaker(const std::vector<StoredElement>& elements) : elements_(elements) {}

  TableSchema make() {
    if (elements_.empty()) fail_corrupt("the schema has no root");
    const StoredElement& root = next();
    if (root.type) fail_corrupt("the root of the schema is a value");
    if (root.children == 0) {
      throw Error(ErrorCode::unsupported, "the file has no columns");
    }
    Made made = structure(root, {});
    made.type.is_nullable = false;
    made.node.is_optional = false;
    if (at_ != elements_.size()) fail_corrupt("the schema has elements after its end");
    return {std::move(made.type), std::move(made.node), std::move(leaves_)};
  }

 private:
  const StoredElement& next() {
    if (at_ == elements_.size()) fail_corrupt("the schema lacks children of an element");
    return elements_[at_++];
  }
  const StoredElement& peek() const {
    if (at_ == elements_.size()) fail_corrupt("the schema lacks children of an element");
    return elements_[at_];
  }

  /// One level deeper, by what `element` says of itself.
  static Around inside(const StoredElement& element, Around around) {
    constexpr auto kMost = std::numeric_limits<std::uint8_t>::max();
    if (++around.depth > kMostTableDepth) {
      throw Error(ErrorCode::limit, fmt::format("the column \"{}\" has more than {} levels",
                                                element.name, kMostTableDepth));
    }
    static_assert(kMost > 2 * kMostTableDepth);
    if (element.repetition != 0) ++around.definition;
    if (element.repetition == 2) ++around.repetition;
    return around;
  }

  /// A node as its parent has it: a list, if it repeats.
  Made field(Around around) {
    const StoredElement& element = next();
    if (element.repetition != 2) return value(element, inside(element, around));
    return repeated(element, around);
  }

  /// A list that is never null, of elements that are none.
  Made repeated(const StoredElement& element, Around around) {
    std::size_t first = leaves_.size();
    Around within = inside(element, around);
    Made one = value(element, within);
    one.node.is_optional = false;
    one.type.is_nullable = false;
    return list(element.name, false, first, around, within, std::move(one));
  }

  Made value(const StoredElement& element, Around around) {
    if (element.type) return leaf(element, around);
    if (element.children == 0) fail_corrupt(fmt::format("the group \"{}\" is empty", element.name));
    if (element.logical == Logical::list && element.children == 1 && peek().repetition == 2) {
      return annotated_list(element, around);
    }
    if (element.logical == Logical::map && element.children == 1 && peek().repetition == 2) {
      return map(element, around);
    }
    return structure(element, around);
  }

  Made structure(const StoredElement& element, Around around) {
    Made made;
    made.node.kind = TableNode::Kind::structure;
    made.node.is_optional = element.repetition == 1;
    made.node.definition = around.definition;
    made.node.first_leaf = leaves_.size();
    made.type = {element.name, "+s", Layout::structure};
    made.type.is_nullable = made.node.is_optional;
    for (std::int32_t i = 0; i < element.children; ++i) {
      Made child = field(around);
      made.node.null_bytes += child.node.null_bytes;
      made.type.children.push_back(std::move(child.type));
      made.node.children.push_back(std::move(child.node));
    }
    made.node.end_leaf = leaves_.size();
    return made;
  }

  Made annotated_list(const StoredElement& element, Around around) {
    std::size_t first = leaves_.size();
    const StoredElement& middle = next();
    Around within = inside(middle, around);
    // A value, a group of several fields, names that old writers gave to elements, and a group
    // around something that repeats: each of these is the element itself.
    bool is_element = middle.type || middle.children != 1 || middle.name == "array" ||
                      middle.name == element.name + "_tuple" || peek().repetition == 2;
    Made one = is_element ? value(middle, within) : field(within);
    if (is_element) {
      one.node.is_optional = false;
      one.type.is_nullable = false;
    }
    return list(element.name, element.repetition == 1, first, around, within, std::move(one));
  }

  Made map(const StoredElement& element, Around around) {
    std::size_t first = leaves_.size();
    const StoredElement& pair = next();
    Around within = inside(pair, around);
    Made one = value(pair, within);
    one.node.is_optional = false;
    one.type.is_nullable = false;
    return list(element.name, element.repetition == 1, first, around, within, std::move(one));
  }

  Made list(const std::string& name, bool is_optional, std::size_t first, Around around,
            Around within, Made one) const {
    Made made;
    made.node.kind = TableNode::Kind::list;
    made.node.is_optional = is_optional;
    made.node.definition = around.definition;
    made.node.repeated_definition = within.definition;
    made.node.repetition = within.repetition;
    made.node.first_leaf = first;
    made.node.end_leaf = leaves_.size();
    made.node.null_bytes = sizeof(std::int32_t);
    bool is_nullable = one.type.is_nullable;
    made.type = arrow::list_type(std::move(one.type), name);
    made.type.is_nullable = is_optional;
    made.type.children.front().is_nullable = is_nullable;
    made.node.children.push_back(std::move(one.node));
    return made;
  }

  Made leaf(const StoredElement& element, Around around) {
    if (element.children != 0)
      fail_corrupt(fmt::format("the value \"{}\" has children", element.name));
    if (leaves_.size() == kMostLeaves) {
      throw Error(ErrorCode::limit, fmt::format("the file has more than {} columns", kMostLeaves));
    }
    Made made;
    made.node.is_optional = element.repetition == 1;
    made.node.definition = around.definition;
    made.node.first_leaf = leaves_.size();
    made.type = column_type(element, made.node);
    made.type.is_nullable = made.node.is_optional;
    // A null takes the room of a value, or an offset: the budget of a batch is charged with it.
    made.node.null_bytes = made.type.width + sizeof(std::int32_t);
    Stored stored{*element.type, static_cast<std::size_t>(std::max(element.width, 0))};
    if (stored.type == StoredType::fixed_bytes && stored.width == 0) {
      fail_corrupt(fmt::format("the column \"{}\" has values of no length", element.name));
    }
    if (stored.width > kMostFixedBytes) {
      throw Error(ErrorCode::limit, fmt::format("the column \"{}\" has values of {} bytes each",
                                                element.name, stored.width));
    }
    leaves_.push_back({stored, around.definition, around.repetition});
    made.node.end_leaf = leaves_.size();
    return made;
  }

  static ColumnType number(const StoredElement& element, const char* format, Number kind,
                           std::uint32_t width) {
    return {element.name, format, Layout::fixed, kind, width};
  }

  static ColumnType column_type(const StoredElement& element, TableNode& node) {
    switch (*element.type) {
      case StoredType::boolean:
        return {element.name, "b", Layout::bits};
      case StoredType::int32:
      case StoredType::int64:
        return integer_type(element, node);
      case StoredType::int96:
        node.conversion = Conversion::int96_time;
        return arrow::time_type(element.name);
      case StoredType::float32:
        return number(element, "f", Number::real, sizeof(float));
      case StoredType::float64:
        return number(element, "g", Number::real, sizeof(double));
      case StoredType::bytes:
        return bytes_type(element, node);
      case StoredType::fixed_bytes:
        return fixed_type(element, node);
    }
    fail_corrupt("a column of a type that Parquet does not have");
  }

  static ColumnType decimal_type(const StoredElement& element, Conversion conversion,
                                 TableNode& node) {
    constexpr std::int32_t kMostScale = 300;
    if (element.scale < -kMostScale || element.scale > kMostScale) {
      fail_corrupt(
          fmt::format("the decimals of the column \"{}\" have too many digits", element.name));
    }
    node.conversion = conversion;
    node.scale = std::pow(10.0, element.scale);
    return number(element, "g", Number::real, sizeof(double));
  }

  static ColumnType integer_type(const StoredElement& element, TableNode& node) {
    bool is_wide = element.type == StoredType::int64;
    auto width = static_cast<std::uint32_t>(is_wide ? sizeof(std::int64_t) : sizeof(std::int32_t));
    // A meaning that does not go with the width is not believed: the column is of integers then.
    bool has_unit = element.unit >= 1 && element.unit <= 3;
    switch (element.logical) {
      case Logical::decimal:
        return decimal_type(element, Conversion::integer_decimal, node);
      case Logical::date:
        if (is_wide) break;
        return number(element, "tdD", Number::integer, width);
      case Logical::time_of_day:
        if (!has_unit || is_wide != (element.unit > 1)) break;
        return number(element,
                      element.unit == 1   ? "ttm"
                      : element.unit == 2 ? "ttu"
                                          : "ttn",
                      Number::integer, width);
      case Logical::timestamp: {
        if (!has_unit || !is_wide) break;
        ColumnType type = arrow::time_type(element.name);
        type.format = fmt::format("ts{}:{}", "smun"[element.unit], element.is_in_utc ? "UTC" : "");
        return type;
      }
      case Logical::integer:
        return sized_integer(element, width, node);
      default:
        break;
    }
    return number(element, is_wide ? "l" : "i", Number::integer, width);
  }

  static ColumnType sized_integer(const StoredElement& element, std::uint32_t width,
                                  TableNode& node) {
    auto number_of = [&](const char* as_signed, const char* as_unsigned, std::uint32_t bytes) {
      if (bytes < width) node.conversion = Conversion::narrow;
      return number(element, element.is_signed ? as_signed : as_unsigned,
                    element.is_signed ? Number::integer : Number::unsigned_integer, bytes);
    };
    if (element.bits == 8) return number_of("c", "C", 1);
    if (element.bits == 16) return number_of("s", "S", 2);
    if (width == sizeof(std::int64_t)) return number_of("l", "L", width);
    return number_of("i", "I", width);
  }

  static ColumnType bytes_type(const StoredElement& element, TableNode& node) {
    switch (element.logical) {
      case Logical::text:
        node.conversion = Conversion::text;
        return arrow::text_type(element.name);
      case Logical::json:
        node.conversion = Conversion::text;
        return arrow::json_type(element.name);
      case Logical::decimal:
        return decimal_type(element, Conversion::bytes_decimal, node);
      default:
        node.conversion = Conversion::bytes;
        return {element.name, "z", Layout::binary};
    }
  }

  static ColumnType fixed_type(const StoredElement& element, TableNode& node) {
    if (element.logical == Logical::decimal) {
      return decimal_type(element, Conversion::bytes_decimal, node);
    }
    if (element.logical == Logical::float16 && element.width == 2) {
      node.conversion = Conversion::half;
      return number(element, "f", Number::real, sizeof(float));
    }
    node.conversion = Conversion::fixed_bytes;
    auto width = static_cast<std::uint32_t>(std::max(element.width, 0));
    return {element.name, fmt::format("w:{}", width), Layout::fixed_binary, Number::none, width};
  }

  const std::vector<StoredElement>& elements_;
  std::size_t at_ = 0;
  std::vector<StoredLeaf> leaves_;
};

}  // namespace

TableSchema make_table_schema(const std::vector<StoredElement>& elements) {
  return TableMaker(elements).make();
}

}  // namespace kitbag::parquet
