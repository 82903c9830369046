#include "sql/element_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "kitbag/columns.h"
#include "kitbag/error.h"
#include "kitbag/escape.h"
#include "kitbag/text.h"
#include "kitbag/transcode.h"
#include "kitbag/type.h"
#include "sql/arrow_value.h"
#include "sql/names.h"
#include "sql/row_numbers.h"
#include "sql/time_range.h"
#include "sql/wanted.h"

// columns() gives a row for each message, and for a path such as "transforms[].child_frame_id" a
// list with a value for each element. So a row here is a message and a number, and all lists of a
// message have the same length. Only the columns that the query names are decoded, and the one that
// tells the length.

namespace kitbag::sql {

namespace {

using Kind = ElementColumn::Kind;

/// A query with LIMIT needs only a few rows.
constexpr std::uint64_t kFirstMessages = 16;
/// A message is many rows, so a batch is smaller than that of a topic.
constexpr std::uint64_t kMostMessages = 4096;
/// In Cursor::start()'s text, behind the conditions on times: the last value is a topic.
constexpr char kTopicIsGiven = 't';

/// Whether values have a field at `path`, whose brackets stand for the elements of a list.
bool has_field(const Type* type, std::string_view path) {
  while (!path.empty()) {
    while (is_list(type->kind)) type = type->element;
    std::size_t end = std::min(path.find('.'), path.size());
    std::string_view name = path.substr(0, std::min(path.find('['), end));
    auto found = std::find_if(type->fields.begin(), type->fields.end(),
                              [&](const Field& field) { return field.name == name; });
    if (found == type->fields.end()) return false;
    type = found->type;
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return true;
}

/// Pairs of texts as a JSON object. Of several with one key, the last counts.
void append_pairs(std::string& text, const ArrowSchema& schema, const ArrowArray& array,
                  std::int64_t row) {
  Elements pairs = elements_of(schema, array, row);
  bool is_known = pairs.schema && pairs.schema->n_children == 2;
  std::map<std::string, std::string> values;
  for (std::int64_t i = 0; is_known && i < pairs.count; ++i) {
    auto part = [&](int child) {
      std::string json;
      append_json(json, *pairs.schema->children[child], *pairs.array->children[child],
                  pairs.array->offset + pairs.begin + i);
      return json;
    };
    values[part(0)] = part(1);
  }
  text += '{';
  for (const auto& [key, value] : values) {
    if (text.back() != '{') text += ',';
    text += key + ':' + value;
  }
  text += '}';
}

class ElementCursor final : public Cursor {
 public:
  ElementCursor(const BagSet& set, const ElementTable& table)
      : set_(set),
        table_(table),
        selector_(table.select),
        topics_(topics_of(set)),
        numbers_(set.bags.size(), topics_.size()) {}

  void start(int, const std::string& text, std::span<sqlite3_value*> values) override {
    query_ = {};
    query_.on_problem = set_.on_problem;
    query_.select = table_.select;
    std::size_t behind = text.find(';');
    std::string conditions = text.substr(0, behind);
    if (conditions.ends_with(kTopicIsGiven)) {
      conditions.pop_back();
      const auto* topic = reinterpret_cast<const char*>(sqlite3_value_text(values.back()));
      query_.select.topics = {};
      query_.select.topics = {exact_pattern(topic ? topic : "")};
    }
    apply_time_conditions(conditions, values, query_);
    wanted_.assign(table_.columns.size(), false);
    for (std::size_t each : parse_wanted(text.substr(behind + 1))) wanted_[each - 1] = true;
    bag_ = 0;
    row_ = index_ = count_ = 0;
    numbers_.start();
    messages_.reset();
    batch_.release();
    is_end_ = query_.begin >= query_.end && query_.end != Time::max();
    if (!is_end_) find_row();
  }

  void next() override {
    ++index_;
    find_row();
  }

  bool is_end() const override { return is_end_; }
  std::int64_t row_number() const override { return numbers_.number(); }

  void value(sqlite3_context* context, int column) override {
    if (column == 0) return give_value(context, *schema_->children[0], *batch_->children[0], row_);
    auto number = static_cast<std::size_t>(column) - 1;
    switch (table_.columns[number].kind) {
      case Kind::index:
        return sqlite3_result_int64(context, index_);
      case Kind::bag: {
        const std::string& name = set_.bags[bag_].name;
        return sqlite3_result_text64(context, name.data(), name.size(), SQLITE_TRANSIENT,
                                     SQLITE_UTF8);
      }
      case Kind::topic:
        return give_value(context, *schema_->children[1], *batch_->children[1], row_);
      case Kind::is_static:
        return sqlite3_result_int64(context, is_static_topic() ? 1 : 0);
      case Kind::value:
      case Kind::pairs:
        return give_field(context, number);
    }
  }

 private:
  void give_field(sqlite3_context* context, std::size_t column) {
    int place = places_[column];
    if (place < 0) return sqlite3_result_null(context);
    Elements elements = elements_of(*schema_->children[place], *batch_->children[place], row_);
    if (index_ >= elements.count) return sqlite3_result_null(context);
    bool is_object = table_.columns[column].kind == Kind::pairs && elements.schema;
    if (!is_object) return give_element(context, elements, index_);
    std::string text;
    append_pairs(text, *elements.schema, *elements.array, elements.begin + index_);
    sqlite3_result_text64(context, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  }

  bool is_static_topic() const {
    std::string json;
    append_json(json, *schema_->children[1], *batch_->children[1], row_);
    return json.ends_with("tf_static\"");
  }

  void find_row() {
    while (index_ >= count_) {
      bool has_message = !batch_.is_empty() && row_ + 1 < batch_->length;
      if (has_message) {
        ++row_;
      } else if (!read_batch()) {
        return;
      }
      index_ = 0;
      count_ =
          elements_of(*schema_->children[length_place_], *batch_->children[length_place_], row_)
              .count;
    }
    numbers_.next(bag_, topic_index(), integer_value(*batch_->children[0], row_));
  }

  /// 0 if the query does not name the topic.
  std::size_t topic_index() const {
    if (length_place_ == 1) return 0;
    std::string json;
    append_json(json, *schema_->children[1], *batch_->children[1], row_);
    auto found = std::find_if(topics_.begin(), topics_.end(),
                              [&](const std::string& topic) { return json_quoted(topic) == json; });
    return static_cast<std::size_t>(found - topics_.begin()) % topics_.size();
  }

  /// Reads the next batch that has messages, of that bag or the next one. False: there are no more.
  bool read_batch() {
    for (;;) {
      if (set_.stop.stop_requested()) {
        throw Error(ErrorCode::cancelled, "the query was stopped");
      }
      if (!messages_ && !open_bag()) {
        is_end_ = true;
        return false;
      }
      if (!messages_->next(batch_.fill(), {set_.stop, kNever})) {
        messages_.reset();
        ++bag_;
      } else if (batch_->length > 0) {
        row_ = 0;
        return true;
      }
    }
  }

  bool open_bag() {
    for (; bag_ < set_.bags.size(); ++bag_) {
      std::vector<TypePtr> types = types_of(*set_.bags[bag_].bag);
      if (!any_has(types, table_.length_path)) continue;
      open_messages(types);
      return true;
    }
    return false;
  }

  /// The types of the topics that are read.
  std::vector<TypePtr> types_of(const Bag& bag) const {
    std::vector<TypePtr> types;
    for (const ChannelPtr& channel : *bag.summary().channels) {
      if (!channel || !selector_.matches(*channel)) continue;
      try {
        if (TypePtr type = type_of(*channel, set_.session)) types.push_back(std::move(type));
      } catch (const Error& error) {
        if (set_.on_error == OnError::stop || is_final(error.code())) throw;
      }
    }
    return types;
  }

  static bool any_has(const std::vector<TypePtr>& types, const std::string& path) {
    return std::any_of(types.begin(), types.end(),
                       [&](const TypePtr& type) { return has_field(type.get(), path); });
  }

  void open_messages(const std::vector<TypePtr>& types) {
    ColumnsRequest request;
    request.fields = {table_.length_path};
    request.first_batch_rows = kFirstMessages;
    request.batch_rows = kMostMessages;
    request.on_error = set_.on_error;
    request.report = set_.report;
    request.on_warning = set_.on_warning;
    request.has_topic = false;
    std::map<std::string, int> places;
    for (std::size_t i = 0; i < wanted_.size(); ++i) {
      if (!wanted_[i]) continue;
      const ElementColumn& column = table_.columns[i];
      request.has_topic |= column.kind == Kind::topic || column.kind == Kind::is_static;
    }
    length_place_ = request.has_topic ? 2 : 1;
    places[table_.length_path] = length_place_;
    places_.assign(wanted_.size(), -1);
    for (std::size_t i = 0; i < wanted_.size(); ++i) {
      const ElementColumn& column = table_.columns[i];
      if (!wanted_[i] || column.path.empty() || !any_has(types, column.path)) continue;
      int place = length_place_ + static_cast<int>(request.fields.size());
      auto [known, is_new] = places.try_emplace(column.path, place);
      if (is_new) request.fields.push_back(column.path);
      places_[i] = known->second;
    }
    messages_ = columns(*set_.bags[bag_].bag, query_, request, set_.session);
    messages_->schema(schema_.fill());
  }

  const BagSet& set_;
  const ElementTable& table_;
  Selector selector_;
  Query query_;
  std::vector<bool> wanted_;  ///< by column
  std::size_t bag_ = 0;
  std::unique_ptr<Columns> messages_;  ///< of that bag; null: it is not open
  std::vector<int> places_;            ///< by column: its place in `batch_`; -1: there is none
  int length_place_ = 0;
  Owned<ArrowSchema> schema_;
  Owned<ArrowArray> batch_;
  std::int64_t row_ = 0;             ///< in `batch_`: the message
  std::int64_t index_ = 0;           ///< of the element
  std::int64_t count_ = 0;           ///< of the elements of that message
  std::vector<std::string> topics_;  ///< of all bags
  RowNumbers numbers_;
  bool is_end_ = false;
};

class ElementsOfBags final : public Table {
 public:
  ElementsOfBags(std::shared_ptr<const BagSet> set, ElementTable table)
      : set_(std::move(set)), table_(std::move(table)) {}

  std::string declaration() const override {
    std::string text = "CREATE TABLE x(time INTEGER";
    for (const ElementColumn& column : table_.columns) {
      text += fmt::format(", {} {}", quoted(column.name), column.type);
    }
    return text + ')';
  }

  std::string plan(sqlite3_index_info& query) const override {
    int argument = 1;
    std::string text = take_time_conditions(query, 0, argument);
    double rows = 1e7;
    if (!text.empty()) rows /= text.find('=') == std::string::npos ? 10 : 1e5;
    for (int i = 0; i < query.nConstraint; ++i) {
      const auto& condition = query.aConstraint[i];
      bool is_topic =
          condition.usable && condition.op == SQLITE_INDEX_CONSTRAINT_EQ && condition.iColumn > 0 &&
          table_.columns[static_cast<std::size_t>(condition.iColumn) - 1].kind == Kind::topic;
      if (!is_topic) continue;
      query.aConstraintUsage[i].argvIndex = argument;
      text += kTopicIsGiven;
      rows /= 10;
      break;
    }
    query.estimatedRows = static_cast<sqlite3_int64>(rows);
    query.estimatedCost = rows;
    bool is_by_time = set_->bags.size() == 1 && query.nOrderBy == 1 &&
                      query.aOrderBy[0].iColumn == 0 && !query.aOrderBy[0].desc;
    query.orderByConsumed = is_by_time ? 1 : 0;
    return text + ';' + print_wanted(query, table_.columns.size());
  }

  std::unique_ptr<Cursor> open() override { return std::make_unique<ElementCursor>(*set_, table_); }

 private:
  std::shared_ptr<const BagSet> set_;
  ElementTable table_;
};

}  // namespace

std::unique_ptr<Table> make_element_table(std::shared_ptr<const BagSet> set, ElementTable table) {
  return std::make_unique<ElementsOfBags>(std::move(set), std::move(table));
}

std::unique_ptr<Table> make_tf_table(std::shared_ptr<const BagSet> set) {
  const std::string before = "transforms[].transform.";
  ElementTable table;
  table.select.types = {"tf2_msgs/TFMessage", "tf2_msgs/msg/TFMessage", "tf2_msgs.TFMessage",
                        "tf/tfMessage"};
  table.length_path = before + "rotation.w";
  table.columns = {{"stamp", "INTEGER", Kind::value, "transforms[].header.stamp"},
                   {"parent", "TEXT", Kind::value, "transforms[].header.frame_id"},
                   {"child", "TEXT", Kind::value, "transforms[].child_frame_id"},
                   {"x", "REAL", Kind::value, before + "translation.x"},
                   {"y", "REAL", Kind::value, before + "translation.y"},
                   {"z", "REAL", Kind::value, before + "translation.z"},
                   {"qx", "REAL", Kind::value, before + "rotation.x"},
                   {"qy", "REAL", Kind::value, before + "rotation.y"},
                   {"qz", "REAL", Kind::value, before + "rotation.z"},
                   {"qw", "REAL", Kind::value, before + "rotation.w"},
                   {"is_static", "INTEGER", Kind::is_static},
                   {"topic", "TEXT", Kind::topic},
                   {"bag", "TEXT", Kind::bag}};
  return make_element_table(std::move(set), std::move(table));
}

std::unique_ptr<Table> make_diagnostics_table(std::shared_ptr<const BagSet> set) {
  ElementTable table;
  table.select.types = {"diagnostic_msgs/DiagnosticArray", "diagnostic_msgs/msg/DiagnosticArray",
                        "diagnostic_msgs.DiagnosticArray"};
  table.length_path = "status[].level";
  table.columns = {{"level", "INTEGER", Kind::value, "status[].level"},
                   {"name", "TEXT", Kind::value, "status[].name"},
                   {"message", "TEXT", Kind::value, "status[].message"},
                   {"hardware_id", "TEXT", Kind::value, "status[].hardware_id"},
                   {"values_json", "TEXT", Kind::pairs, "status[].values"},
                   {"topic", "TEXT", Kind::topic},
                   {"bag", "TEXT", Kind::bag}};
  return make_element_table(std::move(set), std::move(table));
}

}  // namespace kitbag::sql
