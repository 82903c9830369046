#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "arrow/ipc_field.h"
#include "import/cell_numbers.h"
#include "kitbag/type.h"

namespace kitbag {

/// Where the value of a field comes from.
struct FieldSource {
  enum class From : std::uint8_t {
    nowhere,  ///< there is no column
    column,   ///< a column: of the table, or of the structure around it
    parts,    ///< columns of the table for its fields or elements
  };

  From from = From::nowhere;
  const Type* type = nullptr;
  const Field* field = nullptr;         ///< for its default; null: a zero
  std::size_t column = 0;               ///< of From::column
  std::string path;                     ///< "pose.position.x", for people
  std::vector<FieldSource> children{};  ///< of a structure its fields, of a list its element(s)
  std::uint64_t missing = 0;            ///< values that were missing so far
  UnitOfColumn unit{};                  ///< of times and durations
};

/// The columns of a table that are the row itself and no fields.
struct RowColumns {
  std::size_t time = SIZE_MAX;
  std::size_t publish_time = SIZE_MAX;  ///< SIZE_MAX: there is none
  std::size_t topic = SIZE_MAX;
};

/// Which columns become which fields.
struct Binding {
  RowColumns row;
  FieldSource root;
  std::vector<std::string> unfit;   ///< columns that fit no field, each with what is wrong
  std::vector<std::string> unused;  ///< columns that are known to be none
  std::vector<std::string> absent;  ///< fields without a column
};

/// Matches the columns of `table` with the fields of `type`. `time_column` is empty for the usual
/// names. Throws Error: not_found without a column of times; invalid for a column whose type its
/// field cannot have, or a field that two columns have.
Binding bind_columns(const arrow::IpcField& table, const Type& type,
                     const std::string& time_column);

}  // namespace kitbag
