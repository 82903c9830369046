#include "storage/sqlite3/tables.h"

#include <fmt/format.h>

#include <algorithm>

#include "storage/sqlite3/full_row.h"
#include "storage/sqlite3/known_table.h"
#include "storage/sqlite3/pages/big_endian.h"
#include "storage/sqlite3/salvage.h"

// Page 1 is the root of a table that lists all tables: type, name, table, root page, CREATE
// statement (fileformat2, section 2.6). From there each table of a bag is read by its name, and
// its columns by the names in the statement. A column that an older schema version lacks reads as
// empty, so one reader serves all versions. If the statement is damaged, the columns are taken to
// stand as rosbag2 creates them.
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
  TextEncoding encoding_of_head() const;
  std::int64_t last_message() const;
  bool require_table(const std::string& name);
  RowLayout layout_of(const std::string& name);
  void find_message_columns();
  void each_row(const std::shared_ptr<const TableTree>& tree, const RowLayout& layout,
                const OnRow& on_row);
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
  std::optional<TextEncoding> encoding_;  ///< absent: no entry of the list of tables has been read
  std::optional<Salvage> salvage_;
};

void ContentReader::each_row(const std::shared_ptr<const TableTree>& tree, const RowLayout& layout,
                             const OnRow& on_row) {
  TableCursor cursor(file_, tree);
  Buffer record;
  Buffer scratch;
  for (Row row; cursor.next(row);) {
    FullRow full(*file_, row, layout, encoding_.value_or(TextEncoding::utf8), record, scratch);
    on_row(full);
  }
}

void ContentReader::read_schema() {
  try {
    each_row(open_tree(file_, 1), {}, [this](const FullRow& row) {
      std::int64_t page = row.integer(3);
      if (page < 1 || page > UINT32_MAX) return;  // a view or a trigger
      if (!encoding_) encoding_ = encoding_of(row.stored_text(0));
      auto text = [&](std::size_t column) {
        return decode_text(row.stored_text(column), *encoding_);
      };
      roots_[text(1)] = {text(2), static_cast<std::uint32_t>(page), text(4)};
    });
  } catch (const Error& error) {
    if (!is_damage(error.code())) throw;
    report(on_problem_, error);
    is_schema_lost_ = true;
  }
}

/// The encoding of texts that the head of the database gives.
TextEncoding ContentReader::encoding_of_head() const {
  constexpr std::size_t kOffset = 56;
  Buffer page;
  file_->read(1, 1, page);
  if (page.size() < kHeadBytes) return TextEncoding::utf8;
  std::uint32_t given = load_be32(page.data() + kOffset);
  return given == 2   ? TextEncoding::utf16_little
         : given == 3 ? TextEncoding::utf16_big
                      : TextEncoding::utf8;
}

std::shared_ptr<const TableTree> ContentReader::salvaged(Table kind) {
  if (!salvage_) salvage_ = salvage(*file_, content_.message_columns);
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

/// Where the columns of the table are, by its CREATE statement.
RowLayout ContentReader::layout_of(const std::string& name) {
  auto root = roots_.find(name);
  const KnownTable* known = known_table(name);
  if (!known || root == roots_.end()) return {};
  auto declared = parse_create_table(root->second.sql);
  if (declared && !declared->has_row_ids) {
    throw Error(ErrorCode::unsupported,
                fmt::format("the table {} was created WITHOUT ROWID, which kitbag does not read; "
                            "copy its rows to a table with row ids",
                            name),
                file_->path());
  }
  if (declared) {
    RowLayout layout(*declared, known->columns);
    std::size_t first = known->columns[0] == "id" ? 1 : 0;  // each row has an id
    std::size_t missing = first;
    while (missing < known->required && layout.place_of(missing)) ++missing;
    bool is_whole =
        missing == known->required && !has_damaged_name(root->second.sql, *declared, *known);
    if (is_whole) return layout;
  }
  report(on_problem_,
         file_->error(ErrorCode::corrupt, 1,
                      fmt::format("the list of tables does not name the columns of {}; they are "
                                  "taken to stand in rosbag2's order",
                                  name)));
  return {};
}

void ContentReader::find_message_columns() {
  RowLayout layout = layout_of("messages");
  MessageColumns& columns = content_.message_columns;
  columns.topic = layout.place_of(1).value_or(columns.topic);
  columns.time = layout.place_of(2).value_or(columns.time);
  columns.data = layout.place_of(3).value_or(columns.data);
  columns.count = layout.count().value_or(columns.count);
  columns.default_topic = layout.default_of(1).integer;
  columns.default_time = layout.default_of(2).integer;
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
  RowLayout layout = layout_of(name);
  auto tree = tree_of(name, kind);
  if (!tree) return false;
  std::optional<std::int64_t> last;
  try {
    each_row(tree, layout, [&](const FullRow& row) {
      on_row(row);
      last = row.row_id();
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
        FullRow full(*file_, row, layout, encoding_.value_or(TextEncoding::utf8), record, scratch);
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
  if (!encoding_) encoding_ = encoding_of_head();
  bool has_topics = require_table("topics");
  bool has_messages = require_table("messages");
  find_message_columns();
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
  auto has_column = [&](const char* column) {
    return topics == roots_.end() || topics->second.sql.find(column) != std::string::npos;
  };
  content_.schema_version = has_column("offered_qos_profiles") ? 2 : 1;
  content_.has_encodings = has_column("serialization_format");
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

}  // namespace

Table table_of(const std::vector<Column>& columns, ByteView local) {
  using Kind = Column::Kind;
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
  std::string_view name = as_text(local).substr(std::min<std::size_t>(at, local.size()));
  bool is_topic = columns[1].size > 0 &&
                  (name.starts_with('/') || name.starts_with(std::string_view("\0/", 2)));
  return is_topic ? Table::topics : Table::definitions;
}

bool may_be_bag(const std::shared_ptr<const PageFile>& file) {
  return ContentReader(file, [](const Error&) {}).may_be_bag();
}

Content read_content(const std::shared_ptr<const PageFile>& file, const OnProblem& on_problem) {
  return ContentReader(file, on_problem).read();
}

}  // namespace kitbag::sqlite3
