#include "storage/rosbag/old/v1_2_index.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "storage/rosbag/record_file.h"

// The index is verified by sums of times, 16 bytes a channel, since reading must not need memory
// for each message. Places are not compared: the first entry of a topic points at its definition.
// Entries are read a few thousand at a time; a record of the index can have the size of the bag's
// index, as it lists all messages of a topic.

namespace kitbag::rosbag {

namespace {

constexpr std::size_t kEntriesAtOnce = 4096;

/// The entries of one index record, a few thousand at a time.
void read_entries_1_2(const ReadFile& file, const RecordHead& record,
                      const IndexListener1_2& listener) {
  Buffer entries;
  for (std::uint64_t at = record.data_offset; at < record.end(); at += entries.size()) {
    entries.resize(static_cast<std::size_t>(
        std::min<std::uint64_t>(record.end() - at, kEntriesAtOnce * kIndexEntryBytes1_2)));
    entries.resize(file.read(at, entries.span()) / kIndexEntryBytes1_2 * kIndexEntryBytes1_2);
    if (entries.size() == 0) return;
    for (std::size_t i = 0; i < entries.size(); i += kIndexEntryBytes1_2) {
      const std::byte* entry = entries.data() + i;
      listener.on_entry(time_of(load_le<std::uint64_t>(entry)), load_le<std::uint64_t>(entry + 8));
    }
  }
}

bool is_index_1_2(const RecordHead& record) {
  auto count = record.header.number<std::uint32_t>("count");
  return record.header.op() == static_cast<std::uint8_t>(Op::index) &&
         record.header.number<std::uint32_t>("ver") == kIndexVersion1_2 &&
         record.header.find("topic") && count &&
         std::uint64_t{*count} * kIndexEntryBytes1_2 == record.data_size;
}

/// What content and index say of one topic.
struct TopicTimes1_2 {
  TimeSum read, listed;
  std::uint64_t offset = 0;  ///< of its index record; of the first one where there is none
};

std::string difference_1_2(const std::string& topic, const TopicTimes1_2& times) {
  if (times.read.count == times.listed.count) {
    return fmt::format("the index gives other times for the messages on {}", topic);
  }
  return fmt::format("the index lists {} messages on {}, but there are {}", times.listed.count,
                     topic, times.read.count);
}

std::optional<Loss> loss_1_2(const TopicTimes1_2& times) {
  if (times.listed.count <= times.read.count) return std::nullopt;
  return Loss{.messages = times.listed.count - times.read.count};
}

}  // namespace

void read_index_1_2(const ReadFile& file, const std::string& path, std::uint64_t begin,
                    const IndexListener1_2& listener) {
  RecordWindow window(file, path);
  std::uint64_t size = file.size();
  std::uint64_t at = begin;
  while (at != size) {
    auto record = at < size ? window.head(at) : std::nullopt;
    if (at == begin && (!record || !is_index_1_2(*record))) {
      throw Error(
          ErrorCode::corrupt,
          fmt::format("the file header places the index at byte {}, but there is none", begin),
          path, kLine1_2.size());
    }
    if (!record || !is_index_1_2(*record)) {
      throw Error(ErrorCode::corrupt, "a record of the index is damaged or cut off", path, at);
    }
    if (record->end() > size) {
      throw Error(ErrorCode::truncated, "the file ends within its index", path, at);
    }
    listener.on_record(at, record->header.text("topic"));
    read_entries_1_2(file, *record, listener);
    at = record->end();
  }
}

bool verify_index_1_2(const ReadFile& file, const std::string& path, const V1_2Parser& parser,
                      const RunStore& store, const OnProblem& on_problem) {
  std::map<std::string, TopicTimes1_2, std::less<>> topics;
  for (const ChannelPtr& channel : *store.channels()) {
    TimeSum times = store.times(channel->slot);
    if (times.count == 0) continue;
    topics[channel->topic].read.add(times);
    topics[channel->topic].offset = parser.index_pos();
  }
  TopicTimes1_2* topic = nullptr;
  IndexListener1_2 listener{
      [&](std::uint64_t offset, std::string_view name) {
        topic = &topics[std::string(name)];
        topic->offset = offset;
      },
      [&](Time time, std::uint64_t) { topic->listed.add(time); },
  };
  try {
    read_index_1_2(file, path, parser.index_pos(), listener);
  } catch (const Error& problem) {
    if (!is_damage(problem.code())) throw;
    report(on_problem, problem);
    return false;
  }
  for (const auto& [name, times] : topics) {
    if (times.read == times.listed) continue;
    report(on_problem, Error(ErrorCode::corrupt, difference_1_2(name, times), path, times.offset,
                             loss_1_2(times)));
  }
  return true;
}

}  // namespace kitbag::rosbag
