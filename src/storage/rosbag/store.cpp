#include "storage/rosbag/store.h"

#include <fmt/format.h>

#include <algorithm>

namespace kitbag::rosbag {

namespace {

/// Room for the header of one index record; those seen take 55 bytes.
constexpr std::size_t kIndexRecordHead = 128;

/// Messages by slot, in any order: different for any single change.
class CountSum {
 public:
  void add(std::uint32_t slot, std::uint64_t messages) {
    messages_ += messages;
    weight_ += (std::uint64_t{slot} + 1) * messages;
  }
  std::uint64_t messages() const { return messages_; }
  bool operator==(const CountSum&) const = default;

 private:
  std::uint64_t messages_ = 0;
  std::uint64_t weight_ = 0;
};

}  // namespace

Store::Store(std::shared_ptr<const ChunkFile> file, BagIndex index, ReadOptions options)
    : file_(std::move(file)),
      index_(std::move(index)),
      options_(std::move(options)),
      channels_(index_.connections.channels()) {}

ChunkHead Store::head_of(std::size_t chunk) const {
  std::uint64_t offset = index_.table.chunks[chunk].offset;
  auto head = file_->head(offset);
  if (!head) throw file_->error(ErrorCode::corrupt, "the index promises a chunk here", offset);
  return *head;
}

/// Bytes behind a chunk's data in which its index records are found.
std::size_t Store::index_bytes(std::size_t chunk) const {
  std::size_t bytes = 0;
  for (const ChannelCount& count : index_.table.counts_of(chunk)) {
    bytes += kIndexRecordHead + std::size_t{count.messages} * kIndexEntryBytes;
  }
  return bytes;
}

void Store::report_damage(std::size_t chunk, const std::string& message) const {
  report(options_.on_problem,
         file_->error(ErrorCode::corrupt, message, index_.table.chunks[chunk].offset));
}

void Store::load(std::size_t chunk, const Wanted& wanted, LoadedChunk& into) const {
  auto head = file_->head(index_.table.chunks[chunk].offset);
  if (!head) return report_damage(chunk, "the index promises a chunk here, and there is none");
  ChunkBody body = file_->body(*head, index_.is_scanned ? 0 : index_bytes(chunk));
  // What a scan has found damaged it has told already.
  if (body.fault && !index_.is_scanned) report(options_.on_problem, *body.fault);

  IndexSum sum;
  Time last = Time::min();
  std::uint64_t strangers = 0;
  into.in_time_order = true;
  const Channels& channels = *channels_;
  ChunkWalk walk = walk_chunk(
      body.content,
      [&](std::uint32_t connection, std::uint64_t stored, std::size_t offset, ByteView data) {
        sum.add(connection, stored, static_cast<std::uint32_t>(offset));
        auto slot = index_.connections.slot(connection);
        if (!slot) {
          ++strangers;
          return;
        }
        Time time = time_of(stored);
        if (!wanted.has(*slot) || !wanted.has(time)) return;
        into.in_time_order &= time >= last;
        last = time;
        into.messages.push_back({channels[*slot].get(), 0, 0, time, time, data});
      },
      [&](const Record& record, std::size_t) { verify_connection(chunk, record); });

  into.bytes_pinned = body.owner->capacity();
  into.base = body.content.data();
  into.owner = std::move(body.owner);
  if (index_.is_scanned) return;
  if (!walk.fault.empty() && !body.fault) {
    report_damage(
        chunk, std::string(walk.fault) + " at byte " + std::to_string(walk.end) + " of this chunk");
  }
  if (strangers > 0) {
    report_damage(chunk, std::to_string(strangers) + " messages are of unknown connections");
  }
  verify_index(chunk, body.trailing, sum);
}

/// A bag has no checksums, but it says everything twice: the index behind a chunk must agree with
/// the chunk, and with what the file's index counts.
void Store::verify_index(std::size_t chunk, ByteView trailing, const IndexSum& content) const {
  IndexSum sum;
  CountSum counted;
  CountSum promised;
  for (const ChannelCount& count : index_.table.counts_of(chunk)) {
    promised.add(count.slot, count.messages);
    auto record = parse_record(trailing);
    auto index = record ? parse_index_record(*record) : std::nullopt;
    auto slot = index ? index_.connections.slot(index->connection) : std::nullopt;
    if (!slot) return report_damage(chunk, "the index behind this chunk is damaged");
    counted.add(*slot, index->count());
    for (std::size_t i = 0; i < index->count(); ++i) {
      sum.add(index->connection, index->time(i), index->offset(i));
    }
    trailing = trailing.subspan(record->bytes);
  }
  if (sum != content || counted != promised) {
    report_damage(chunk, fmt::format("the chunk holds {} messages, the index behind it {}, the "
                                     "file's index {}, and they do not agree",
                                     content.messages(), counted.messages(), promised.messages()));
  }
}

void Store::verify_connection(std::size_t chunk, const Record& record) const {
  if (index_.is_scanned || record.header.op() != static_cast<std::uint8_t>(Op::connection)) return;
  if (!index_.connections.agrees_with(record)) {
    report_damage(chunk, "a connection record in this chunk contradicts the index");
  }
}

bool Store::positions(std::size_t chunk, const Wanted& wanted, std::vector<Position>& into) const {
  auto head = file_->head(index_.table.chunks[chunk].offset);
  if (!head || index_.is_scanned) return false;
  std::size_t before = into.size();
  RecordWindow window(file_->file(), file_->path());
  std::uint64_t at = head->end();
  CountSum counted;
  CountSum promised;
  for (const ChannelCount& count : index_.table.counts_of(chunk)) {
    auto record = window.record(at, kMaxConnectionBytes);
    auto index = record ? parse_index_record(*record) : std::nullopt;
    auto slot = index ? index_.connections.slot(index->connection) : std::nullopt;
    promised.add(count.slot, count.messages);
    if (!slot) {
      into.resize(before);
      return false;
    }
    counted.add(*slot, index->count());
    at += record->bytes;
    if (!wanted.has(*slot)) continue;
    for (std::size_t i = 0; i < index->count(); ++i) {
      Time time = time_of(index->time(i));
      // Four bytes on: behind whatever comes before this record, in front of its own payload.
      std::uint32_t offset = index->offset(i) + 4;
      if (wanted.has(time)) into.push_back({time, static_cast<std::uint32_t>(chunk), offset});
    }
  }
  if (counted != promised) into.resize(before);
  return counted == promised;
}

ChunkSummary Store::summarize(std::size_t chunk) const {
  const Chunk& known = index_.table.chunks[chunk];
  ChunkHead head = head_of(chunk);
  ChunkSummary summary;
  summary.offset = head.offset;
  summary.stored_bytes = head.stored_bytes;
  summary.bytes = head.size.value_or(head.compression == "none" ? head.stored_bytes : 0);
  summary.compression = head.compression;
  for (const ChannelCount& count : index_.table.counts_of(chunk)) {
    summary.messages += count.messages;
  }
  summary.start = known.start;
  summary.end = known.end;
  return summary;
}

}  // namespace kitbag::rosbag
