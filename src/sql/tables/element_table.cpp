#include "sql/tables/element_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>

#include "kitbag/columns.h"
#include "kitbag/error.h"
#include "kitbag/text.h"
#include "kitbag/transcode.h"
#include "kitbag/transforms.h"
#include "kitbag/type.h"
#include "sql/arrow_value.h"
#include "sql/names.h"
#include "sql/row_numbers.h"
#include "sql/tables/element_value.h"
#include "sql/time_range.h"
#include "sql/wanted.h"

// columns() gives a row for each message, and for a path such as "transforms[].child_frame_id" a
// list with a value for each element. So a row here is a message and a number, and all lists of a
// message have the same length. Only the columns that the query names are decoded, and the one that
// tells the length. A table whose messages come in several forms reads a bag once for each.
//
// Forms are ways to have the same thing in a message, such as one transform or a list of them. Rows
// of a bag come form by form, so they are in the order of time only if one bag has one form.

namespace kitbag::sql {

namespace {

using ColumnKind = ElementColumn::Kind;

/// A query with LIMIT needs only a few rows.
constexpr std::uint64_t kFirstMessages = 16;
/// A message is many rows, so a batch is smaller than that of a topic.
constexpr std::uint64_t kMostMessages = 4096;
/// In Cursor::start()'s text, behind the conditions on times: the last value is a topic.
constexpr char kTopicIsGiven = 't';
constexpr char kBagIsGiven = 'b';  ///< likewise

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

class ElementCursor final : public Cursor {
 public:
  ElementCursor(const BagSet& set, const ElementTable& table)
      : set_(set),
        table_(table),
        topics_(topics_of(set)),
        numbers_(set.bags.size(), topics_.size() * table.forms.size()) {}

  void start(int, const std::string& text, std::span<sqlite3_value*> values) override {
    query_ = {};
    query_.on_problem = set_.on_problem;
    topic_.reset();
    std::size_t behind = text.find(';');
    std::string conditions = text.substr(0, behind);
    wanted_bag_.reset();
    // Letters of topic and bag are at the end of the text, as their values are of the values.
    for (std::size_t last = values.size(); !conditions.empty(); --last) {
      bool is_bag = conditions.back() == kBagIsGiven;
      if (!is_bag && conditions.back() != kTopicIsGiven) break;
      conditions.pop_back();
      const auto* given = reinterpret_cast<const char*>(sqlite3_value_text(values[last - 1]));
      std::string name = given ? given : "";
      if (is_bag) {
        wanted_bag_ = std::move(name);
      } else {
        topic_ = exact_pattern(name);
      }
    }
    apply_time_conditions(conditions, values, query_);
    wanted_.assign(table_.columns.size(), false);
    for (std::size_t each : parse_wanted(text.substr(behind + 1))) wanted_[each - 1] = true;
    bag_ = form_ = 0;
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
      case ColumnKind::index:
        return sqlite3_result_int64(context, index_);
      case ColumnKind::bag: {
        const std::string& name = set_.bags[bag_].name;
        return sqlite3_result_text64(context, name.data(), name.size(), SQLITE_TRANSIENT,
                                     SQLITE_UTF8);
      }
      case ColumnKind::topic:
        return give_value(context, *schema_->children[1], *batch_->children[1], row_);
      case ColumnKind::is_static:
        return sqlite3_result_int64(context, is_static_topic(topic()) ? 1 : 0);
      case ColumnKind::value:
      case ColumnKind::time:
      case ColumnKind::pairs:
        return give_field(context, number);
    }
  }

 private:
  void give_field(sqlite3_context* context, std::size_t column) {
    int place = places_[column];
    if (place < 0) return sqlite3_result_null(context);
    const ColumnKind kind = table_.columns[column].kind;
    const ArrowSchema& schema = *schema_->children[place];
    const ArrowArray& array = *batch_->children[place];
    if (form().length_path.empty()) return give(context, kind, schema, array, row_);
    Elements elements = elements_of(schema, array, row_);
    if (index_ >= elements.count) return sqlite3_result_null(context);
    if (!elements.schema) return give_element(context, elements, index_);
    give(context, kind, *elements.schema, *elements.array, elements.begin + index_);
  }

  static void give(sqlite3_context* context, ColumnKind kind, const ArrowSchema& schema,
                   const ArrowArray& array, std::int64_t row) {
    if (kind == ColumnKind::time && std::string_view(schema.format) == "+s") {
      auto time_ns = time_in(schema, array, row);
      return time_ns ? sqlite3_result_int64(context, *time_ns) : sqlite3_result_null(context);
    }
    if (kind != ColumnKind::pairs) return give_value(context, schema, array, row);
    std::string text;
    append_pairs(text, schema, array, row);
    sqlite3_result_text64(context, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  }

  const ElementForm& form() const { return table_.forms[form_]; }

  std::string_view topic() const {
    std::string unused;
    return std::get<std::string_view>(
        value_at(*schema_->children[1], *batch_->children[1], row_, unused));
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
      count_ = form().length_path.empty() ? 1
                                          : elements_of(*schema_->children[first_field_],
                                                        *batch_->children[first_field_], row_)
                                                .count;
    }
    std::size_t channel = form_ * topics_.size() + topic_index();
    numbers_.next(bag_, channel, integer_value(*batch_->children[0], row_));
  }

  /// 0 if the query does not name the topic.
  std::size_t topic_index() const {
    if (first_field_ == 1) return 0;
    // A bag of a catalog may have changed, and have a topic that was not known.
    auto found = std::lower_bound(topics_.begin(), topics_.end(), topic());
    return static_cast<std::size_t>(found - topics_.begin()) % topics_.size();
  }

  /// Reads the next batch that has messages, of that bag or the next one. False: there are no more.
  bool read_batch() {
    for (;;) {
      throw_if_stopped({set_.stop, kNever});
      if (!messages_ && !open_bag()) {
        is_end_ = true;
        return false;
      }
      if (!messages_->next(batch_.fill(), {set_.stop, kNever})) {
        messages_.reset();
        next_form();
      } else if (batch_->length > 0) {
        row_ = 0;
        return true;
      }
    }
  }

  void next_form() {
    if (++form_ < table_.forms.size()) return;
    form_ = 0;
    ++bag_;
  }

  bool open_bag() {
    for (; bag_ < set_.bags.size(); next_form()) {
      query_.select = form().select;
      if (topic_) query_.select.topics = {*topic_};
      const NamedBag& each = set_.bags[bag_];
      bool is_wanted = !wanted_bag_ || *wanted_bag_ == each.name;
      BagPtr bag = is_wanted && may_have(each, query_) ? each.open() : nullptr;
      if (!bag) continue;
      std::vector<TypePtr> types = types_of(*bag);
      bool has_rows =
          form().length_path.empty() ? !types.empty() : any_has(types, form().length_path);
      if (!has_rows) continue;
      open_messages(*bag, types);
      return true;
    }
    return false;
  }

  /// The types of the topics that are read.
  std::vector<TypePtr> types_of(const Bag& bag) const {
    const Selector selector(query_.select);
    std::vector<TypePtr> types;
    for (const ChannelPtr& channel : *bag.channels()) {
      if (!channel || !selector.matches(*channel)) continue;
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

  void open_messages(const Bag& bag, const std::vector<TypePtr>& types) {
    ColumnsRequest request;
    request.first_batch_rows = kFirstMessages;
    request.batch_rows = kMostMessages;
    request.on_error = set_.on_error;
    request.report = set_.report;
    request.on_warning = set_.on_warning;
    request.has_topic = false;
    for (std::size_t i = 0; i < wanted_.size(); ++i) {
      if (!wanted_[i]) continue;
      const ElementColumn& column = table_.columns[i];
      request.has_topic |= column.kind == ColumnKind::topic || column.kind == ColumnKind::is_static;
    }
    first_field_ = request.has_topic ? 2 : 1;
    std::map<std::string, int> places;
    auto place_of = [&](const std::string& path) {
      int place = first_field_ + static_cast<int>(request.fields.size());
      auto [known, is_new] = places.try_emplace(path, place);
      if (is_new) request.fields.push_back(path);
      return known->second;
    };
    if (!form().length_path.empty()) place_of(form().length_path);
    places_.assign(wanted_.size(), -1);
    for (std::size_t i = 0; i < wanted_.size(); ++i) {
      const ElementColumn& column = table_.columns[i];
      if (!wanted_[i] || column.paths.empty() || !any_has(types, column.paths[form_])) continue;
      places_[i] = place_of(column.paths[form_]);
    }
    request.has_fields = !request.fields.empty();
    messages_ = columns(bag, query_, request, set_.session);
    messages_->schema(schema_.fill());
  }

  const BagSet& set_;
  const ElementTable& table_;
  Query query_;
  std::optional<std::string> topic_;       ///< a pattern, if the query asks for one topic
  std::optional<std::string> wanted_bag_;  ///< its name, if the query asks for one bag
  std::vector<bool> wanted_;               ///< by column
  std::size_t bag_ = 0;
  std::size_t form_ = 0;
  std::unique_ptr<Columns> messages_;  ///< of that bag in that form; null: they are not open
  std::vector<int> places_;            ///< by column: its place in `batch_`; -1: there is none
  int first_field_ = 0;                ///< its place; with a list, of what tells the length
  Owned<ArrowSchema> schema_;
  Owned<ArrowArray> batch_;
  std::int64_t row_ = 0;             ///< in `batch_`: the message
  std::int64_t index_ = 0;           ///< of the element
  std::int64_t count_ = 0;           ///< of the elements of that message
  std::vector<std::string> topics_;  ///< of all bags, sorted
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
    double rows = rows_in_time(text, 1e7);
    for (int i = 0; i < query.nConstraint; ++i) {
      const auto& condition = query.aConstraint[i];
      bool may_be_taken = condition.usable && condition.op == SQLITE_INDEX_CONSTRAINT_EQ &&
                          condition.iColumn > 0 &&
                          sqlite3_stricmp(sqlite3_vtab_collation(&query, i), "BINARY") == 0;
      if (!may_be_taken) continue;
      ColumnKind kind = table_.columns[static_cast<std::size_t>(condition.iColumn) - 1].kind;
      char letter = kind == ColumnKind::bag ? kBagIsGiven : kTopicIsGiven;
      bool is_taken = kind == ColumnKind::bag || kind == ColumnKind::topic;
      if (!is_taken || text.find(letter) != std::string::npos) continue;
      query.aConstraintUsage[i].argvIndex = argument++;
      text += letter;
      rows /= 10;
    }
    query.estimatedRows = static_cast<sqlite3_int64>(rows);
    query.estimatedCost = rows;
    query.orderByConsumed = count_parts() <= 1 && is_by_time(query, 0) ? 1 : 0;
    return text + ';' + print_wanted(query, table_.columns.size());
  }

  std::unique_ptr<Cursor> open() override { return std::make_unique<ElementCursor>(*set_, table_); }

 private:
  /// How many sources are read one after the other: forms of bags.
  std::size_t count_parts() const {
    std::size_t count = 0;
    for (const NamedBag& each : set_->bags) {
      const Channels& channels = *each.channels();
      for (const ElementForm& form : table_.forms) {
        const Selector selector(form.select);
        bool is_there = std::any_of(channels.begin(), channels.end(), [&](const auto& channel) {
          return channel && selector.matches(*channel);
        });
        count += is_there ? 1U : 0U;
      }
    }
    return count;
  }

  std::shared_ptr<const BagSet> set_;
  ElementTable table_;
};

}  // namespace

std::unique_ptr<Table> make_element_table(std::shared_ptr<const BagSet> set, ElementTable table) {
  return std::make_unique<ElementsOfBags>(std::move(set), std::move(table));
}

}  // namespace kitbag::sql
