#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kitbag/error.h"
#include "kitbag/text.h"
#include "payload/field_extractor.h"
#include "present/csv_row.h"
#include "present/decoding_printer.h"

// Columns are fixed by the type before the first row, cells come from the visitor in the order of
// the type. Both must agree on what is one cell: scalars and texts; fixed lists of a few numbers as
// one column each; everything of variable length as JSON in one cell.
//
// With fields, each of them is extracted by itself, in the order they were asked for, from one pass
// through the message.

namespace kitbag {
namespace {

/// Nothing opens a table with more columns.
constexpr std::size_t kMostColumns = 1 << 16;

/// A field that was asked for: where it is, and its cells.
struct FieldCells {
  FieldCells(FieldSteps steps, std::unique_ptr<CsvRow> given)
      : row(std::move(given)), extractor(std::move(steps), *row) {}

  std::unique_ptr<CsvRow> row;
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
    prepare_columns(message, type);
    text() += names_;
    text() += head_of(message);
    if (fields_.empty()) {
      row_->begin(message.data.size());
      decoder.decode(message.data, *row_);
      text() += row_->row();
    } else {
      print_fields(message, decoder);
    }
    text() += '\n';
    names_.clear();
  }

  void print_raw(const Message&) override {
    throw Error(
        ErrorCode::invalid,
        "CSV cannot hold payloads that cannot be decoded; skip them, or use another format");
  }

  void release() override { row_ = new_row(); }

 private:
  std::unique_ptr<CsvRow> new_row() {
    return std::make_unique<CsvRow>(options(), cells_, replaced_bytes(), session());
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

  /// Fixes the columns, once; all messages must have the same.
  void prepare_columns(const Message& message, const TypePtr& type) {
    const std::string& name = message.channel->type();
    if (is_begun_ && has_same_columns(name, type)) return;
    if (is_begun_) {
      const std::string& topic = message.channel->topic;
      bool is_other = name != type_name_ && topic != topic_;
      if (is_other && options().on_error == OnError::skip) report_of(topic).columns_of = topic_;
      std::string types =
          name == type_name_
              ? fmt::format("two definitions of {}; select those of one", name)
              : fmt::format("{} and {}; select the topics of one type", type_name_, name);
      throw Error(ErrorCode::invalid, fmt::format("CSV has columns for one type, but there are {}, "
                                                  "or write a file for each topic",
                                                  types));
    }
    is_begun_ = true;
    topic_ = message.channel->topic;
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
      // Readers of CSV find columns by their names, and some refuse a table with two of one name.
      while (!names.insert(column).second) column += '_';  // a field called topic
      column = name_cell(column);
    }
    names_ = fmt::format("{}\n", fmt::join(columns, ","));
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
    // In nanoseconds, the parts of a time stay two columns as they are in the message.
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

  CsvTexts cells_;
  std::unique_ptr<CsvRow> row_;  ///< of all fields
  std::vector<std::unique_ptr<FieldCells>> fields_;
  bool is_begun_ = false;
  /// The line with the names of the columns, until a row stands below it: of a message that cannot
  /// be decoded nothing is left.
  std::string names_;
  std::string topic_;      ///< of the message that the columns were made for
  std::string type_name_;  ///< its type
  TypePtr type_;           ///< of the columns; null: the payload as a text
  TypePtr last_type_;      ///< which has the same
};

}  // namespace

std::unique_ptr<Sink> csv_printer(const PrintOptions& options, TextOut out, TranscodeReport& report,
                                  const Session& session) {
  return std::make_unique<CsvPrinter>(options, std::move(out), report, session);
}

}  // namespace kitbag
