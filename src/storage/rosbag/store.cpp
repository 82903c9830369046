#include "storage/rosbag/store.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "storage/chunked/loss.h"
#include "storage/rosbag/recovery/compressed_search.h"
#include "storage/rosbag/recovery/findings.h"
#include "storage/rosbag/recovery/salvage.h"

// A chunk is loaded together with the index records behind it, by one read:
//
//     chunk head | data | index of a connection | index of a connection | next chunk
//                         (time, offset) ...      (time, offset) ...
//
// The counts of the file's index say how long these records are at most, so the file need not be
// asked. While the chunk is parsed, a sum over connection, time and offset of each message is
// taken; the same sum over the index records must be equal. This is what replaces the checksums
// that the format does not have (decision 002). Only payloads are not covered.
//
// If the chunk has a fault, or another number of messages than the file's index says, it is read
// again by the rules for damage (recovery/salvage.h), which use the index behind it. But the index
// may be wrong, too. If the plain walk met no fault and the salvage finds fewer messages, the walk
// is believed and repeated.

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

constexpr std::size_t kHeadsAhead = 16;

std::string fault_of(const ChunkBody& body, const ChunkWalk& walk) {
  if (body.fault) return body.fault->message();
  if (!walk.fault.empty()) return fmt::format("{} at byte {} of this chunk", walk.fault, walk.end);
  return "the chunk's content does not match the index";
}

/// Says that a chunk and what two indexes say of it are not the same; by the numbers of messages,
/// if these differ.
std::string mismatch(std::uint64_t in_chunk, std::uint64_t in_index, std::uint64_t in_file_index) {
  if (in_chunk == in_index && in_index == in_file_index) {
    return fmt::format(
        "the connections, times or places of the chunk's {} messages do not match its index",
        in_chunk);
  }
  return fmt::format(
      "the chunk holds {} messages, the index after it counts {}, and the file's index {}",
      in_chunk, in_index, in_file_index);
}

}  // namespace

Store::Store(std::shared_ptr<const ChunkFile> file, BagIndex index, ReadOptions options)
    : IndexedStore(std::move(file), std::move(index), std::move(options)) {}

/// Nothing: there is no chunk record.
std::optional<ChunkHead> Store::head_of(std::size_t chunk) const {
  std::uint64_t offset = table().chunks[chunk].offset;
  auto known = std::lower_bound(
      index_.heads.begin(), index_.heads.end(), offset,
      [](const ChunkHead& head, std::uint64_t place) { return head.offset < place; });
  if (known != index_.heads.end() && known->offset == offset) return *known;
  return file_->head(offset);
}

/// Bytes behind a chunk's data in which its index records are found.
std::size_t Store::index_bytes(std::size_t chunk) const {
  std::size_t bytes = 0;
  for (const ChannelCount& count : table().counts_of(chunk)) {
    bytes += kIndexRecordHead + std::size_t{count.messages} * kIndexEntryBytes;
  }
  return bytes;
}

/// Takes the messages of a chunk as they are found.
class Store::Filling : public ChunkFilling {
 public:
  Filling(const Store& store, const Wanted& wanted, LoadedChunk& into)
      : ChunkFilling(*store.channels_, wanted, into), connections_(store.index_.connections) {}

  void add(std::uint32_t connection, std::uint64_t stored, std::size_t offset, ByteView data) {
    sum_.add(connection, stored, static_cast<std::uint32_t>(offset));
    Time time = time_of(stored);
    note(time);
    auto slot = connections_.slot(connection);
    if (!slot) return add_stranger();
    ChunkFilling::add(*slot, time, {nullptr, 0, 0, time, time, data});
  }
  void add(const Record& record) {
    bool is_connection = record.header.kind() == Op::connection;
    if (is_connection && !connections_.agrees_with(record)) contradict();
  }
  std::optional<std::uint32_t> id_of(std::string_view topic) const {
    return connections_.find_topic(topic);
  }
  void restart() {
    ChunkFilling::restart();
    sum_ = {};
  }

  const IndexSum& sum() const { return sum_; }

 private:
  const Connections& connections_;
  IndexSum sum_;  ///< of all, wanted or not
};

void Store::load(std::size_t chunk, const Wanted& wanted, LoadedChunk& into,
                 const Fetch& fetch) const {
  Filling filling(*this, wanted, into);
  filling.restart();
  auto head = head_of(chunk);
  if (!head) {
    std::string what = "the index lists a chunk here, but there is none";
    return salvage(chunk, head, std::move(what), filling);
  }
  ChunkBody body = file_->body(*head, index_.is_scanned ? 0 : index_bytes(chunk), fetch);
  ChunkWalk walked = walk(body, filling);
  filling.keep(body);
  std::uint64_t messages = filling.sum().messages();
  bool is_sound = body.is_whole && walked.fault.empty();
  if (is_sound && (index_.is_scanned || messages == table().messages_of(chunk))) {
    return verify(chunk, body, filling);
  }
  salvage(chunk, head, fault_of(body, walked), filling);
  if (!is_sound || filling.sum().messages() >= messages) return;
  // It was the index that was wrong.
  filling.restart();
  walk(body, filling);
  filling.keep(body);
}

ChunkWalk Store::walk(const ChunkBody& body, Filling& filling) const {
  return walk_chunk(
      body.content,
      [&](std::uint32_t connection, std::uint64_t stored, std::size_t offset, ByteView data) {
        filling.add(connection, stored, offset, data);
      },
      [&](const Record& record, std::size_t) { filling.add(record); },
      [&](std::string_view topic) { return filling.id_of(topic); });
}

/// Reads a damaged chunk again, and skips the damage. A scan has reported it already.
void Store::salvage(std::size_t chunk, const std::optional<ChunkHead>& found, std::string what,
                    Filling& filling) const {
  filling.restart();
  std::optional<ChunkHead> head = found;
  ChunkBody body = damaged_body(chunk, head);
  IndexPlaces places = head ? places_behind(*file_, *head, body.content, true) : IndexPlaces();
  GapTimes times(std::nullopt);
  Gaps gaps = salvage_chunk(
      body.content, std::move(places),
      [&](std::uint32_t connection, std::uint64_t stored, std::size_t offset, ByteView data,
          std::uint64_t gap) {
        if (gap > 0) times.gap();
        times.message(time_of(stored));
        filling.add(connection, stored, offset, data);
      },
      [&](const Record& record, std::size_t) { filling.add(record); },
      [&](std::string_view topic) { return filling.id_of(topic); });
  filling.keep(body);
  if (index_.is_scanned) return;
  std::optional<Loss> loss = Loss{.bytes = gaps.bytes};
  times.put_into(*loss);
  if (!gaps.missed.empty()) put_times(gaps.missed, *loss);
  std::uint64_t missing =
      table().messages_of(chunk) - std::min(table().messages_of(chunk), filling.sum().messages());
  loss->messages = filling.strangers() + (gaps.is_counted ? gaps.missed.size() : missing);
  bool is_doubtful = body.is_packed && !body.is_whole;
  if (loss->messages == 0U) loss = is_doubtful ? std::optional(Loss{}) : std::nullopt;
  ErrorCode code = body.fault ? body.fault->code() : ErrorCode::corrupt;
  filling.tell(loss_of(chunk, what + "; " + describe(loss), loss, code));
}

/// The content of a damaged chunk. Clears `head` if the end that it gives cannot be trusted.
ChunkBody Store::damaged_body(std::size_t chunk, std::optional<ChunkHead>& head) const {
  if (!head) return headless_body(chunk);
  RecordWindow window = file_->window();
  auto next = window.head(head->end());
  bool is_bounded =
      index_.is_scanned || head->end() == table().end_of(chunk) ||
      (next && is_structural(next->header.kind()) && is_plausible(next->header, next->data_size));
  if (is_bounded) return file_->body(*head, 0);
  ChunkHead longest = *std::exchange(head, std::nullopt);
  if (longest.data_offset >= table().end_of(chunk)) return headless_body(chunk);
  longest.stored_bytes = static_cast<std::uint32_t>(
      std::min<std::uint64_t>(table().end_of(chunk) - longest.data_offset, UINT32_MAX));
  return file_->body(longest, 0);
}

/// The content of a chunk whose record is lost: its compressed data, or all bytes in its place.
ChunkBody Store::headless_body(std::size_t chunk) const {
  std::uint64_t begin = table().chunks[chunk].offset;
  // The index may be wrong about the place: the data begins where the chunk before it ends.
  auto before = chunk > 0 ? head_of(chunk - 1) : std::nullopt;
  if (before && before->end() <= table().end_of(chunk)) begin = before->end();
  std::uint64_t end = std::max(begin, std::min(table().end_of(chunk), file_->file().size()));
  RecordSearch search(file_->file(), end);
  if (auto packed = find_compressed(search, begin, end)) {
    ChunkBody body = file_->body(*packed, 0);
    if (!body.content.empty()) return body;
  }
  auto bytes = static_cast<std::uint32_t>(std::min<std::uint64_t>(end - begin, UINT32_MAX));
  return file_->body({begin, begin, bytes, "none", bytes}, 0);
}

/// A bag has no checksums, but it says everything twice.
void Store::verify(std::size_t chunk, const ChunkBody& body, Filling& filling) const {
  if (index_.is_scanned) return;
  if (body.fault) filling.tell(*body.fault);
  verify_times(chunk, filling);
  if (filling.is_contradicted()) {
    filling.tell(damage(chunk, "a connection record in this chunk contradicts the index"));
  }
  if (filling.strangers() > 0) {
    filling.tell(loss_of(
        chunk, fmt::format("{} messages belong to unknown connections", filling.strangers()),
        Loss{.messages = filling.strangers()}));
    return;  // the index would contradict that
  }
  verify_index(chunk, body.trailing, filling);
}

/// The index behind a chunk must agree with the chunk, and with what the file's index counts.
void Store::verify_index(std::size_t chunk, ByteView trailing, Filling& filling) const {
  const IndexSum& content = filling.sum();
  IndexSum sum;
  CountSum counted;
  CountSum promised;
  std::optional<Loss> loss;
  std::uint64_t missing =
      table().messages_of(chunk) - std::min(table().messages_of(chunk), content.messages());
  if (missing > 0) loss = Loss{.messages = missing};
  for (const ChannelCount& count : table().counts_of(chunk)) {
    promised.add(count.slot, count.messages);
  }
  // A connection may have several of them.
  while (counted.messages() < promised.messages()) {
    auto record = parse_record(trailing);
    auto index = record ? parse_index_record(*record) : std::nullopt;
    auto slot = index ? index_.connections.slot(index->connection) : std::nullopt;
    if (!slot) {
      return filling.tell(loss_of(chunk, "the index after this chunk is damaged", loss));
    }
    counted.add(*slot, index->count());
    for (std::size_t i = 0; i < index->count(); ++i) {
      sum.add(index->connection, index->time(i), index->offset(i));
    }
    trailing = trailing.subspan(record->bytes);
  }
  if (sum == content && counted == promised) return;
  // As many as there should be, but not the same: nobody can tell whether the message is damaged
  // or what the index says of it.
  bool is_doubtful = sum != content && content.messages() == counted.messages();
  if (!loss) {
    loss = Loss{};
    if (!is_doubtful) loss->messages = 0;
  }
  filling.tell(
      loss_of(chunk, mismatch(content.messages(), counted.messages(), promised.messages()), loss));
}

bool Store::positions(std::size_t chunk, const Wanted& wanted, std::vector<Position>& into) const {
  auto head = head_of(chunk);
  if (!head || index_.is_scanned) return false;
  std::size_t before = into.size();
  RecordWindow window(file_->file(), file_->path());
  std::uint64_t at = head->end();
  CountSum counted;
  CountSum promised;
  Time earliest = Time::max();
  Time latest = Time::min();
  for (const ChannelCount& count : table().counts_of(chunk)) {
    promised.add(count.slot, count.messages);
  }
  while (counted.messages() < promised.messages()) {
    auto record = window.record(at, kMaxConnectionBytes);
    auto index = record ? parse_index_record(*record) : std::nullopt;
    auto slot = index ? index_.connections.slot(index->connection) : std::nullopt;
    if (!slot) {
      into.resize(before);
      return false;
    }
    counted.add(*slot, index->count());
    at += record->bytes;
    if (!wanted.has(*slot)) continue;
    for (std::size_t i = 0; i < index->count(); ++i) {
      Time time = time_of(index->time(i));
      earliest = std::min(earliest, time);
      latest = std::max(latest, time);
      // Four bytes on: behind whatever comes before this record, in front of its own payload.
      std::uint32_t offset = index->offset(i) + 4;
      if (wanted.has(time))
        into.push_back({time, static_cast<std::uint32_t>(chunk), offset, *slot});
    }
  }
  bool is_sound = counted == promised && !has_wrong_times(chunk, earliest, latest);
  if (!is_sound) into.resize(before);
  return is_sound;
}

ChunkSummary Store::summarize(std::size_t chunk) const {
  const Chunk& known = table().chunks[chunk];
  // Whoever asks for one asks for all, in order. Heads are far apart, so the next ones come
  // together.
  if (chunk % kHeadsAhead == 0) {
    std::size_t end = std::min(table().chunks.size(), chunk + 2 * kHeadsAhead);
    for (std::size_t next = chunk + 1; next < end; ++next) {
      prefetch(table().chunks[next].offset, kChunkHeadBytes);
    }
  }
  auto found = head_of(chunk);
  if (!found) {
    throw file_->error(ErrorCode::corrupt, "the index lists a chunk here, but there is none",
                       known.offset);
  }
  const ChunkHead& head = *found;
  ChunkSummary summary;
  summary.offset = head.offset;
  summary.stored_bytes = head.stored_bytes;
  summary.compression = file_->compression_of(head);
  if (head.size) {
    summary.bytes = *head.size;
  } else if (summary.compression == "none") {
    summary.bytes = head.stored_bytes;
  } else {  // a first draft
    summary.bytes = file_->body(head, 0).content.size();
  }
  summary.messages = table().messages_of(chunk);
  summary.start = known.start;
  summary.end = known.end;
  return summary;
}

}  // namespace kitbag::rosbag
