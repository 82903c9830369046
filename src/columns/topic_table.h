#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "columns/given_table.h"
#include "columns/plan.h"
#include "kitbag/export_tables.h"
#include "kitbag/file_system.h"

namespace kitbag {

/// The file of one topic while it is written.
class TopicTable {
 public:
  /// Plans the columns for the channels of `topic`; nothing if it has none of the fields, or cannot
  /// be decoded, which is reported. Throws Error as columns() does.
  static std::optional<ColumnPlan> plan(const std::string& topic, const ChannelsPtr& channels,
                                        ColumnsRequest& request, const Session& session);

  /// `request` is the one that plan() has changed. `written_to` is where the file is written, and
  /// `path` its name.
  TopicTable(const std::string& topic, std::string path, const ChannelsPtr& channels,
             ColumnPlan plan, const ColumnsRequest& columns, const ExportRequest& request,
             std::unique_ptr<WriteFile> file, const Session& session);
  ~TopicTable();
  TopicTable(const TopicTable&) = delete;
  TopicTable& operator=(const TopicTable&) = delete;

  /// Takes a message that decode() is to read; its data must be valid until then.
  void add(const Message& message) { messages_.push_back(message); }
  /// Writes the rows of the messages that were added.
  void decode(const ChannelsPtr& channels);
  /// About how many bytes are not written yet.
  std::uint64_t held_bytes() const;
  /// Writes them.
  void flush();
  ExportedTable finish();

 private:
  class Writer;
  std::unique_ptr<Writer> writer_;
  std::string topic_;
  std::string path_;
  std::unique_ptr<WriteFile> file_;
  GivenTable table_;
  std::vector<Message> messages_;
  std::uint64_t rows_ = 0;
};

}  // namespace kitbag
