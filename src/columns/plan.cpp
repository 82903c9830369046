#include "columns/plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "columns/unite.h"
#include "kitbag/error.h"
#include "kitbag/text.h"
#include "payload/field_steps.h"

// A table has its columns before it has messages, and Arrow cannot change them later. They come
// from the types of all channels that are selected, so a field that only some channels have is
// there from the start. A channel that comes later (in a bag that grows, from a live system) has to
// fit: a field whose type does not is null for its rows, with a warning.
//
// JSON takes whatever types cannot be united. It is the text of a whole value. A path through lists
// (`poses[].x`) gathers parts of values in the elements of its column, which a text does not have,
// so there different types are refused.
//
// A topic whose type is not known can have rows too, with a time and without fields: `on_error`
// decides.

namespace kitbag {

namespace {

constexpr std::size_t kMostNames = 5;

void warn(const ColumnsRequest& request, const std::string& sentence) {
  if (request.on_warning) request.on_warning(Error(ErrorCode::remark, sentence));
}

/// The fields that look most like `path`, for an error.
std::string suggest(const std::string& path, const std::vector<TypePtr>& types) {
  std::set<std::string> known;
  for (const TypePtr& type : types) {
    if (!type) continue;
    for (std::string& each : all_paths(*type)) known.insert(std::move(each));
  }
  std::vector<std::string> nearest = nearest_texts(path, {known.begin(), known.end()}, kMostNames);
  if (nearest.empty()) return {};
  return fmt::format("; similar fields: {}", fmt::join(nearest, ", "));
}

/// The columns of the fields while they are found.
class FieldColumns {
 public:
  FieldColumns(const ColumnsRequest& request, const Session& session)
      : request_(request), session_(session) {}

  /// The type of a channel; null if its messages are not decoded.
  TypePtr type_of_channel(const Channel& channel) const {
    try {
      if (!is_decodable(channel, session_) && request_.on_error != OnError::stop) return nullptr;
      TypePtr type = type_of(channel, session_);
      decoder_of(channel, session_);  // which throws if the encoding cannot hold the type
      if (type) return type;
      return {TypePtr(), &builtin_type(Kind::any)};
    } catch (const Error& error) {
      if (is_final(error.code()) || request_.on_error == OnError::stop) throw;
      if (request_.report) request_.report->topics[channel.topic].first_error = error.message();
      return nullptr;
    }
  }

  void add(const FieldPath& path, const Type& type, const Channel& channel) {
    auto column = path.column_type(type);
    if (column) add(path, type, *column, channel);
  }

  /// A message that is no structure.
  void add_value(const Type& type) {
    arrow::ColumnType column = arrow::column_type(type, "value");
    value_ = value_ ? unite(*value_, column) : column;
  }
  const std::optional<arrow::ColumnType>& value() const { return value_; }

  const arrow::ColumnType* find(const std::string& path) const {
    auto found = by_path_.find(path);
    return found == by_path_.end() ? nullptr : &found->second;
  }

 private:
  void add(const FieldPath& path, const Type& type, const arrow::ColumnType& column,
           const Channel& channel) {
    auto [place, is_new] = by_path_.emplace(path.text(), column);
    if (is_new || place->second == column) return;
    arrow::ColumnType united = unite(place->second, column);
    bool is_json = united.layout == arrow::Layout::json;
    bool was_json = place->second.layout == arrow::Layout::json;
    if (is_json && !was_json && path.goes_through_lists(type)) {
      throw Error(ErrorCode::unsupported,
                  fmt::format("the field {} of {} has another type than that of other topics; "
                              "select topics of one type",
                              path.text(), channel.topic));
    }
    warn(request_,
         fmt::format("the field {} of {} ({}) has another type than that of other topics; "
                     "the column is {}",
                     path.text(), channel.topic, channel.type(),
                     is_json ? "JSON" : "wide enough for both"));
    place->second = std::move(united);
  }

  const ColumnsRequest& request_;
  const Session& session_;
  std::map<std::string, arrow::ColumnType> by_path_;
  std::optional<arrow::ColumnType> value_;
};

/// The first levels of all types, in the order in which they are found.
std::vector<FieldPath> paths_of(const ColumnsRequest& request, const std::vector<TypePtr>& types) {
  std::vector<FieldPath> paths;
  std::set<std::string> known;
  auto add = [&](const std::string& text) {
    if (known.insert(text).second) paths.emplace_back(text);
  };
  if (!request.has_fields) return paths;
  for (const std::string& text : request.fields) add(text);
  if (!request.fields.empty()) return paths;
  for (const TypePtr& type : types) {
    if (!type) continue;
    for (const Field& field : type->fields) add(field.name);
  }
  return paths;
}

bool has_any(const std::vector<FieldPath>& paths, const Type& type) {
  return std::any_of(paths.begin(), paths.end(),
                     [&](const FieldPath& path) { return path.column_type(type).has_value(); });
}

bool has_stamp(const Type& type) {
  auto stamp = stamp_path().column_type(type);
  return stamp && stamp->number == arrow::Number::time;
}

/// What the plan says of a channel whose type is known.
void describe(ColumnPlan::Planned& planned, const Channel& channel,
              const std::vector<FieldPath>& paths, const ColumnsRequest& request) {
  planned.is_left_out =
      request.has_fields && !request.fields.empty() && !has_any(paths, *planned.type);
  planned.has_stamp = request.time == RowTime::header_stamp && has_stamp(*planned.type);
  if (planned.is_left_out) {
    warn(request, fmt::format("{} has none of the fields; the topic is left out", channel.topic));
  } else if (request.time == RowTime::header_stamp && !planned.has_stamp) {
    warn(request, fmt::format("{} has no header.stamp; its times are log times", channel.topic));
  }
}

void add_row_columns(const ColumnsRequest& request, std::vector<arrow::ColumnType>& columns) {
  columns.push_back(arrow::time_type("time"));
  columns.back().is_nullable = request.time == RowTime::header_stamp;
  if (!request.has_topic) return;
  columns.push_back(arrow::dictionary_type("topic"));
  columns.back().is_nullable = false;
}

/// Names are unique, so that people can use them.
void add_column(arrow::ColumnType column, std::vector<arrow::ColumnType>& columns) {
  auto is_taken = [&](const std::string& name) {
    return std::any_of(columns.begin(), columns.end(),
                       [&](const arrow::ColumnType& each) { return each.name == name; });
  };
  while (is_taken(column.name)) column.name += '_';
  columns.push_back(std::move(column));
}

}  // namespace

const FieldPath& stamp_path() {
  static const FieldPath kPath("header.stamp");
  return kPath;
}

ColumnPlan::Planned plan_channel(const Channel& channel, const ColumnPlan& plan,
                                 const ColumnsRequest& request, const Session& session) {
  ColumnPlan::Planned planned;
  bool is_decoded = request.has_fields || request.time == RowTime::header_stamp;
  if (is_decoded) planned.type = FieldColumns(request, session).type_of_channel(channel);
  if (!planned.type) return planned;
  describe(planned, channel, plan.paths, request);
  auto compare = [&](std::size_t column, const arrow::ColumnType& own, bool is_in_lists) {
    const arrow::ColumnType& type = plan.table.children[column];
    bool is_json_of_parts = is_in_lists && type.layout == arrow::Layout::json;
    if (can_hold(type, own) && !is_json_of_parts) return;
    planned.unfit.insert(column);
    warn(request, fmt::format("the field {} of {} ({}) has another type than that of other topics; "
                              "its values are null",
                              type.name, channel.topic, channel.type()));
  };
  for (std::size_t i = 0; i < plan.paths.size(); ++i) {
    auto own = plan.paths[i].column_type(*planned.type);
    if (own) compare(plan.first_field + i, *own, plan.paths[i].goes_through_lists(*planned.type));
  }
  if (plan.has_value && !is_compound(planned.type->kind)) {
    compare(plan.table.children.size() - 1, arrow::column_type(*planned.type, "value"), false);
  }
  return planned;
}

ColumnPlan plan_columns(const Channels& channels, const ColumnsRequest& request,
                        const Session& session) {
  ColumnPlan plan;
  FieldColumns found(request, session);
  std::vector<TypePtr> types(channels.size());
  for (std::size_t slot = 0; slot < channels.size(); ++slot) {
    bool is_decoded = request.has_fields || request.time == RowTime::header_stamp;
    if (channels[slot] && is_decoded) types[slot] = found.type_of_channel(*channels[slot]);
  }
  plan.paths = paths_of(request, types);
  plan.channels.resize(channels.size());
  for (std::size_t slot = 0; slot < channels.size(); ++slot) {
    if (!channels[slot]) continue;
    const Channel& channel = *channels[slot];
    ColumnPlan::Planned& planned = plan.channels[slot];
    planned.type = types[slot];
    if (!planned.type) continue;
    for (const FieldPath& path : plan.paths) found.add(path, *planned.type, channel);
    bool is_value = !is_compound(planned.type->kind) && request.has_fields;
    if (is_value && request.fields.empty()) {
      found.add_value(*planned.type);
    }
    describe(planned, channel, plan.paths, request);
  }
  add_row_columns(request, plan.table.children);
  plan.table.format = "+s";
  plan.table.is_nullable = false;
  plan.first_field = plan.table.children.size();
  for (const FieldPath& path : plan.paths) {
    const arrow::ColumnType* column = found.find(path.text());
    if (!column) {
      throw Error(ErrorCode::not_found, fmt::format("no selected topic has a field {}{}",
                                                    path.text(), suggest(path.text(), types)));
    }
    add_column(*column, plan.table.children);
  }
  plan.has_value = found.value().has_value();
  if (plan.has_value) add_column(*found.value(), plan.table.children);
  return plan;
}

}  // namespace kitbag
