#include "storage/sqlite3/full_row.h"

#include "kitbag/error.h"

namespace kitbag::sqlite3 {

FullRow::FullRow(const PageFile& file, const Row& row, const RowLayout& layout,
                 TextEncoding encoding, Buffer& record, Buffer& scratch)
    : row_id_(row.id), record_(row.local), layout_(&layout), encoding_(encoding) {
  if (row.overflow != 0) {
    if (row.size > file.stored_bytes()) {
      throw file.error(ErrorCode::corrupt, row.page, "a row is larger than the file");
    }
    record.resize(static_cast<std::size_t>(row.size));
    read_payload(file, row, 0, record.span(), scratch);
    record_ = record.view();
  }
  if (!parse_record(record_, row.size, columns_)) {
    throw file.error(ErrorCode::corrupt, row.page, "a row is damaged");
  }
}

/// Null: the record ends before it.
const Column* FullRow::find(std::size_t column) const {
  auto place = layout_->place_of(column);
  return place && *place < columns_.size() ? &columns_[*place] : nullptr;
}

/// A column that is INTEGER PRIMARY KEY is NULL in the record.
std::int64_t FullRow::id() const {
  const Column* found = find(0);
  return found && found->kind == Column::Kind::integer ? found->integer : row_id_;
}

std::int64_t FullRow::integer(std::size_t column) const {
  const Column* found = find(column);
  return found ? found->integer : layout_->default_of(column).integer.value_or(0);
}

ByteView FullRow::stored_text(std::size_t column) const {
  const Column* found = find(column);
  if (!found || (found->kind != Column::Kind::text && found->kind != Column::Kind::blob)) return {};
  return record_.subspan(static_cast<std::size_t>(found->offset),
                         static_cast<std::size_t>(found->size));
}

std::string FullRow::text(std::size_t column) const {
  const Column* found = find(column);
  if (!found) return layout_->default_of(column).text;
  // A blob has no encoding; what stands there in its place is taken as UTF-8.
  bool is_text = found->kind == Column::Kind::text;
  return decode_text(stored_text(column), is_text ? encoding_ : TextEncoding::utf8);
}

bool FullRow::is_null(std::size_t column) const {
  const Column* found = find(column);
  return found ? found->kind == Column::Kind::null : layout_->default_of(column).text.empty();
}

}  // namespace kitbag::sqlite3
