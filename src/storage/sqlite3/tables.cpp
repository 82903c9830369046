#include "storage/sqlite3/tables.h"

#include <fmt/format.h>

#include <algorithm>

#include "storage/sqlite3/salvage.h"

// Page 1 is the root of a table that lists all tables: type, name, table, root page, CREATE
// statement (fileformat2, section 2.6). From there each table of a bag is read by its name. A
// column that an older schema version lacks is missing at the end of the row and reads as empty, so
// one reader serves all versions.
//
// If the path to a table is damaged, its leaves are searched for in the whole file (salvage.h) and
// recognised by the kinds of their columns. An INTEGER PRIMARY KEY is stored as NULL, since the
// row's id is its value:
//
//     messages              NULL, integer, integer, blob
//     topics                NULL, two to five texts, but not four, or the first one begins with '/'
//     message_definitions   NULL, four texts
//     metadata              NULL, integer, text
//     kitbag_stamps         NULL, blob
//     kitbag_channels       integer, two texts
//     kitbag_metadata       integer, text, two texts or two NULLs
//
// The search reads the file once, for all tables together, and only if one of them needs it.

namespace kitbag::sqlite3 {

namespace {

using Kind = Column::Kind;

/// A row with all of its columns at hand.
class FullRow {
 public:
  FullRow(const PageFile& file, const Row& row, Buffer& record, Buffer& scratch)
      : id_(row.id), record_(row.local) {
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

  std::int64_t id() const { return id_; }
  std::size_t size() const { return columns_.size(); }
  std::int64_t integer(std::size_t column) const {
    return column < columns_.size() ? columns_[column].integer : 0;
  }
  std::string text(std::size_t column) const {
    if (column >= columns_.size()) return {};
    const Column& at = columns_[column];
    if (at.kind != Kind::text && at.kind != Kind::blob) return {};
    return std::string(as_text(
        record_.subspan(static_cast<std::size_t>(at.offset), static_cast<std::size_t>(at.size))));
  }
  bool is_null(std::size_t column) const {
    return column >= columns_.size() || columns_[column].kind == Kind::null;
  }
  Table table() const { return table_of(columns_, record_); }

 private:
  std::int64_t id_;
  ByteView record_;
  std::vector<Column> columns_;
};

using OnRow = std::function<void(const FullRow&)>;

class ContentReader {
 public:
  ContentReader(std::shared_ptr<const PageFile> file, const OnProblem& on_problem)
      : file_(std::move(file)), on_problem_(on_problem) {}

  Content read();
  /// As kitbag::sqlite3::may_be_bag().
  bool may_be_bag();

 private:
  /// Where a table or an index begins.
  struct Root {
    std::string table;  ///< it belongs to
    std::uint32_t page;
    std::string sql;
  };

  void read_schema();
  std::int64_t last_message() const;
  bool require_table(const std::string& name);
  void each_row(const std::shared_ptr<const TableTree>& tree, const OnRow& on_row);
  /// The rows of a table, or where its pages are damaged, those that are found. False: there is no
  /// such table.
  bool read_table(const std::string& name, Table kind, const OnRow& on_row);
  std::shared_ptr<const TableTree> tree_of(const std::string& name, Table kind);
  std::shared_ptr<const TableTree> salvaged(Table kind);
  void take_topic(const FullRow& row);
  void parse_metadata();

  std::shared_ptr<const PageFile> file_;
  const OnProblem& on_problem_;
  Content content_;
  std::map<std::string, Root> roots_;
  bool is_schema_lost_ = false;
  std::optional<Salvage> salvage_;
};

void ContentReader::each_row(const std::shared_ptr<const TableTree>& tree, const OnRow& on_row) {
  TableCursor cursor(file_, tree);
  Buffer record;
  Buffer scratch;
  for (Row row; cursor.next(row);) on_row(FullRow(*file_, row, record, scratch));
}

void ContentReader::read_schema() {
  try {
    each_row(open_tree(file_, 1), [this](const FullRow& row) {
      std::int64_t page = row.integer(3);
      if (page < 1 || page > UINT32_MAX) return;  // a view or a trigger
      roots_[row.text(1)] = {row.text(2), static_cast<std::uint32_t>(page), row.text(4)};
    });
  } catch (const Error& error) {
    if (!is_damage(error.code())) throw;
    report(on_problem_, error);
    is_schema_lost_ = true;
  }
}

std::shared_ptr<const TableTree> ContentReader::salvaged(Table kind) {
  if (!salvage_) salvage_ = salvage(*file_);
  switch (kind) {
    case Table::messages:
      return salvage_->messages;
    case Table::topics:
      return salvage_->topics;
    case Table::definitions:
      return salvage_->definitions;
    case Table::metadata:
      return salvage_->metadata;
    case Table::stamps:
      return salvage_->stamps;
    case Table::channels:
      return salvage_->channels;
    case Table::records:
      return salvage_->records;
    case Table::none:
      break;
  }
  return nullptr;
}

/// INT64_MIN: the table is empty. What is damaged is found when it is read.
std::int64_t ContentReader::last_message() const {
  try {
    TableCursor cursor(file_, content_.messages);
    Row row;
    return cursor.seek_last(INT64_MAX) && cursor.next(row) ? row.id : INT64_MIN;
  } catch (const Error& error) {
    if (!is_damage(error.code())) throw;
    return INT64_MAX;
  }
}

/// A bag has both tables; where the list of tables leaves one out, its pages are looked for.
bool ContentReader::require_table(const std::string& name) {
  if (roots_.contains(name)) return true;
  bool is_bag = roots_.contains("topics") || roots_.contains("messages");
  if (is_bag && !is_schema_lost_) {
    is_schema_lost_ = true;
    report(on_problem_, file_->error(ErrorCode::corrupt, 1, "the table " + name + " is missing"));
  }
  return false;
}

std::shared_ptr<const TableTree> ContentReader::tree_of(const std::string& name, Table kind) {
  auto root = roots_.find(name);
  if (root == roots_.end()) return is_schema_lost_ ? salvaged(kind) : nullptr;
  try {
    return open_tree(file_, root->second.page);
  } catch (const Error& error) {
    if (!is_damage(error.code())) throw;
    report(on_problem_, Error(error.code(), fmt::format("table {}: {}", name, error.message()),
                              error.file(), error.offset()));
    return salvaged(kind);
  }
}

bool ContentReader::read_table(const std::string& name, Table kind, const OnRow& on_row) {
  auto tree = tree_of(name, kind);
  if (!tree) return false;
  std::optional<std::int64_t> last;
  try {
    each_row(tree, [&](const FullRow& row) {
      on_row(row);
      last = row.id();
    });
  } catch (const Error& error) {
    if (!is_damage(error.code())) throw;
    report(on_problem_, Error(error.code(), fmt::format("table {}: {}", name, error.message()),
                              error.file(), error.offset()));
    auto found = tree->is_salvaged() ? nullptr : salvaged(kind);
    if (!found) return true;
    TableCursor cursor(file_, found);
    Buffer record;
    Buffer scratch;
    if (last) cursor.seek(*last + 1);
    for (Row row; cursor.next(row);) {
      try {
        FullRow full(*file_, row, record, scratch);
        if (full.table() == kind) on_row(full);
      } catch (const Error& damage) {
        if (!is_damage(damage.code())) throw;
        continue;  // the table's damage has been reported
      }
    }
  }
  return true;
}

void ContentReader::take_topic(const FullRow& row) {
  content_.topics.push_back(
      {row.id(), row.text(1), row.text(2), row.text(3), row.text(4), row.text(5)});
}

void ContentReader::parse_metadata() {
  if (content_.metadata_text.empty()) return;
  try {
    content_.metadata = rosbag2::parse_metadata(content_.metadata_text, file_->path());
  } catch (const Error& error) {
    if (!is_damage(error.code())) throw;
    report(on_problem_, error);
  }
}

bool ContentReader::may_be_bag() {
  read_schema();
  return is_schema_lost_ || roots_.contains("topics") || roots_.contains("messages");
}

Content ContentReader::read() {
  read_schema();
  bool has_topics = require_table("topics");
  bool has_messages = require_table("messages");
  content_.messages = tree_of("messages", Table::messages);
  if (content_.messages && content_.messages->is_salvaged()) {
    content_.messages_found = salvage_->messages_found;
    content_.messages_missing = salvage_->messages_missing;
  } else if (content_.messages) {
    content_.last_message = last_message();  // whose topic is there when the topics are read
  }
  read_table("topics", Table::topics, [this](const FullRow& row) { take_topic(row); });
  if (!has_topics && !has_messages && content_.topics.empty() && !content_.messages) {
    throw Error(is_schema_lost_ ? ErrorCode::corrupt : ErrorCode::unsupported,
                "not a bag: the SQLite database has no tables \"topics\" and \"messages\"",
                file_->path());
  }
  auto topics = roots_.find("topics");
  bool has_qos = topics == roots_.end() ||
                 topics->second.sql.find("offered_qos_profiles") != std::string::npos;
  content_.schema_version = has_qos ? 2 : 1;
  read_table("schema", Table::none, [this](const FullRow& row) {
    content_.schema_version = static_cast<int>(std::clamp<std::int64_t>(row.id(), 0, INT32_MAX));
    content_.ros_distro = row.text(1);
  });
  if (content_.schema_version > kNewestSchema) {
    report(on_problem_,
           Error(ErrorCode::unsupported,
                 fmt::format("unsupported schema version {}; supported versions: 1 to {}",
                             content_.schema_version, kNewestSchema),
                 file_->path()));
  }
  read_table("message_definitions", Table::definitions, [this](const FullRow& row) {
    content_.definitions.push_back({row.id(), row.text(1), row.text(2), row.text(3), row.text(4)});
  });
  read_table("metadata", Table::metadata, [this](const FullRow& row) {
    content_.metadata_text = row.text(2);  // the last one counts
  });
  parse_metadata();
  read_table("kitbag_channels", Table::channels, [this](const FullRow& row) {
    std::string key = row.text(1);
    if (key.empty()) {
      content_.channel_definitions[row.integer(0)] = std::atoll(row.text(2).c_str());
    } else {
      content_.channel_metadata[row.integer(0)][key] = row.text(2);
    }
  });
  read_table("kitbag_metadata", Table::records, [this](const FullRow& row) {
    Metadata& record = content_.records[row.integer(0)];
    record.name = row.text(1);
    if (!row.is_null(2)) record.values[row.text(2)] = row.text(3);
  });
  content_.stamps = tree_of("kitbag_stamps", Table::stamps);
  auto index = roots_.find("timestamp_idx");
  if (index != roots_.end() && index->second.table == "messages") {
    content_.time_index = index->second.page;
  }
  return std::move(content_);
}

/// The definitions of a bag, found without a look at each.
class DefinitionIndex {
 public:
  explicit DefinitionIndex(const Content& content) : content_(content) {
    for (const Content::Definition& definition : content.definitions) {
      by_id_.emplace(definition.id, &definition);
      by_type_.emplace(definition.type, &definition);
      by_hash_.emplace(std::pair(definition.type, definition.type_hash), &definition);
    }
  }

  /// Of the definitions of the topic's type the one that is meant; null: there is none.
  const Content::Definition* find(const Content::Topic& topic) const {
    auto declared = content_.channel_definitions.find(topic.id);
    if (declared != content_.channel_definitions.end()) return at(by_id_, declared->second);
    const auto* exact = at(by_hash_, std::pair(topic.type, topic.type_hash));
    return exact ? exact : at(by_type_, topic.type);
  }

 private:
  template <class Map, class Key>
  static const Content::Definition* at(const Map& map, const Key& key) {
    auto found = map.find(key);
    return found == map.end() ? nullptr : found->second;
  }

  const Content& content_;
  // Where several are alike, the first.
  std::map<std::int64_t, const Content::Definition*> by_id_;
  std::map<std::string, const Content::Definition*> by_type_;
  std::map<std::pair<std::string, std::string>, const Content::Definition*> by_hash_;
};

SchemaPtr make_schema(const std::string& type, const Content::Definition* definition) {
  Schema schema{type, {}, {}};
  if (definition) {
    schema.language = definition->language;
    schema.text = definition->text;
  }
  return std::make_shared<const Schema>(std::move(schema));
}

}  // namespace

Table table_of(const std::vector<Column>& columns, ByteView local) {
  std::size_t texts = 0;
  while (1 + texts < columns.size() && columns[1 + texts].kind == Kind::text) ++texts;
  auto is = [&](std::size_t column, Kind kind) { return columns[column].kind == kind; };
  if (columns.size() < 2) return Table::none;
  if (columns.size() == 4 && is(0, Kind::null) && is(1, Kind::integer) && is(2, Kind::integer)) {
    return is(3, Kind::blob) || is(3, Kind::text) ? Table::messages : Table::none;
  }
  if (columns.size() == 2 && is(0, Kind::null) && is(1, Kind::blob)) return Table::stamps;
  if (columns.size() == 3 && is(0, Kind::integer) && texts == 2) return Table::channels;
  if (columns.size() == 4 && is(0, Kind::integer) && is(1, Kind::text)) {
    bool is_empty = is(2, Kind::null) && is(3, Kind::null);
    return texts == 3 || is_empty ? Table::records : Table::none;
  }
  if (columns.size() == 3 && is(0, Kind::null) && is(1, Kind::integer) && is(2, Kind::text)) {
    return Table::metadata;
  }
  bool is_all_text = is(0, Kind::null) && texts + 1 == columns.size() && texts >= 2 && texts <= 5;
  if (!is_all_text) return Table::none;
  if (texts != 4) return Table::topics;
  // Four texts have the definitions of version 4 and the topics of version 2. Topics begin so.
  std::uint64_t at = columns[1].offset;
  bool is_topic = columns[1].size > 0 && at < local.size() && as_text(local)[at] == '/';
  return is_topic ? Table::topics : Table::definitions;
}

bool may_be_bag(const std::shared_ptr<const PageFile>& file) {
  return ContentReader(file, [](const Error&) {}).may_be_bag();
}

Content read_content(const std::shared_ptr<const PageFile>& file, const OnProblem& on_problem) {
  return ContentReader(file, on_problem).read();
}

std::map<std::string, std::string> metadata_of(const Content::Topic& topic) {
  std::map<std::string, std::string> metadata;
  if (!topic.qos.empty()) metadata["offered_qos_profiles"] = topic.qos;
  if (!topic.type_hash.empty()) metadata["topic_type_hash"] = topic.type_hash;
  return metadata;
}

ChannelsPtr make_channels(const Content& content) {
  auto channels = std::make_shared<Channels>();
  DefinitionIndex definitions(content);
  std::map<std::pair<const Content::Definition*, std::string>, SchemaPtr> schemas;
  for (const Content::Topic& topic : content.topics) {
    auto channel = std::make_shared<Channel>();
    channel->slot = static_cast<std::uint32_t>(channels->size());
    channel->topic = topic.name;
    // The very first bags do not say; they have the only encoding of their time.
    channel->encoding = topic.encoding.empty() ? "cdr" : topic.encoding;
    if (!topic.type.empty()) {
      const Content::Definition* definition = definitions.find(topic);
      SchemaPtr& schema = schemas[{definition, topic.type}];
      if (!schema) schema = make_schema(topic.type, definition);
      channel->schema = schema;
    }
    auto kept = content.channel_metadata.find(topic.id);
    channel->metadata = kept != content.channel_metadata.end() ? kept->second : metadata_of(topic);
    channels->push_back(std::move(channel));
  }
  return channels;
}

}  // namespace kitbag::sqlite3
