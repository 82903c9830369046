#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kitbag/error.h"
#include "kitbag/escape.h"
#include "kitbag/text.h"
#include "payload/field_extractor.h"
#include "present/decoding_printer.h"

// Columns are fixed by the type before the first row, cells come from the visitor in the order of
// the type. Both must agree on what is one cell: scalars and texts; fixed lists of a few numbers as
// one column each; everything of variable length as JSON in one cell. depth_ counts how deep the
// visitor is inside of such a cell; at depth 0 a leaf is a cell.
//
// With fields, each of them is extracted by itself, in the order they were asked for, from one pass
// through the message.
//
// A number that is none is `nan`, `inf` or `-inf`, without quotes: pandas, NumPy, R and SQL engines
// read these as numbers. A spreadsheet has no such numbers, takes them for texts, and leaves them
// out of sums.
//
// A spreadsheet takes a cell that begins with =, +, - or @ for a formula, and a bag may come from
// somebody else. Only texts are protected: numbers may begin with a minus.

namespace kitbag {
namespace {

/// A fixed list of numbers up to this long has a column for each; others are one cell, as JSON.
constexpr std::uint64_t kMostColumnsOfList = 64;

bool has_columns(const Type& type) {
  return type.kind == Kind::array && is_scalar(type.element->kind) &&
         type.length <= kMostColumnsOfList;
}

/// Nothing opens a table with more columns.
constexpr std::size_t kMostColumns = 1 << 16;

/// A value in the form of RFC 4180.
std::string csv_quoted(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

/// "1767225600.009000000", "2026-01-01T00:00:00.009000000Z", or nanoseconds.
std::string time_cell(std::int64_t ns, TimeFormat format) {
  if (format == TimeFormat::ns) return std::to_string(ns);
  if (format == TimeFormat::iso) return format_time(from_ns(ns));
  constexpr std::uint64_t kNsPerSecond = 1'000'000'000;
  auto magnitude = static_cast<std::uint64_t>(ns);
  if (ns < 0) magnitude = -magnitude;
  return fmt::format("{}{}.{:09}", ns < 0 ? "-" : "", magnitude / kNsPerSecond,
                     magnitude % kNsPerSecond);
}

/// How texts become cells.
class TextCells {
 public:
  TextCells(bool is_terminal, bool escapes_formulas)
      : is_terminal_(is_terminal), escapes_formulas_(escapes_formulas) {}

  /// Control characters, which RFC 4180 does not allow, are escaped, except line breaks, which are
  /// quoted; at a terminal all are escaped. `replaced` counts bytes that are not UTF-8.
  std::string cell(std::string_view text, std::size_t& replaced) const {
    std::string valid = valid_utf8(text, &replaced);
    std::string shown = is_terminal_ ? escaped(valid) : escaped_in_lines(valid);
    // A spreadsheet would evaluate them as a formula, which may send data to somebody.
    bool is_formula = std::string_view("=+-@\t\r").find(shown.empty() ? ' ' : shown.front()) !=
                      std::string_view::npos;
    return csv_quoted(is_formula && escapes_formulas_ ? "'" + shown : shown);
  }

 private:
  /// As escaped_lines(), but carriage returns stay.
  static std::string escaped_in_lines(std::string_view text) {
    std::string lines;
    while (true) {
      std::size_t end = text.find('\r');
      lines += escaped_lines(text.substr(0, end));
      if (end == std::string_view::npos) return lines;
      lines += '\r';
      text.remove_prefix(end + 1);
    }
  }

  bool is_terminal_;
  bool escapes_formulas_;
};

/// Seconds and nanoseconds of a time or duration.
struct TimeParts {
  std::int64_t seconds = 0;
  std::int64_t ns = 0;
  std::size_t count = 0;

  void add(std::int64_t part) { (count++ == 0 ? seconds : ns) = part; }
};

/// A row: texts as they are, everything else as JSON has it, lists and unions whole.
class RowWriter final : public LeafVisitor<RowWriter> {
 public:
  /// `replaced` counts bytes that are not UTF-8.
  RowWriter(const PrintOptions& options, TextCells cells, std::size_t& replaced,
            const Session& session)
      : maker_(options.codec, session),
        cells_(cells),
        time_format_(options.time_format),
        replaced_(replaced) {}

  /// `payload_bytes`: the size of the message.
  void begin(std::size_t payload_bytes) {
    maker_.arena.limit_for(payload_bytes);
    row_.clear();
    depth_ = 0;
    is_in_columns_ = false;
    time_.reset();
  }
  const std::string& row() const { return row_; }

  void begin_struct(const Type& type) override {
    if (depth_ == 0 && type.role != Role::none && time_format_ != TimeFormat::ns) {
      time_.emplace();
      is_duration_ = type.role == Role::duration;
      return;
    }
    if (depth_ == 0 && type.kind == Kind::structure) return;
    open();
    json_.begin_struct(type);
  }
  void field(const Field& field) override {
    if (depth_ > 0) json_.field(field);
  }
  void end_struct() override {
    if (depth_ == 0 && time_) put_time();
    if (depth_ == 0) return;
    json_.end_struct();
    close();
  }
  void begin_array(const Type& type, std::size_t count) override {
    if (depth_ == 0 && has_columns(type)) {
      is_in_columns_ = true;
      return;
    }
    open();
    json_.begin_array(type, count);
  }
  void end_array() override {
    if (is_in_columns_ && depth_ == 0) {
      is_in_columns_ = false;
      return;
    }
    json_.end_array();
    close();
  }
  template <class Value>
  void leaf(const Type& type, Value value) {
    if (time_ && depth_ == 0) return time_->add(static_cast<std::int64_t>(value));
    one([&] { visit_leaf(type, value, json_); });
  }
  void leaf(const Type& type, double value) {
    if (depth_ > 0 || std::isfinite(value)) return one([&] { json_.real(type, value); });
    put(std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
  }
  void leaf(const Type& type, std::string_view value) {
    if (depth_ > 0) return json_.text(type, value);
    put(cells_.cell(value, replaced_));
  }
  void leaf(const Type& type, std::nullopt_t) {
    if (depth_ > 0) return json_.nothing(type);
    put({});
  }
  void packed(const Type& type, ByteView bytes) override {
    if (depth_ > 0) return json_.packed(type, bytes);
    unpack(type, bytes, *this);
  }

 private:
  void open() {
    if (depth_++ > 0) return;
    replaced_in_json_ = json_.replaced_bytes();
    json_.begin(maker_.arena);
  }
  void close() {
    if (--depth_ > 0) return;
    put(csv_quoted(as_text(json_.end())));
    replaced_ += json_.replaced_bytes() - replaced_in_json_;
    maker_.arena.drop();
  }
  template <class Tell>
  void one(Tell tell) {
    if (depth_ > 0) return tell();
    open();
    tell();
    close();
  }
  void put(std::string_view cell) {
    row_ += ',';
    row_ += cell;
  }

  void put_time() {
    constexpr std::int64_t kNsPerSecond = 1'000'000'000;
    std::int64_t ns = 0;
    bool is_valid = !__builtin_mul_overflow(time_->seconds, kNsPerSecond, &ns) &&
                    !__builtin_add_overflow(ns, time_->ns, &ns);
    TimeFormat format = is_duration_ ? TimeFormat::seconds : time_format_;
    put(is_valid ? time_cell(ns, format) : "");
    time_.reset();
  }

  JsonMaker maker_;
  Encoder& json_ = *maker_.encoder;
  TextCells cells_;
  TimeFormat time_format_;
  std::optional<TimeParts> time_;  ///< inside of one that is a cell
  bool is_duration_ = false;
  std::size_t& replaced_;
  std::uint64_t replaced_in_json_ = 0;  ///< before the cell
  std::string row_;
  std::size_t depth_ = 0;  ///< inside of one cell
  bool is_in_columns_ = false;
};

/// A field that was asked for: where it is, and its cells.
struct FieldCells {
  FieldCells(FieldSteps steps, std::unique_ptr<RowWriter> given)
      : row(std::move(given)), extractor(std::move(steps), *row) {}

  std::unique_ptr<RowWriter> row;
  FieldExtractor extractor;
  std::size_t columns = 0;
};

/// Passes everything to each of the fields.
class FieldsVisitor final : public LeafVisitor<FieldsVisitor> {
 public:
  explicit FieldsVisitor(std::vector<std::unique_ptr<FieldCells>>& fields) : fields_(fields) {}

  void begin_struct(const Type& type) override {
    for (auto& field : fields_) field->extractor.begin_struct(type);
  }
  void field(const Field& field) override {
    for (auto& each : fields_) each->extractor.field(field);
  }
  void end_struct() override {
    for (auto& field : fields_) field->extractor.end_struct();
  }
  void begin_array(const Type& type, std::size_t count) override {
    for (auto& field : fields_) field->extractor.begin_array(type, count);
  }
  void end_array() override {
    for (auto& field : fields_) field->extractor.end_array();
  }
  void packed(const Type& type, ByteView bytes) override {
    for (auto& field : fields_) field->extractor.packed(type, bytes);
  }
  template <class Value>
  void leaf(const Type& type, Value value) {
    for (auto& field : fields_) visit_leaf(type, value, field->extractor);
  }

 private:
  std::vector<std::unique_ptr<FieldCells>>& fields_;
};

class CsvPrinter final : public DecodingPrinter {
 public:
  CsvPrinter(const PrintOptions& options, TextOut out, TranscodeReport& report,
             const Session& session)
      : DecodingPrinter(options, std::move(out), report, session),
        cells_(options.is_for_terminal, options.escapes_formulas),
        row_(new_row()) {}

 protected:
  void print(const Message& message, Decoder& decoder, const TypePtr& type) override {
    print_head(message, type);
    text() += head_of(message);
    if (fields_.empty()) {
      row_->begin(message.data.size());
      decoder.decode(message.data, *row_);
      text() += row_->row();
    } else {
      print_fields(message, decoder);
    }
    text() += '\n';
  }

  void print_raw(const Message&) override {
    throw Error(
        ErrorCode::invalid,
        "CSV cannot hold payloads that cannot be decoded; skip them, or use another format");
  }

  void release() override { row_ = new_row(); }

 private:
  std::unique_ptr<RowWriter> new_row() {
    return std::make_unique<RowWriter>(options(), cells_, replaced_bytes(), session());
  }

  void print_fields(const Message& message, Decoder& decoder) {
    for (auto& field : fields_) {
      field->row->begin(message.data.size());
      field->extractor.begin();
    }
    FieldsVisitor visitor(fields_);
    decoder.decode(message.data, visitor);
    for (const auto& field : fields_) {
      // What a message lacks is empty, such as an element behind the end of a list.
      text() += field->extractor.has_value() ? field->row->row() : std::string(field->columns, ',');
    }
  }

  std::string head_of(const Message& message) const {
    TimeFormat format = options().time_format;
    std::string file;
    if (auto path = file_of(message)) file = name_cell(*path) + ',';
    return fmt::format("{}{},{},{}", file, time_cell(to_ns(message.log_time), format),
                       time_cell(to_ns(message.publish_time), format),
                       in_color(name_cell(message.channel->topic), message.channel->topic));
  }

  /// Of a file, a topic or a column.
  std::string name_cell(std::string_view name) const {
    std::size_t replaced = 0;  // the texts of messages are counted
    return cells_.cell(name, replaced);
  }

  /// Definitions of one name may differ.
  bool has_same_columns(const std::string& name, const TypePtr& type) {
    if (name != type_name_ || !type != !type_) return false;
    if (type == last_type_) return true;
    if (type && !same_shape(*type, *type_)) return false;
    last_type_ = type;
    return true;
  }

  /// The names of the columns, once; all messages must have the same.
  void print_head(const Message& message, const TypePtr& type) {
    const std::string& name = message.channel->type();
    if (is_begun_ && has_same_columns(name, type)) return;
    if (is_begun_) {
      std::string types =
          name == type_name_
              ? fmt::format("two definitions of {}; select those of one", name)
              : fmt::format("{} and {}; select the topics of one type", type_name_, name);
      throw Error(ErrorCode::invalid, fmt::format("CSV has columns for one type, but there are {}, "
                                                  "or write a file for each topic",
                                                  types));
    }
    is_begun_ = true;
    type_name_ = name;
    type_ = last_type_ = type;
    std::vector<std::string> columns = {"log_time", "publish_time", "topic"};
    if (options().time_format == TimeFormat::ns) {
      columns[0] += "_ns";
      columns[1] += "_ns";
    }
    if (options().file_of) columns.insert(columns.begin(), "file");
    for (const std::string& path : options().fields) add_field(path, type.get(), columns);
    if (fields_.empty()) add_all_columns(type.get(), columns);
    std::set<std::string> names;
    for (std::string& column : columns) {
      while (!names.insert(column).second) column += '_';  // a field called topic
      column = name_cell(column);
    }
    text() += fmt::format("{}\n", fmt::join(columns, ","));
  }

  void add_all_columns(const Type* type, std::vector<std::string>& columns) const {
    if (type) {
      add_columns(*type, "", columns);
    } else {
      columns.push_back("data");
    }
  }

  void add_field(const std::string& path, const Type* type, std::vector<std::string>& columns) {
    FieldPlace place{field_steps(path)};
    if (type) place = find_place(*type, place.steps);
    std::size_t before = columns.size();
    std::string name = path_of(place.steps, place.steps.size());
    if (place.type && !place.has_several) {
      add_columns(*place.type, name, columns);
    } else {
      columns.push_back(name);  // a list of values
    }
    fields_.push_back(std::make_unique<FieldCells>(std::move(place.steps), new_row()));
    fields_.back()->columns = columns.size() - before;
  }

  void add_columns(const Type& type, const std::string& path,
                   std::vector<std::string>& columns) const {
    if (columns.size() > kMostColumns) {
      throw Error(
          ErrorCode::limit,
          fmt::format("CSV would need more than {} columns; select fewer fields", kMostColumns));
    }
    bool is_time_cell = type.role != Role::none && options().time_format != TimeFormat::ns;
    if (type.kind == Kind::structure && !is_time_cell) {
      for (const Field& field : type.fields) {
        add_columns(*field.type, path.empty() ? field.name : path + "." + field.name, columns);
      }
    } else if (has_columns(type)) {
      for (std::uint64_t i = 0; i < type.length; ++i) {
        columns.push_back(fmt::format("{}[{}]", path, i));
      }
    } else {
      columns.push_back(path);
    }
  }

  TextCells cells_;
  std::unique_ptr<RowWriter> row_;  ///< of all fields
  std::vector<std::unique_ptr<FieldCells>> fields_;
  bool is_begun_ = false;
  std::string type_name_;
  TypePtr type_;       ///< of the columns; null: the payload as a text
  TypePtr last_type_;  ///< which has the same
};

}  // namespace

std::unique_ptr<Sink> csv_printer(const PrintOptions& options, TextOut out, TranscodeReport& report,
                                  const Session& session) {
  return std::make_unique<CsvPrinter>(options, std::move(out), report, session);
}

}  // namespace kitbag
