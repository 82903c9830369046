#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "arrow/column.h"
#include "base/lines.h"
#include "base/utf8.h"
#include "kitbag/csv.h"
#include "kitbag/error.h"

// The file is read piece by piece, and a row at a time is held beside the batch. A row whose quote
// does not end would be the rest of the file; so a row has a limit.
//
// A quote is one only at the beginning of a value. What stands behind the closing one is an error,
// since a guess would shift values into other columns. All values are texts here; the fields that
// they are for know better which of them are numbers.
//
// Lines are counted for the rows of a batch, because quoted values have line breaks and blank lines
// are left out: an error names the line that an editor shows.

namespace kitbag {

namespace {

constexpr std::size_t kPieceBytes = 256 << 10;
constexpr std::size_t kMostRowBytes = 64 << 20;
constexpr std::size_t kMostCsvColumns = 1 << 16;
constexpr std::size_t kIdleTextBytes = 16 << 20;
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

/// The bytes of a file, one by one.
class Pieces {
 public:
  explicit Pieces(std::shared_ptr<const ReadFile> file) : file_(std::move(file)) {
    piece_.resize(kPieceBytes);
    // A pipe may give its first bytes one by one.
    while (size_ < kByteOrderMark.size()) {
      std::size_t read = file_->read(size_, std::span(piece_).subspan(size_));
      if (read == 0) break;
      size_ += read;
    }
    offset_ = size_;
  }

  /// Returns whether there is a byte.
  bool has_more() {
    if (at_ < size_) return true;
    if (is_at_end_) return false;
    size_ = file_->read(offset_, piece_);
    offset_ += size_;
    at_ = 0;
    is_at_end_ = size_ == 0;
    return size_ > 0;
  }
  char peek() const { return static_cast<char>(piece_[at_]); }
  void skip(std::size_t count = 1) { at_ += count; }
  /// What is at hand.
  std::string_view at_hand() const {
    return {reinterpret_cast<const char*>(piece_.data()) + at_, size_ - at_};
  }

 private:
  std::shared_ptr<const ReadFile> file_;
  std::vector<std::byte> piece_;
  std::uint64_t offset_ = 0;
  std::size_t at_ = 0;
  std::size_t size_ = 0;
  bool is_at_end_ = false;
};

/// The values of a row, one behind the other.
struct CsvRow {
  std::string text;
  std::vector<std::size_t> ends;  ///< of each value in `text`

  std::string_view value(std::size_t index) const {
    std::size_t begin = index == 0 ? 0 : ends[index - 1];
    return std::string_view(text).substr(begin, ends[index] - begin);
  }
};

class CsvFile final : public CsvReader {
 public:
  CsvFile(std::shared_ptr<const ReadFile> file, std::string name, const CsvOptions& options)
      : pieces_(std::move(file)), name_(std::move(name)), options_(options) {
    if (std::string_view("\"\r\n").find(options.delimiter) != std::string_view::npos ||
        options.batch_rows == 0) {
      throw Error(ErrorCode::invalid, "a quote or a line break cannot be the delimiter of CSV");
    }
    read_names();
    pool_ = std::make_shared<arrow::MemoryPool>(kIdleTextBytes);
    table_ = std::make_unique<arrow::Column>(type_, pool_, replaced_bytes_);
  }

  void schema(ArrowSchema* out) const override { arrow::export_schema(type_, out); }

  bool next(ArrowArray* out, const Wait& wait) override {
    out->release = nullptr;
    throw_if_stopped(wait);
    first_row_ += lines_.size();
    lines_.clear();
    std::uint64_t bytes = 0;
    while (lines_.size() < options_.batch_rows && bytes < options_.batch_bytes) {
      constexpr std::uint64_t kRowsBetweenStops = 256;
      if (lines_.size() % kRowsBetweenStops == 0) throw_if_stopped(wait);
      if (!read_row()) break;
      add_row();
      // As the batch holds them: texts, and an offset for each.
      bytes += row_.text.size() + row_.ends.size() * sizeof(std::int32_t);
    }
    if (lines_.empty()) return false;
    table_->move_to(out);
    return true;
  }

  std::uint64_t line_of(std::uint64_t row) const override {
    return lines_.at(static_cast<std::size_t>(row - first_row_));
  }

 private:
  [[noreturn]] void fail(ErrorCode code, std::uint64_t line, const std::string& what) const {
    throw Error(code, fmt::format("line {}: {}", line, what), name_);
  }

  void read_names() {
    if (pieces_.has_more() && pieces_.at_hand().starts_with(kByteOrderMark)) {
      pieces_.skip(kByteOrderMark.size());
    }
    type_.format = "+s";
    type_.is_nullable = false;
    if (!read_row()) {
      throw Error(ErrorCode::corrupt,
                  "is empty; the first line of CSV has the names of the columns", name_);
    }
    if (row_.ends.size() > kMostCsvColumns) {
      fail(ErrorCode::limit, 1, fmt::format("more than {} columns", kMostCsvColumns));
    }
    std::set<std::string_view> known;
    for (std::size_t i = 0; i < row_.ends.size(); ++i) {
      std::string_view column = row_.value(i);
      if (!is_utf8(column)) fail(ErrorCode::corrupt, row_line_, "the text is not UTF-8");
      if (!known.insert(column).second) {
        fail(ErrorCode::corrupt, row_line_,
             fmt::format("two columns have the name \"{}\"", printable(column)));
      }
      type_.children.push_back(arrow::text_type(std::string(column)));
      type_.children.back().is_nullable = false;
    }
  }

  void add_row() {
    std::size_t columns = type_.children.size();
    if (row_.ends.size() != columns) {
      fail(ErrorCode::corrupt, row_line_,
           fmt::format("{} values, and the first line has {} names", row_.ends.size(), columns));
    }
    if (!is_utf8(row_.text)) fail(ErrorCode::corrupt, row_line_, "the text is not UTF-8");
    for (std::size_t i = 0; i < columns; ++i) table_->children()[i].add_text(row_.value(i));
    table_->add_parent();
    lines_.push_back(row_line_);
  }

  /// Reads the next row that is not a blank line. False: there is none.
  bool read_row() {
    do {
      row_.text.clear();
      row_.ends.clear();
      row_line_ = line_;
      if (!pieces_.has_more()) return false;
      read_values();
      // A blank line; in a table of one column it is a row.
    } while (type_.children.size() != 1 && row_.ends.size() == 1 && row_.text.empty() &&
             !was_quoted_);
    return true;
  }

  void read_values() {
    was_quoted_ = false;
    for (;;) {
      if (pieces_.has_more() && pieces_.peek() == '"') {
        read_quoted();
      } else {
        read_plain();
      }
      row_.ends.push_back(row_.text.size());
      if (row_.ends.size() > kMostCsvColumns) {
        fail(ErrorCode::limit, row_line_, fmt::format("more than {} values", kMostCsvColumns));
      }
      if (!pieces_.has_more()) return;
      char c = pieces_.peek();
      pieces_.skip();
      if (c == options_.delimiter) continue;
      if (c == '\r') {  // before a line break
        if (pieces_.has_more()) pieces_.skip();
      }
      ++line_;
      return;
    }
  }

  void append(std::string_view text) {
    if (text.size() > kMostRowBytes - row_.text.size()) {
      fail(ErrorCode::limit, row_line_,
           fmt::format("a row of more than {} MiB; is a quote missing?", kMostRowBytes >> 20));
    }
    row_.text += text;
  }

  /// Up to a delimiter or the end of a line, which is "\n" or "\r\n"; a "\r" alone is a character.
  void read_plain() {
    while (pieces_.has_more()) {
      std::string_view rest = pieces_.at_hand();
      std::size_t end = 0;
      while (end < rest.size() && rest[end] != options_.delimiter && rest[end] != '\n' &&
             rest[end] != '\r') {
        ++end;
      }
      append(rest.substr(0, end));
      pieces_.skip(end);
      if (end == rest.size()) continue;
      if (rest[end] != '\r') return;
      if (is_line_end()) return;
    }
  }

  /// At a "\r": whether the line ends here. Else it becomes a part of the value.
  bool is_line_end() {
    if (pieces_.at_hand().size() > 1) {
      if (pieces_.at_hand()[1] == '\n') return true;
      append("\r");
      pieces_.skip();
      return false;
    }
    pieces_.skip();
    if (!pieces_.has_more() || pieces_.peek() == '\n') return true;  // the "\n" is skipped alone
    append("\r");
    return false;
  }

  void read_quoted() {
    was_quoted_ = true;
    std::uint64_t begin = line_;
    pieces_.skip();
    for (;;) {
      if (!pieces_.has_more()) {
        fail(ErrorCode::truncated, begin, "the quoted value that begins here does not end");
      }
      std::string_view rest = pieces_.at_hand();
      std::size_t end = std::min(rest.find('"'), rest.size());
      line_ += static_cast<std::uint64_t>(
          std::count(rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
      append(rest.substr(0, end));
      pieces_.skip(end);
      if (end == rest.size()) continue;
      pieces_.skip();
      if (!pieces_.has_more() || pieces_.peek() != '"') break;
      append("\"");
      pieces_.skip();
    }
    if (!pieces_.has_more()) return;
    char next = pieces_.peek();
    if (next == options_.delimiter || next == '\n') return;
    if (next == '\r' && is_line_end()) return;
    fail(ErrorCode::corrupt, line_, "a quoted value is followed by something else");
  }

  Pieces pieces_;
  std::string name_;
  CsvOptions options_;
  arrow::ColumnType type_;
  std::shared_ptr<arrow::MemoryPool> pool_;
  std::uint64_t replaced_bytes_ = 0;
  std::unique_ptr<arrow::Column> table_;
  CsvRow row_;
  std::uint64_t row_line_ = 1;
  bool was_quoted_ = false;
  std::uint64_t line_ = 1;
  std::uint64_t first_row_ = 0;  ///< of the batch
  std::vector<std::uint64_t> lines_;
};

}  // namespace

std::unique_ptr<CsvReader> csv_reader(std::shared_ptr<const ReadFile> file, std::string name,
                                      const CsvOptions& options) {
  return std::make_unique<CsvFile>(std::move(file), std::move(name), options);
}

}  // namespace kitbag
