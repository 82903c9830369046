#include "sql/topic.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <string_view>

#include "kitbag/error.h"
#include "kitbag/text.h"
#include "kitbag/transcode.h"
#include "sql/names.h"

// Bags may differ in a topic's type: the columns are the union of the fields of all, in the order
// in which they are found, and a bag that lacks a field has NULL. Names of columns do not differ by
// case in SQL, fields do, so the second of two gets "_" behind its name. Lists become one column,
// as their length varies. `time`, `bag` and `rowid` are taken.

namespace kitbag::sql {

namespace {

/// SQLite allows 2000 columns; a type with more fields keeps its inner structures as JSON.
constexpr std::size_t kMostColumns = 1900;

/// Fields and the fields in them, with dots between their names.
void add_paths(const Type& type, const std::string& before, std::size_t depth,
               std::vector<std::pair<std::string, const char*>>& paths) {
  for (const Field& field : type.fields) {
    std::string path = before + field.name;
    const Type& inner = *field.type;
    bool is_inner = inner.kind == Kind::structure && inner.role == Role::none &&
                    depth < kMaxTypeDepth && paths.size() < kMostColumns;
    if (is_inner) {
      add_paths(inner, path + '.', depth + 1, paths);
    } else {
      paths.emplace_back(path, declared_type(inner));
    }
  }
}

/// The columns of a topic while its types are looked at.
class TopicBuilder {
 public:
  TopicBuilder(std::shared_ptr<const BagSet> set, const std::string& name) {
    topic_.set = std::move(set);
    topic_.name = name;
  }

  Topic build() {
    bool is_there = false;
    std::optional<Error> failure;
    for (const NamedBag& each : topic_.set->bags) {
      paths_ = &topic_.paths_of_bag.emplace_back();
      for (const ChannelPtr& channel : *each.channels()) {
        if (!channel || channel->topic != topic_.name) continue;
        is_there = true;
        try {
          TypePtr type = type_of(*channel, topic_.set->session);
          if (type) add(*type);
        } catch (const Error& error) {
          if (is_final(error.code())) throw;
          failure = error;
        }
      }
    }
    if (!is_there) throw_unknown_topic(*topic_.set, topic_.name);
    // A bag whose type cannot be read does not take the table from the others.
    if (failure && topic_.fields.empty()) throw *failure;
    if (topic_.fields.size() > kMostColumns) {
      throw Error(
          ErrorCode::unsupported,
          fmt::format("{} has {} fields, and a table has at most {}; the column json of the "
                      "table messages has all of them",
                      topic_.name, topic_.fields.size(), kMostColumns));
    }
    return std::move(topic_);
  }

 private:
  void add(const Type& type) {
    for (const auto& [path, declared] : paths_of(type)) {
      paths_->insert(path);
      if (!known_.insert(path).second) continue;
      std::string name = path;
      while (!names_.insert(lower(name)).second) name += '_';
      topic_.fields.push_back({name, path, declared});
    }
  }

  Topic topic_;
  std::set<std::string>* paths_ = nullptr;
  std::set<std::string> known_;
  std::set<std::string> names_ = {"time", "bag", "rowid"};
};

}  // namespace

Comparison Topic::comparison(int column) const {
  if (column == 0) return Comparison::none;
  if (column == bag_column()) return Comparison::texts;
  const std::string_view type = fields[static_cast<std::size_t>(column) - 1].type;
  if (type == "TEXT") return Comparison::texts;
  return type == "BLOB" ? Comparison::none : Comparison::numbers;
}

const char* declared_type(const Type& type) {
  if (type.role != Role::none) return "INTEGER";
  if (is_real(type.kind)) return "REAL";
  if (is_scalar(type.kind)) return "INTEGER";
  if (is_list(type.kind) && is_byte(type.element->kind)) return "BLOB";
  return "TEXT";
}

std::vector<std::pair<std::string, const char*>> paths_of(const Type& type) {
  std::vector<std::pair<std::string, const char*>> paths;
  add_paths(type, {}, 0, paths);
  if (paths.size() <= kMostColumns) return paths;
  paths.clear();
  for (const Field& field : type.fields) paths.emplace_back(field.name, declared_type(*field.type));
  return paths;
}

void throw_unknown_topic(const BagSet& set, const std::string& name) {
  constexpr std::size_t kMostSimilar = 3;
  std::set<std::string> topics;
  for (const NamedBag& each : set.bags) {
    for (const ChannelPtr& channel : *each.channels()) {
      if (channel) topics.insert(channel->topic);
    }
  }
  auto similar = nearest_texts(name, {topics.begin(), topics.end()}, kMostSimilar);
  throw Error(ErrorCode::not_found,
              fmt::format("no bag has the topic {}{}{}", name,
                          similar.empty() ? "" : "; similar: ", fmt::join(similar, ", ")));
}

Topic topic_named(std::shared_ptr<const BagSet> set, const std::string& name) {
  return TopicBuilder(std::move(set), name).build();
}

}  // namespace kitbag::sql
