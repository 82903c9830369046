#pragma once

#include <map>
#include <memory>
#include <string>

#include "import/binding.h"
#include "import/cell.h"
#include "kitbag/codec.h"
#include "kitbag/session.h"

namespace kitbag {

/// Passes rows of a table to a visitor, as values of a type. One thread.
class RowEncoder {
 public:
  /// `root` must outlive this, and counts what is missing. `type` is the one that it was bound to.
  /// `is_empty_missing` and `time_unit_ns` are those of TableFile and ImportRequest.
  RowEncoder(FieldSource& root, TypePtr type, bool is_empty_missing, std::int64_t time_unit_ns,
             PlaceOfRow place_of_row, const Session& session);

  /// Passes the next row to `visitor`. `row` is a structure with the columns that were bound.
  /// Throws Error (invalid), which names the column, for a value that its field cannot have.
  void write(const Cell& row, Visitor& visitor);

 private:
  void put(FieldSource& source, const Cell& parent, Visitor& visitor);
  void put_parts(FieldSource& source, const Cell& row, Visitor& visitor);
  void put_value(FieldSource& source, const Cell& cell, Visitor& visitor);
  void put_missing(FieldSource& source, Visitor& visitor);
  void put_scalar(const FieldSource& source, const Cell& cell, Visitor& visitor);
  void put_integer(const FieldSource& source, const Cell& cell, Visitor& visitor) const;
  void put_real(const FieldSource& source, const Cell& cell, Visitor& visitor) const;
  void put_text(const FieldSource& source, const Cell& cell, Visitor& visitor) const;
  void put_any(const FieldSource& source, const Cell& cell, Visitor& visitor);
  void put_list(FieldSource& source, const Cell& cell, Visitor& visitor);
  void put_structure(FieldSource& source, const Cell& cell, Visitor& visitor);
  void put_union(FieldSource& source, const Cell& cell, Visitor& visitor);
  void put_time(FieldSource& source, const Cell& cell, Visitor& visitor) const;
  void put_json(const FieldSource& source, const Cell& cell, Visitor& visitor);
  bool is_missing(const FieldSource& source, const Cell& parent) const;

  FieldSource& root_;
  TypePtr type_;
  bool is_empty_missing_;
  std::int64_t time_unit_ns_;
  PlaceOfRow place_of_row_;
  std::uint64_t row_ = 0;  ///< of the table
  const Codec* json_;
  std::map<const Type*, std::unique_ptr<Decoder>> decoders_;  ///< of JSON
};

}  // namespace kitbag
