#include <algorithm>
#include <map>
#include <span>
#include <tuple>

#include "storage/rosbag/md5sum.h"
#include "storage/rosbag/old/old_writer.h"
#include "storage/rosbag/old/v1_2.h"
#include "storage/rosbag/records.h"
#include "storage/writing/file_options.h"

// Readers of 2010 and the real rosbag of today differ in what they take from the index. The real
// C++ reader takes the first entry in time of each topic for the place of its definition, so a
// definition must stand directly in front of the message that is the earliest of its topic. Which
// that is, is known at the end only: whenever a message comes that is earlier than all before it on
// its topic, the definition is written again. In a bag that is in order, that is once a topic.

namespace kitbag::rosbag {

namespace {

constexpr std::string_view kVersion1_2 = "1.2";
constexpr std::uint64_t kFileHeaderAt1_2 = kLine1_2.size();
/// The index is handed to the file in pieces of this many entries.
constexpr std::size_t kEntriesWritten1_2 = 1 << 16;
/// The most entries that fit into the length of an index record, and the length of an md5sum.
constexpr std::size_t kMostEntries1_2 = UINT32_MAX / kIndexEntryBytes1_2;
constexpr std::size_t kMd5Digits = 32;

/// Fields of a header by name: in the order in which the original writers have them.
using Fields1_2 = std::map<std::string, std::string>;

template <std::integral T>
std::string number_field(T value) {
  std::byte bytes[sizeof(T)];
  store_le(bytes, value);
  return std::string(as_text(bytes));
}

/// A record up to its data.
Buffer record_head(Op op, Fields1_2 fields, std::size_t data_bytes) {
  fields["op"] = number_field(static_cast<std::uint8_t>(op));
  Buffer head;
  head.extend(sizeof(std::uint32_t));
  for (const auto& [name, value] : fields) append_field(head, name, value);
  store_le(head.data(), static_cast<std::uint32_t>(head.size() - sizeof(std::uint32_t)));
  store_le(head.extend(sizeof(std::uint32_t)), static_cast<std::uint32_t>(data_bytes));
  return head;
}

class V1_2Writer final : public OldWriter {
 public:
  V1_2Writer(std::unique_ptr<WriteFile> file, const std::string& path, const WriteOptions& options)
      : OldWriter(std::move(file), path, kVersion1_2, options) {
    this->file().append(as_bytes(kLine1_2));
    this->file().append(file_header(0).view());
  }

 private:
  struct Entry {
    Time time;
    std::uint64_t offset;
  };
  struct Topic {
    std::string name, type;
    std::vector<Entry> index;
    Time earliest = Time::max();
    bool is_sorted = true;
  };
  /// A definition that goes into the file: one for each topic, type and md5sum.
  struct Definition {
    Buffer record;
    bool is_written = false;
  };
  struct Messages {
    Buffer head;  ///< of them all, with the places of what differs
    std::size_t sec_at = 0;
    std::size_t nsec_at = 0;
    std::size_t topic = 0, definition = 0;
    bool has_more = false;  ///< than its definition: its node, latching
    bool is_used = false;
  };

  void declare_ros1(const Channel& channel) override;
  void put(std::uint32_t place, const Message& message) override;
  void finish() override;
  void define(Definition& definition);
  void write_index(Topic& topic);
  void write_index_record(const Topic& topic, std::span<const Entry> index);
  static Buffer file_header(std::uint64_t index_pos);
  std::size_t topic_of(const Channel& channel);
  std::size_t definition_of(const Channel& channel, const std::string& md5sum);

  std::vector<Topic> topics_;
  std::vector<Definition> definitions_;
  std::vector<Messages> channels_;  ///< by place
  std::map<std::string, std::size_t> topic_places_;
  std::map<std::tuple<std::string, std::string, std::string>, std::size_t> definition_places_;
};

Buffer V1_2Writer::file_header(std::uint64_t index_pos) {
  Buffer record = record_head(Op::file_header, {{"index_pos", number_field(index_pos)}}, 0);
  constexpr std::size_t kLength = sizeof(std::uint32_t);
  std::size_t padding = kFileHeaderBytes - (record.size() - 2 * kLength);
  store_le(record.data() + record.size() - kLength, static_cast<std::uint32_t>(padding));
  std::memset(record.extend(padding), ' ', padding);
  return record;
}

std::size_t V1_2Writer::topic_of(const Channel& channel) {
  auto [place, is_new] = topic_places_.try_emplace(channel.topic, topics_.size());
  if (is_new) topics_.push_back({channel.topic, channel.type(), {}, Time::max(), true});
  return place->second;
}

std::size_t V1_2Writer::definition_of(const Channel& channel, const std::string& md5sum) {
  auto [place, is_new] =
      definition_places_.try_emplace({channel.topic, channel.type(), md5sum}, definitions_.size());
  if (is_new) {
    Fields1_2 fields = {{"topic", channel.topic},
                        {"type", channel.type()},
                        {"md5", md5sum},
                        {"def", channel.schema ? channel.schema->text : std::string()}};
    definitions_.push_back({record_head(Op::message_definition, std::move(fields), 0), false});
  }
  return place->second;
}

void V1_2Writer::declare_ros1(const Channel& channel) {
  Fields1_2 fields = {{"topic", channel.topic},
                      {"type", channel.type()},
                      {"md5", md5sum_of(channel)},
                      {"sec", number_field(std::uint32_t{0})},
                      {"nsec", number_field(std::uint32_t{0})}};
  for (const auto& [name, value] : channel.metadata) {
    if (name == "callerid" || name == "latching") {
      fields[name] = value;
    } else if (name != "md5sum") {
      left_out().add(name);
    }
  }
  Messages messages;
  if (fields["md5"].size() != kMd5Digits) left_out().add("md5sums, which real rosbag requires");
  messages.topic = topic_of(channel);
  messages.definition = definition_of(channel, fields["md5"]);
  messages.has_more = fields.contains("callerid") || fields.contains("latching");
  messages.head = record_head(Op::message, std::move(fields), 0);
  auto record = parse_record(messages.head.view());
  auto place_of = [&](std::string_view name) {
    return static_cast<std::size_t>(record->header.find(name)->data() - messages.head.data());
  };
  messages.sec_at = place_of("sec");
  messages.nsec_at = place_of("nsec");
  channels_.push_back(std::move(messages));
}

void V1_2Writer::put(std::uint32_t place, const Message& message) {
  Messages& messages = channels_[place];
  Topic& topic = topics_[messages.topic];
  Definition& definition = definitions_[messages.definition];
  std::uint64_t time = stored_time(message.log_time);
  // The place of the definition, if one is written in front of the message: this is what readers
  // want of the first entry.
  std::uint64_t offset = file().size();
  bool is_earliest = message.log_time < topic.earliest;
  topic.is_sorted &= topic.index.empty() || message.log_time >= topic.index.back().time;
  topic.index.push_back({message.log_time, offset});
  topic.earliest = std::min(topic.earliest, message.log_time);
  if (is_earliest || !definition.is_written) define(definition);
  messages.is_used = true;

  Buffer& head = messages.head;
  store_le(head.data() + messages.sec_at, static_cast<std::uint32_t>(time));
  store_le(head.data() + messages.nsec_at, static_cast<std::uint32_t>(time >> 32));
  store_le(head.data() + head.size() - sizeof(std::uint32_t),
           static_cast<std::uint32_t>(message.data.size()));
  ByteView pieces[] = {head.view(), message.data};
  file().append(pieces);
}

void V1_2Writer::define(Definition& definition) {
  file().append(definition.record.view());
  definition.is_written = true;
}

void V1_2Writer::finish() {
  for (Messages& messages : channels_) {
    if (messages.is_used || messages.head.size() == 0) continue;
    Definition& definition = definitions_[messages.definition];
    if (messages.has_more || definition.is_written) left_out().add("channels without messages");
    if (!definition.is_written) define(definition);
  }
  std::uint64_t index_pos = file().size();
  for (const auto& [name, place] : topic_places_) write_index(topics_[place]);
  file().rewrite(kFileHeaderAt1_2, file_header(index_pos).view());
}

void V1_2Writer::write_index(Topic& topic) {
  if (!topic.is_sorted) {
    std::stable_sort(topic.index.begin(), topic.index.end(),
                     [](const Entry& a, const Entry& b) { return a.time < b.time; });
  }
  // None for a topic without messages: the real reader looks at the first entry without asking.
  for (std::span<const Entry> rest = topic.index; !rest.empty();) {
    std::size_t count = std::min(rest.size(), kMostEntries1_2);
    write_index_record(topic, rest.first(count));
    rest = rest.subspan(count);
  }
}

void V1_2Writer::write_index_record(const Topic& topic, std::span<const Entry> index) {
  Fields1_2 fields = {{"topic", topic.name},
                      {"type", topic.type},
                      {"ver", number_field(kIndexVersion1_2)},
                      {"count", number_field(static_cast<std::uint32_t>(index.size()))}};
  std::size_t data_bytes = index.size() * kIndexEntryBytes1_2;
  file().append(record_head(Op::index, std::move(fields), data_bytes).view());
  Buffer entries;
  while (!index.empty()) {
    entries.clear();
    for (const Entry& entry : index.first(std::min(index.size(), kEntriesWritten1_2))) {
      std::byte* to = entries.extend(kIndexEntryBytes1_2);
      store_le(store_le(to, stored_time(entry.time)), entry.offset);
    }
    file().append(entries.view());
    index = index.subspan(entries.size() / kIndexEntryBytes1_2);
  }
}

}  // namespace

std::unique_ptr<Writer> create_1_2(const std::string& path, const WriteOptions& options,
                                   const Session& session) {
  return std::make_unique<V1_2Writer>(
      create_bag_file(path, options, session, kFileHeaderAt1_2 + kFileHeaderBytes), path, options);
}

}  // namespace kitbag::rosbag
