#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "arrow/ipc_field.h"

namespace kitbag::parquet {

/// How values are stored: the enumeration Type of parquet.thrift.
enum class Physical : std::uint8_t {
  boolean = 0,
  int32 = 1,
  int64 = 2,
  float32 = 4,
  float64 = 5,
  bytes = 6,
  fixed_bytes = 7,
};

/// What values mean beside that: a LogicalType of parquet.thrift.
enum class Meaning : std::uint8_t { none, text, json, list, integer, time };

enum class Repetition : std::uint8_t { required = 0, optional = 1, repeated = 2 };

/// How the smallest and the largest value are found.
enum class Order : std::uint8_t { none, is_signed, is_unsigned, real, bytes };

/// A node of the schema, as a SchemaElement of parquet.thrift describes it.
struct Element {
  std::string name;
  Repetition repetition = Repetition::required;
  std::optional<Physical> type = {};  ///< nothing: it has children, which follow
  std::int32_t width = 0;             ///< of fixed_bytes
  std::int32_t children = 0;
  Meaning meaning = Meaning::none;
  std::int8_t bits = 0;    ///< of an integer
  bool is_signed = true;   ///< an integer
  std::int32_t unit = 0;   ///< of a time: 1 milliseconds, 2 microseconds, 3 nanoseconds
  bool is_in_utc = false;  ///< a time
};

/// A node that has values.
struct Leaf {
  Physical type = Physical::boolean;
  Order order = Order::none;
  std::uint8_t most_definition = 0;  ///< how many nodes above and with it may be missing
  std::uint8_t most_repetition = 0;  ///< how many lists it is in
  std::vector<std::string> path;
  bool may_have_dictionary = false;
};

/// What is in a Parquet file.
struct FileSchema {
  std::vector<Element> elements;  ///< the root first, each in front of its children
  std::vector<Leaf> leaves;       ///< in the same order
};

/// Returns the schema for a table whose columns are the fields of `root`. Throws Error
/// (unsupported) for a type that is not written.
FileSchema make_schema(const arrow::IpcField& root);

}  // namespace kitbag::parquet
