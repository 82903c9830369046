#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "kitbag/arrow.h"

namespace kitbag::arrow {

/// The number of a type in the union Type of format/Schema.fbs.
enum class IpcTypeNumber : std::uint8_t {
  null = 1,
  integer = 2,
  floating_point = 3,
  binary = 4,
  utf8 = 5,
  boolean = 6,
  decimal = 7,
  date = 8,
  time = 9,
  timestamp = 10,
  interval = 11,
  list = 12,
  structure = 13,
  fixed_size_binary = 15,
  fixed_size_list = 16,
  map = 17,
  duration = 18,
  large_binary = 19,
  large_utf8 = 20,
  large_list = 21,
};

/// Which buffers a column has beside that of its validity.
enum class IpcLayout : std::uint8_t {
  none,         ///< not even a validity: all values are null
  bits,         ///< a bit for each value
  fixed,        ///< IpcType::width bytes for each value
  bytes,        ///< offsets of 32 bits, and bytes
  large_bytes,  ///< offsets of 64 bits, and bytes
  list,         ///< offsets of 32 bits, and a child
  large_list,   ///< offsets of 64 bits, and a child
  fixed_list,   ///< a child with IpcType::width elements for each value
  structure,    ///< children
};

/// A type of values.
struct IpcType {
  IpcTypeNumber number = IpcTypeNumber::structure;
  IpcLayout layout = IpcLayout::structure;
  std::int64_t width = 0;
  /// The fields of the table of that type in Schema.fbs, in its order.
  std::vector<std::variant<bool, std::int16_t, std::int32_t>> parameters = {};
  std::string time_zone = {};  ///< of a timestamp: a field behind `parameters`
};

/// A column, as the metadata of the IPC format describe it.
struct IpcField {
  std::string name;
  bool is_nullable = true;
  std::vector<std::pair<std::string, std::string>> metadata = {};
  IpcType type;
  std::vector<IpcField> children = {};
  /// The values that the column has indexes of; null: it has values itself.
  std::unique_ptr<IpcField> dictionary = nullptr;
  std::int64_t dictionary_id = 0;
  bool is_ordered = false;  ///< the dictionary
};

/// Returns what `schema` describes. Throws Error (invalid, unsupported).
IpcField ipc_field(const ArrowSchema& schema);

}  // namespace kitbag::arrow
