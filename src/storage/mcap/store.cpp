#include "storage/mcap/store.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "storage/chunked/file_window.h"
#include "storage/mcap/content.h"
#include "storage/mcap/salvage.h"

// Chunks of an open file, for the engine. If the file was opened by its summary, nobody has read
// the chunks yet: each is compared with the summary when it is loaded (number of messages,
// definitions, times). After a scan there is nothing left to compare, because the table was made of
// the same content, and damage has been reported.
//
// For `nth` and for the last message before a time, the payloads are not needed. The message
// indexes behind a chunk then replace it:
//
//     Chunk | 07 channel 3: (time, offset) ... | 07 channel 5: (time, offset) ... | next chunk
//
// They take 16 bytes a message and are never compressed. They are believed only if every wanted
// entry lies within the chunk's times, and if there are as many as the summary promises. Otherwise
// the caller loads the chunk.

namespace kitbag::mcap {

Store::Store(std::shared_ptr<const ChunkFile> file, BagIndex index, ReadOptions options)
    : IndexedStore(std::move(file), std::move(index), std::move(options)) {
  index_.table.are_times_sure = true;  // the format has the earliest and the latest of each chunk
}

/// How many messages of a chunk of `bytes` are wanted, whatever their times: as many as the index
/// lists, and no more than there is room for.
std::size_t Store::most_wanted(std::size_t chunk, const Wanted& wanted, std::size_t bytes) const {
  std::size_t messages = 0;
  for (const ChannelCount& count : table().counts_of(chunk)) {
    if (wanted.has(count.slot)) messages += count.messages;
  }
  return std::min(messages, bytes / (kRecordHead + MessageHead::kBytes));
}

/// Takes the messages of a chunk as they are found.
class Store::Filling : public ChunkFilling {
 public:
  Filling(const Store& store, const Wanted& wanted, LoadedChunk& into)
      : ChunkFilling(*store.channels_, wanted, into),
        definitions_(store.index_.definitions),
        is_by_publish_time_(wanted.by == TimeField::publish_time) {}

  void add(const MessageHead& head, ByteView data) {
    ++messages_;
    if (exceeds_time(head)) ++beyond_;
    Time log_time = time_of(head.log_time);
    note(log_time);
    auto slot = definitions_.slot(head.channel_id);
    if (!slot) return add_stranger();
    Time publish_time = head.publish_time == head.log_time ? log_time : time_of(head.publish_time);
    ChunkFilling::add(*slot, is_by_publish_time_ ? publish_time : log_time,
                      {nullptr, head.sequence, 0, log_time, publish_time, data});
  }
  /// A definition that is not in the index is ignored; any other must agree with it.
  void add(const Record& record) {
    bool is_schema = record.op == static_cast<std::uint8_t>(Op::schema);
    if (!is_schema && record.op != static_cast<std::uint8_t>(Op::channel)) return;
    if (!definitions_.agrees_with(is_schema, record.content)) contradict();
  }
  void restart() {
    ChunkFilling::restart();
    messages_ = beyond_ = 0;
  }

  std::uint64_t messages() const { return messages_; }
  std::uint64_t beyond() const { return beyond_; }

 private:
  const Definitions& definitions_;
  bool is_by_publish_time_;
  std::uint64_t messages_ = 0;  ///< wanted or not
  std::uint64_t beyond_ = 0;    ///< of these, by exceeds_time()
};

/// Nothing for stretches, and where there is no chunk record.
std::optional<ChunkPlace> Store::place_of(std::size_t chunk) const {
  auto place = file_->place(table().chunks[chunk].offset);
  if (!place) return std::nullopt;
  std::uint64_t end = index_.is_scanned ? file_->file().size() : table().end_of(chunk);
  if (place->is_consistent() && place->end <= end) return place;
  return settle(*file_, *place, index_.is_scanned ? end : table().data_end);
}

/// Of a stretch, or of a chunk whose record is lost, what stands there.
ChunkBody Store::body_of(std::size_t chunk, const std::optional<ChunkPlace>& place,
                         const Fetch& fetch) const {
  if (place) return file_->body(*place, fetch);
  std::uint64_t begin = table().chunks[chunk].offset;
  const Stretch* stretch = index_.stretch_at(begin);
  return file_->stretch(begin, stretch ? stretch->end : std::max(begin, table().end_of(chunk)));
}

void Store::load(std::size_t chunk, const Wanted& wanted, LoadedChunk& into,
                 const Fetch& fetch) const {
  Filling filling(*this, wanted, into);
  filling.restart();
  bool is_stretch = index_.stretch_at(table().chunks[chunk].offset) != nullptr;
  auto place = is_stretch ? std::nullopt : place_of(chunk);
  ChunkBody body = body_of(chunk, place, fetch);
  into.messages.reserve(most_wanted(chunk, wanted, body.content.size()));
  ContentWalk walked = walk_content(
      body.content,
      [&](const MessageHead& head, std::size_t, ByteView data) { filling.add(head, data); },
      [&](const Record& record, std::size_t) { filling.add(record); });
  filling.keep(body);
  bool is_readable = body.is_whole && walked.fault.empty() && (place || is_stretch);
  if (is_readable && !index_.is_scanned && body.fault) {
    Loss loss;
    filling.tell(
        loss_of(chunk, fmt::format("{}; {}", body.fault->message(), describe(loss)), loss));
  }
  if (is_readable) {
    tell_beyond(chunk, filling);
    return verify(chunk, filling);
  }
  std::string what = "the index lists a chunk here, but there is none";
  if (body.fault) {
    what = body.fault->message();
  } else if (place || is_stretch) {
    what = fmt::format("{} at byte {} of this chunk", walked.fault, walked.end);
  }
  salvage(chunk, place, body, std::move(what), filling);
}

/// Reads a damaged chunk again, and skips the damage. A scan has reported it already.
void Store::salvage(std::size_t chunk, const std::optional<ChunkPlace>& place,
                    const ChunkBody& body, std::string what, Filling& filling) const {
  filling.restart();
  Loss loss = salvage_content(
      body.content,
      [&](const MessageHead& head, std::size_t, ByteView data) { filling.add(head, data); },
      [&](const Record& record, std::size_t) { filling.add(record); });
  filling.keep(body);
  tell_beyond(chunk, filling);
  // A scan has reported damage in chunks; it has not read the records outside of them.
  bool is_reported = index_.is_scanned && place;
  if (is_reported) return;
  std::optional<std::uint64_t> there;
  if (table().are_counts_sure) there = table().messages_of(chunk);
  if (!there && place) there = indexed_messages(file_->file(), place->end);
  if (there) loss.messages = *there - std::min(*there, filling.messages() - filling.strangers());
  ErrorCode code = body.fault ? body.fault->code() : ErrorCode::corrupt;
  filling.tell(loss_of(chunk, fmt::format("{}; {}", what, describe(loss)), loss, code));
}

void Store::tell_beyond(std::size_t chunk, Filling& filling) const {
  if (filling.beyond() == 0) return;
  filling.tell(loss_of(chunk, describe_beyond(filling.beyond()), Loss{.messages = 0},
                       ErrorCode::unsupported));
}

void Store::verify(std::size_t chunk, Filling& filling) const {
  if (index_.is_scanned) return;
  verify_times(chunk, filling);
  if (filling.is_contradicted()) {
    filling.tell(damage(chunk, "a schema or channel record in this chunk contradicts the summary"));
  }
  if (filling.strangers() > 0) {
    return filling.tell(
        loss_of(chunk,
                fmt::format("{} messages belong to channels that the summary does not list",
                            filling.strangers()),
                Loss{.messages = filling.strangers()}));
  }
  std::uint64_t promised = table().messages_of(chunk);
  if (!table().are_counts_sure || filling.messages() == promised) return;
  Loss loss;
  loss.messages = promised - std::min(promised, filling.messages());
  filling.tell(loss_of(chunk,
                       fmt::format("the chunk holds {} messages, but the summary promises {}",
                                   filling.messages(), promised),
                       loss));
}

bool Store::positions(std::size_t chunk, const Wanted& wanted, std::vector<Position>& into) const {
  constexpr std::size_t kWindow = 64 << 10;
  if (index_.is_scanned || !table().are_counts_sure) return false;
  auto place = place_of(chunk);
  if (!place || index_.stretch_at(place->offset)) return false;
  const Chunk& known = table().chunks[chunk];
  std::size_t before = into.size();
  FileWindow window;
  std::uint64_t listed = 0;
  std::uint64_t at = place->end;
  std::uint64_t end = table().end_of(chunk);
  bool is_sound = true;
  for (std::size_t i = 0; is_sound && i < table().counts_of(chunk).size(); ++i) {
    ByteView head = window.at(file_->file(), end, at, kRecordHead, kWindow);
    is_sound = head.size() >= kRecordHead && head[0] == std::byte{0x07};
    if (!is_sound) break;
    auto length = load_le<std::uint64_t>(&head[1]);
    is_sound = length <= end - at - kRecordHead;
    if (!is_sound) break;
    auto record = parse_record(window.at(file_->file(), end, at, kRecordHead + length, kWindow));
    auto index = record ? parse_message_index(record->content) : std::nullopt;
    auto slot = index ? index_.definitions.slot(index->channel_id) : std::nullopt;
    is_sound = slot.has_value();
    if (!is_sound) break;
    at += record->bytes;
    listed += index->count();
    for (std::size_t k = 0; wanted.has(*slot) && k < index->count(); ++k) {
      Time time = time_of(index->time(k));
      is_sound &= index->offset(k) < kMaxChunkBytes && time >= known.start && time <= known.end;
      // Behind whatever comes before this record, in front of its own payload.
      auto offset = static_cast<std::uint32_t>(index->offset(k) + kRecordHead);
      if (wanted.has(time))
        into.push_back({time, static_cast<std::uint32_t>(chunk), offset, *slot});
    }
  }
  is_sound &= listed == table().messages_of(chunk);
  if (!is_sound) into.resize(before);
  return is_sound;
}

ChunkSummary Store::summarize(std::size_t chunk) const {
  const Chunk& known = table().chunks[chunk];
  ChunkSummary summary;
  summary.offset = known.offset;
  summary.start = known.start;
  summary.end = known.end;
  summary.messages = table().messages_of(chunk);
  std::string compression;
  if (const Stretch* stretch = index_.stretch_at(known.offset)) {
    summary.stored_bytes = summary.bytes = stretch->end - stretch->begin;
  } else if (const ChunkSize* size = index_.size_at(known.offset)) {
    summary.stored_bytes = size->stored_bytes;
    summary.bytes = size->bytes;
    compression = index_.compressions[size->compression];
  } else if (auto place = place_of(chunk)) {
    summary.stored_bytes = place->stored_bytes;
    summary.bytes = place->size;
    compression = place->compression;
  } else {
    return summary;
  }
  summary.compression = compression.empty() ? "none" : compression;
  return summary;
}

}  // namespace kitbag::mcap
