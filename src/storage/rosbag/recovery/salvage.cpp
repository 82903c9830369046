#include "storage/rosbag/recovery/salvage.h"

#include <algorithm>

#include "storage/rosbag/chunk_walk.h"

// What is done where a record may begin (B: a record begins, or the index places a message):
//
//     [record]B                          taken
//     [record]?   with a B inside        its own length is damaged: the walk goes on inside it
//     [record]?   nothing inside         taken: what follows it is damaged
//     ?           the index has a place  taken by its length if a B follows; connection and time
//                                        are those of the index
//
// The third case has an exception. A hole of zeros that begins in the length makes it smaller, and
// zeros follow; such a record is not believed.
//
// An index that lists a message inside the record, which really is there, refutes the record's
// length. If the index is whole, a message that was found by search and is not listed is no
// message: it may be part of a payload.
//
// Searching is the expensive part, so the place of the next header is remembered: it is valid for
// every begin between the last search and that place. A second window serves single looks ahead, so
// that the window of the search stays where it is.

namespace kitbag::rosbag {

namespace {

/// Looked at of a payload when its length is in doubt.
constexpr std::size_t kDoubtBytes = 256;
/// A message's record up to its payload, as every writer makes it.
constexpr std::size_t kMessageFrame = 2 * sizeof(std::uint32_t) + MessageLayout::kHeaderBytes;

bool before(const IndexPlace& place, std::uint64_t offset) {
  return place.offset < offset;
}

bool is_zero(ByteView bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](std::byte b) { return b == std::byte{}; });
}

}  // namespace

IndexPlaces read_places(const ChunkFile& file, std::uint64_t offset, std::uint64_t most) {
  IndexPlaces index;
  RecordWindow window = file.window(kPeekBytes);
  auto head = window.head(offset);
  for (; head && head->header.kind() == Op::index; head = window.head(offset)) {
    auto record = window.record(offset, kMaxConnectionBytes);
    auto entries = record ? parse_index_record(*record) : std::nullopt;
    if (!entries || index.places.size() + entries->count() > most) return {};
    for (std::size_t i = 0; i < entries->count(); ++i) {
      index.places.push_back({entries->offset(i), entries->connection, entries->time(i)});
    }
    offset += record->bytes;
  }
  bool is_ended =
      offset >= file.file().size() || (head && is_plausible(head->header, head->data_size));
  auto by_offset = [](const auto& a, const auto& b) { return a.offset < b.offset; };
  auto same_offset = [](const auto& a, const auto& b) { return a.offset == b.offset; };
  std::vector<IndexPlace>& places = index.places;
  std::sort(places.begin(), places.end(), by_offset);
  places.erase(std::unique(places.begin(), places.end(), same_offset), places.end());
  index.is_whole = is_ended && !places.empty();
  return index;
}

IndexPlaces places_behind(const ChunkFile& file, const ChunkHead& head, ByteView content,
                          bool is_end_known) {
  if (head.is_stretch()) return {};
  // More messages than could stand in the chunk would be a lie, and memory for nothing.
  std::size_t most = std::max<std::size_t>(content.size(), head.size.value_or(0)) / kMessageFrame;
  IndexPlaces index = read_places(file, head.end(), most);
  std::uint64_t agreeing = 0;
  std::uint64_t contradicting = 0;
  for (const IndexPlace& place : index.places) {
    if (place.offset >= content.size()) break;
    auto record = parse_record(content.subspan(static_cast<std::size_t>(place.offset)));
    if (!record || record->header.kind() != Op::message) continue;
    bool agrees = record->header.number<std::uint32_t>("conn") == place.connection &&
                  record->header.number<std::uint64_t>("time") == place.time;
    ++(agrees ? agreeing : contradicting);
  }
  bool is_own = agreeing > contradicting || (is_end_known && contradicting == 0);
  if (!is_own) return {};
  index.is_whole = index.is_whole && is_end_known;  // else its begin may be missing
  return index;
}

Salvage::Salvage(const ReadFile& file, std::uint64_t begin, std::uint64_t end, IndexPlaces places)
    : at_(begin),
      end_(std::min(end, file.size())),
      search_(file, end_),
      peek_(file, end_, kPeekBytes),
      index_(std::move(places)) {
  for (IndexPlace& place : index_.places) place.offset += begin;
  gaps_.is_counted = index_.is_whole;
}

std::optional<FoundRecord> Salvage::next() {
  gap_begin_ = at_;
  std::uint64_t tries = 0;
  for (; at_ < end_; ++tries) {
    auto record = whole_record(at_);
    if (!record || !is_believable(*record)) record = indexed_record(at_);
    if (record) {
      take(*record);
      return record;
    }
    at_ = std::min(next_header(at_ + 1), next_place(at_ + 1));
  }
  if (gap_begin_ < end_) {
    note_gap(gap_begin_, end_);
    auto head = search_.head_at(gap_begin_);
    gaps_.ends_in_message =
        tries == 1 && head && head->end() > end_ && head->header.kind() == Op::message;
  }
  gaps_.last_bytes = end_ - gap_begin_;
  while (next_unmet_ < index_.places.size()) gaps_.missed.push_back(index_.places[next_unmet_++]);
  return std::nullopt;
}

void Salvage::take(FoundRecord& record) {
  note_gap(gap_begin_, record.offset);
  record.gap = record.offset - gap_begin_;
  at_ = record.end;
  const auto& places = index_.places;
  while (next_unmet_ < places.size() && places[next_unmet_].offset < record.offset) {
    gaps_.missed.push_back(places[next_unmet_++]);
  }
  if (next_unmet_ < places.size() && places[next_unmet_].offset == record.offset) ++next_unmet_;
}

void Salvage::note_gap(std::uint64_t begin, std::uint64_t end) {
  if (begin == end) return;
  if (gaps_.bytes == 0) gaps_.first = begin;
  gaps_.bytes += end - begin;
}

std::optional<FoundRecord> Salvage::whole_record(std::uint64_t offset) {
  auto head = search_.head_at(offset);
  if (!head) return std::nullopt;
  FoundRecord record{.offset = offset, .data_offset = head->data_offset, .end = head->end()};
  record.op = head->header.kind();
  if (record.op == Op::chunk) record.end = record.data_offset;
  if (record.end > end_) return std::nullopt;
  if (record.op != Op::message) return record;
  record.time = *head->header.number<std::uint64_t>("time");
  record.connection = head->header.number<std::uint32_t>("conn");
  if (record.connection) return record;
  topic_ = head->header.text("topic");
  record.topic = topic_;
  return record;
}

/// A message whose header is damaged, but not its length, where the index places one.
std::optional<FoundRecord> Salvage::indexed_record(std::uint64_t offset) {
  const IndexPlace* place = place_at(offset);
  if (!place) return std::nullopt;
  ByteView frame = search_.bytes(offset, kMessageFrame);
  if (frame.size() < kMessageFrame) return std::nullopt;
  FoundRecord record{.offset = offset, .data_offset = offset + kMessageFrame};
  record.end = record.data_offset +
               load_le<std::uint32_t>(frame.data() + kMessageFrame - sizeof(std::uint32_t));
  record.op = Op::message;
  record.connection = place->connection;
  record.time = place->time;
  if (record.end > end_ || !is_boundary(record.end)) return std::nullopt;
  return record;
}

bool Salvage::is_believable(const FoundRecord& record) {
  if (is_structural(record.op)) return true;
  if (contradicts_index(record)) return false;
  if (is_boundary(record.end)) return true;
  return next_header(record.offset + 1) >= record.end && !may_be_cut_short(record);
}

bool Salvage::contradicts_index(const FoundRecord& record) {
  // What looks like a message may be the payload of one that is damaged.
  bool is_message = record.op == Op::message;
  bool is_found_by_search = record.offset != gap_begin_;
  if (is_message && is_found_by_search && index_.is_whole && !place_at(record.offset)) return true;
  std::uint64_t inside = next_place(record.offset + 1);
  if (inside >= record.end) return false;
  auto head = search_.head_at(inside);
  const IndexPlace* place = place_at(inside);
  return head && head->header.number<std::uint64_t>("time") == place->time &&
         head->header.number<std::uint32_t>("conn") == place->connection;
}

bool Salvage::is_boundary(std::uint64_t offset) {
  return offset == end_ || place_at(offset) || begins_record(offset);
}

bool Salvage::begins_record(std::uint64_t offset) {
  constexpr std::size_t kEnough = 1024;
  RecordSearch& here = search_.holds(offset, kEnough) ? search_ : peek_;
  return here.head_at(offset).has_value();
}

/// Whether the length of a record that nothing follows is not to be believed: a hole of zeros that
/// begins in it makes it smaller, and what follows zero.
bool Salvage::may_be_cut_short(const FoundRecord& record) {
  std::uint64_t size = std::min<std::uint64_t>(record.end - record.data_offset, kDoubtBytes);
  if (size == 0) return true;
  const IndexPlace* place = place_at(record.offset);
  if (place && (place->time != record.time || place->connection != record.connection)) return true;
  return is_zero(search_.bytes(record.data_offset, static_cast<std::size_t>(size))) &&
         is_zero(search_.bytes(record.end, 1));
}

const IndexPlace* Salvage::place_at(std::uint64_t offset) const {
  auto it = std::lower_bound(index_.places.begin(), index_.places.end(), offset, before);
  return it != index_.places.end() && it->offset == offset ? &*it : nullptr;
}

std::uint64_t Salvage::next_place(std::uint64_t from) const {
  auto it = std::lower_bound(index_.places.begin(), index_.places.end(), from, before);
  return it != index_.places.end() ? std::min(it->offset, end_) : end_;
}

/// As RecordSearch::find_record(), but what was searched once is not searched again.
std::uint64_t Salvage::next_header(std::uint64_t from) {
  if (from < searched_from_ || from > found_header_) {
    searched_from_ = from;
    found_header_ = search_.find_record(from);
  }
  return found_header_;
}

}  // namespace kitbag::rosbag
