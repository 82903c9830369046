#include "kitbag/export_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "columns/topic_table.h"
#include "kitbag/error.h"

// The source is read once. Messages wait until there are enough of them that the table of each
// topic gets many rows at a time: what each call costs is shared by these.
//
// Each file has a row group in memory. Where these take too much together, the largest ends, and
// the next largest, until half is free.

namespace kitbag {

namespace {

/// Messages wait until there are this many, or until they take so much.
constexpr std::size_t kMostWaiting = 1 << 15;
constexpr std::size_t kMostWaitingBytes = 8 << 20;
constexpr std::size_t kMostPinnedBytes = 32 << 20;

constexpr std::size_t kLongestName = 200;  // a file system takes 255 bytes, and writers add some

bool is_safe(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || c == '.';
}

std::string lower(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

class Export {
 public:
  Export(std::unique_ptr<Source> source, const std::string& folder, const ExportRequest& request,
         const Session& session)
      : source_(std::move(source)),
        folder_(folder),
        request_(request),
        session_(session),
        file_system_(session.file_system(folder)) {
    while (folder_.size() > 1 && folder_.ends_with('/')) folder_.pop_back();
    request_.columns.has_topic = false;
  }

  std::vector<ExportedTable> write(const Wait& wait) {
    channels_ = source_->channels();
    bool are_channels_known = require_fields();
    file_system_->make_folder(folder_);
    staging_ = file_system_->stage(folder_ + "/.", request_.columns.on_warning);
    try {
      auto written = write_all(wait);
      if (!are_channels_known) require_fields();
      staging_->publish();
      return written;
    } catch (const Error& error) {
      throw staging_->with_final_name(error);
    }
  }

 private:
  std::vector<ExportedTable> write_all(const Wait& wait) {
    add_channels();
    Batch batch;
    for (bool is_more = true; is_more;) {
      throw_if_stopped(wait);
      batch.clear();
      is_more = source_->read(batch, wait);
      if (is_more) take(batch);
    }
    throw_if_stopped(wait);
    decode();
    std::vector<ExportedTable> written;
    for (auto& [topic, table] : tables_) {
      if (table) written.push_back(table->finish());
      table.reset();
    }
    return written;
  }

  void take(Batch& batch) {
    if (batch.channels) channels_ = batch.channels;
    batch.extras.clear();
    waiting_.take_front(batch, batch.messages().size());
    bool is_enough = waiting_.messages().size() >= kMostWaiting ||
                     waiting_.payload() >= kMostWaitingBytes ||
                     waiting_.pinned() >= kMostPinnedBytes;
    if (is_enough) decode();
  }

  void decode() {
    if (channels_->size() > known_channels_) add_channels();
    for (const Message& message : std::as_const(waiting_).messages()) {
      if (TopicTable* table = by_slot_[message.channel->slot]) table->add(message);
    }
    for (auto& [topic, table] : tables_) {
      if (table) table->decode(channels_);
    }
    waiting_.clear();
    free_memory();
  }

  void free_memory() {
    std::vector<std::pair<std::uint64_t, TopicTable*>> held;
    std::uint64_t all = 0;
    for (auto& [topic, table] : tables_) {
      if (!table) continue;
      held.emplace_back(table->held_bytes(), table.get());
      all += held.back().first;
    }
    if (all <= request_.held_bytes) return;
    std::sort(held.begin(), held.end(), std::greater<>());
    for (auto& [bytes, table] : held) {
      if (all <= request_.held_bytes / 2) return;
      table->flush();
      all -= bytes;
    }
  }

  /// A field that no topic has is an error, which names those that are similar. Returns false if
  /// no channel is known yet, as of a stream.
  bool require_fields() {
    bool is_known = std::any_of(channels_->begin(), channels_->end(),
                                [](const ChannelPtr& channel) { return channel != nullptr; });
    if (!is_known) return false;
    ColumnsRequest one = request_.columns;
    one.on_warning = {};
    for (const std::string& field : request_.columns.fields) {
      one.fields = {field};
      try {
        plan_columns(*channels_, one, session_);
      } catch (const Error& error) {
        if (error.code() == ErrorCode::not_found) throw;
      }
    }
    return true;
  }

  /// Begins the tables of topics that are new.
  void add_channels() {
    by_slot_.resize(channels_->size());
    for (; known_channels_ < channels_->size(); ++known_channels_) {
      const ChannelPtr& channel = (*channels_)[known_channels_];
      if (!channel) continue;
      auto [place, is_new] = tables_.try_emplace(channel->topic);
      if (is_new) place->second = make_table(channel->topic);
      by_slot_[known_channels_] = place->second.get();
    }
  }

  std::unique_ptr<TopicTable> make_table(const std::string& topic) {
    ColumnsRequest columns = request_.columns;
    auto plan = TopicTable::plan(topic, channels_, columns, session_);
    if (!plan) return nullptr;
    std::string path = path_of(topic);
    std::string place = staging_->place(path, request_.may_replace);
    auto file = file_system_->create(place, {.on_warning = request_.columns.on_warning});
    return std::make_unique<TopicTable>(topic, path, channels_, std::move(*plan), columns, request_,
                                        std::move(file), session_);
  }

  std::string path_of(const std::string& topic) {
    std::string name = table_name(topic);
    if (name.size() > kLongestName) {
      throw Error(ErrorCode::invalid,
                  fmt::format("the name of the topic {} is too long for a file; leave the topic "
                              "out or rename it",
                              topic));
    }
    auto [place, is_new] = topics_by_name_.emplace(lower(name), topic);
    if (!is_new) {
      throw Error(ErrorCode::invalid,
                  fmt::format("the topics {} and {} would have the same file, {}; export them into "
                              "two folders",
                              place->second, topic, name));
    }
    bool is_parquet = request_.format == TableFormat::parquet;
    return fmt::format("{}/{}{}", folder_, name, is_parquet ? ".parquet" : ".arrow");
  }

  std::unique_ptr<Source> source_;
  std::string folder_;
  ExportRequest request_;
  Session session_;
  FileSystemPtr file_system_;
  std::unique_ptr<Staging> staging_;
  ChannelsPtr channels_;
  std::size_t known_channels_ = 0;
  std::map<std::string, std::unique_ptr<TopicTable>> tables_;  ///< null: left out
  std::vector<TopicTable*> by_slot_;
  std::map<std::string, std::string> topics_by_name_;  ///< in lower case
  Batch waiting_;
};

}  // namespace

std::string table_name(std::string_view topic) {
  if (topic.starts_with('/')) topic.remove_prefix(1);
  std::string name;
  for (char c : topic) {
    if (c == '/') {
      name += "__";
    } else if (is_safe(c) && !(c == '.' && name.empty())) {
      name += c;
    } else {
      name += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return name.empty() ? "topic" : name;
}

std::vector<ExportedTable> export_tables(std::unique_ptr<Source> source, const std::string& folder,
                                         const ExportRequest& request, const Session& session,
                                         const Wait& wait) {
  return Export(std::move(source), folder, request, session).write(wait);
}

}  // namespace kitbag
