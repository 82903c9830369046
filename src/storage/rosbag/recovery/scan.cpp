#include <fmt/format.h>

#include <algorithm>

#include "io/unwritten.h"
#include "storage/rosbag/chunk_walk.h"
#include "storage/rosbag/index.h"
#include "storage/rosbag/recovery/scan_parts.h"

// One pass over all records of the file. A chunk is believed when a record follows where it says
// that it ends. Everything else (no record where one should be, a length that leads nowhere,
// messages outside of chunks because their recorder died before it closed one) is walked record by
// record, and what is whole becomes stretches: chunks without a chunk record. What a compressed
// chunk holds comes out only from its begin; where its record is lost, that is searched for.
//
// No place is read more than a few times, whatever the lengths in the file say: a chunk is read as
// a whole only when its end is confirmed, or up to the next record between chunks.

namespace kitbag::rosbag {

namespace {

/// Whether the records from `begin` on, each taken at its word, end where the file does.
bool leads_to_file_end(const ChunkFile& file, std::uint64_t begin) {
  RecordWindow window = file.window();
  std::uint64_t size = file.file().size();
  while (begin < size) {
    auto head = window.head(begin);
    if (!head) return false;
    begin = head->end();
  }
  return begin == size;
}

/// A recorder that died may leave zeros behind what it has written; a message at the end may hold
/// them.
std::uint64_t size_to_scan(const ChunkFile& file, std::uint64_t header_end) {
  std::uint64_t size = file.file().size();
  std::uint64_t written = std::max(end_of_written(file.file()), std::min(header_end, size));
  return written < size && !leads_to_file_end(file, header_end) ? written : size;
}

}  // namespace

ScanState::ScanState(const ChunkFile& bag, const FileHeader& header)
    : file(bag), size(size_to_scan(bag, header.end)) {
  index.header = header;
  index.is_scanned = true;
}

void ScanState::take_connection(const Record& record, std::uint64_t offset) {
  if (record.header.kind() == Op::message_definition) {
    index.connections.add_definition(record);
    if (auto topic = record.header.find("topic")) id_of(as_text(*topic));
    return;
  }
  auto added = index.connections.add(record);
  if (added == Connections::Added::news || added == Connections::Added::known) return;
  bool is_malformed = added == Connections::Added::malformed;
  findings.add({.what = is_malformed
                            ? "a connection record is damaged"
                            : "two connection records with the same ID contradict each other",
                .begin = offset,
                .end = offset});
}

Finding ScanState::damage(std::uint64_t begin, std::uint64_t end, std::string what) const {
  Finding finding{.what = std::move(what), .begin = begin, .end = end};
  finding.loss = Loss{};
  return finding;
}

namespace {

class Scanner {
 public:
  Scanner(const ChunkFile& file, const FileHeader& header)
      : scan_(file, header),
        window_(file.window()),
        peek_(file.window(kPeekBytes)),
        search_(file.file(), scan_.size) {}

  BagIndex run(const OnProblem& on_problem);

 private:
  std::uint64_t first_record();
  bool begins_record(RecordWindow& window, std::uint64_t offset);
  std::uint64_t take_record(std::uint64_t offset);
  std::uint64_t take_chunk(ChunkHead head);
  std::uint64_t take_loose(std::uint64_t offset);
  bool is_empty(const ChunkHead& head);
  std::uint64_t take_unbounded(ChunkHead head);
  bool leads_to_end(const ChunkHead& head);
  Finding unbounded(const ChunkHead& head, std::uint64_t next) const;
  std::uint64_t take_connection(std::uint64_t offset, std::uint64_t end);
  std::uint64_t take_index_record(std::uint64_t offset, std::uint64_t end);
  void finish();
  void name_slots();

  ScanState scan_;
  RecordWindow window_;
  RecordWindow peek_;  ///< for a look at places far away
  RecordSearch search_;
};

BagIndex Scanner::run(const OnProblem& on_problem) {
  std::uint64_t at = first_record();
  while (at < scan_.size) at = take_record(at);
  finish();
  const FileHeader& header = scan_.index.header;
  bool is_index_whole = header.index_pos != 0 && scan_.findings.promises() == header.chunks;
  scan_.findings.report(scan_.file, is_index_whole, on_problem);
  return std::move(scan_.index);
}

/// Behind the file header, or where that is not to be believed, right behind the first line.
std::uint64_t Scanner::first_record() {
  std::uint64_t behind_header = scan_.index.header.end;
  bool is_sound = behind_header >= scan_.size || begins_record(window_, behind_header);
  return is_sound ? behind_header : kVersionLine.size();
}

/// Unknown records are believed when they lead to a known one.
bool Scanner::begins_record(RecordWindow& window, std::uint64_t offset) {
  auto head = window.head(offset);
  if (!head) return false;
  if (is_plausible(head->header, head->data_size)) return true;
  std::uint8_t op = head->header.op();
  if (op <= static_cast<std::uint8_t>(Op::connection)) return false;
  std::uint64_t end = head->end();
  if (end >= scan_.size) return end == scan_.size;
  auto next = peek_.head(end);
  return next && is_plausible(next->header, next->data_size);
}

/// The place of the next record.
std::uint64_t Scanner::take_record(std::uint64_t offset) {
  if (!begins_record(window_, offset)) {
    return scan_region(scan_, offset, scan_.damage(offset, scan_.size, "no record begins here"));
  }
  auto head = window_.head(offset);
  std::uint64_t end = head->end();
  switch (head->header.kind()) {
    case Op::chunk:
      return take_chunk(*parse_chunk_head(*head));
    case Op::message:
      return take_loose(offset);
    case Op::connection:
    case Op::message_definition:
      return take_connection(offset, end);
    default:
      return take_index_record(offset, end);
  }
}

/// Messages outside of chunks: those of a chunk whose length is too short, if one has ended here.
std::uint64_t Scanner::take_loose(std::uint64_t offset) {
  Finding finding = scan_.damage(offset, scan_.size, "messages are outside any chunk");
  if (offset == scan_.chunk_end) {
    finding.begin = scan_.chunk;
    finding.messages = scan_.chunk_messages;
    finding.what = "this chunk continues after its end";
  }
  return scan_region(scan_, offset, std::move(finding));
}

std::uint64_t Scanner::take_connection(std::uint64_t offset, std::uint64_t end) {
  auto record = window_.record(offset, kMaxConnectionBytes);
  if (!record) {
    return scan_region(scan_, offset,
                       scan_.damage(offset, scan_.size, "a connection record is incomplete"));
  }
  scan_.is_in_index |= offset == scan_.index.header.index_pos;
  scan_.take_connection(*record, offset);
  if (offset == scan_.chunk_end) scan_.chunk_end = end;
  return end;
}

/// Index records contain nothing that the chunks do not, except the number of messages.
std::uint64_t Scanner::take_index_record(std::uint64_t offset, std::uint64_t end) {
  if (end > scan_.size) {
    if (search_.find_structure(offset + 1) < scan_.size) {
      return scan_region(scan_, offset,
                         scan_.damage(offset, scan_.size, "the length of this record is damaged"));
    }
    scan_.findings.add({.code = ErrorCode::truncated,
                        .what = "the file ends within a record of its index",
                        .begin = offset,
                        .end = scan_.size});
    return end;
  }
  auto record = window_.record(offset, kMaxConnectionBytes);
  auto info = record ? parse_chunk_info(*record) : std::nullopt;
  if (!info || record->header.kind() != Op::chunk_info) return end;
  // An index that was appended to is followed by more chunks; where the last one begins is known.
  std::uint64_t index_pos = scan_.index.header.index_pos;
  scan_.is_in_index = offset >= index_pos || index_pos > scan_.size;
  Promise promise{info->offset, 0};
  for (std::size_t i = 0; i < info->count(); ++i) promise.messages += info->messages(i);
  scan_.findings.promise(promise);
  return end;
}

std::uint64_t Scanner::take_chunk(ChunkHead head) {
  scan_.is_in_index = false;
  std::uint64_t end = head.end();
  bool is_readable = !scan_.file.is_encrypted(head) && scan_.file.compression_of(head) == "none";
  // A compressed chunk has no records that could be followed, so only what is behind it can tell.
  bool is_bounded = end == scan_.size || (end < scan_.size && begins_record(peek_, end)) ||
                    (is_readable && leads_to_end(head));
  if (head.stored_bytes == 0) is_bounded = is_empty(head);
  if (is_bounded) {
    scan_chunk(scan_, head, scan_.damage(head.offset, end, ""));
    return end;
  }
  if (!is_readable) return take_unbounded(std::move(head));
  return scan_region(scan_, head.data_offset, unbounded(head, scan_.size));
}

/// Whether a chunk of no bytes is really empty: its recorder may have died before it could write
/// the length.
bool Scanner::is_empty(const ChunkHead& head) {
  std::uint64_t end = head.end();
  if (end >= scan_.size || end == scan_.index.header.index_pos) return true;
  auto next = peek_.head(end);
  return next && is_plausible(next->header, next->data_size) && is_structural(next->header.kind());
}

/// Whether the records of a chunk, taken as they are, end where the chunk says that it ends.
bool Scanner::leads_to_end(const ChunkHead& head) {
  std::uint64_t at = head.data_offset;
  while (at < head.end() && head.end() <= scan_.size) {
    auto record = window_.head(at);
    if (!record || is_structural(record->header.kind())) return false;
    if (!is_plausible(record->header, record->data_size)) return false;
    at = record->end();
  }
  return at == head.end();
}

/// The finding that the length of a chunk is not to be believed, which goes on to `next` at most.
Finding Scanner::unbounded(const ChunkHead& head, std::uint64_t next) const {
  Finding finding = scan_.damage(head.offset, next, "the length of this chunk is damaged");
  if (head.stored_bytes == 0) finding.what = "this chunk was not closed";
  if (head.end() <= scan_.size || next < scan_.size) return finding;
  finding.code = ErrorCode::truncated;
  finding.what =
      fmt::format("the file ends within this chunk; it has {} of {} bytes",
                  scan_.size - std::min(scan_.size, head.data_offset), head.stored_bytes);
  return finding;
}

/// A chunk that cannot be read record by record: its data ends by itself, somewhere before the next
/// record that stands between chunks.
std::uint64_t Scanner::take_unbounded(ChunkHead head) {
  std::uint64_t next = search_.find_structure(head.data_offset);
  bool is_length_possible = head.end() <= next;
  if (is_length_possible && scan_.file.body(head, 0).is_whole) {
    scan_chunk(scan_, head, scan_.damage(head.offset, head.end(), ""));
    return head.end();
  }
  Finding finding = unbounded(head, next);
  head.stored_bytes =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(next - head.data_offset, UINT32_MAX));
  std::uint64_t end = scan_chunk(scan_, head, std::move(finding));
  head.stored_bytes = static_cast<std::uint32_t>(end - head.data_offset);
  scan_.index.heads.push_back(head);
  return end;
}

void Scanner::finish() {
  const FileHeader& header = scan_.index.header;
  scan_.index.table.data_end = scan_.size;
  if (header.index_pos > scan_.size && !scan_.is_in_index) {
    Finding cut = scan_.damage(
        scan_.size, header.index_pos,
        fmt::format("the file ends at least {} bytes too early", header.index_pos - scan_.size));
    cut.code = ErrorCode::truncated;
    cut.loss->from = scan_.findings.last_time();
    scan_.findings.add(std::move(cut));
  }
  if (std::uint64_t unwritten = scan_.file.file().size() - scan_.size; unwritten > 0) {
    scan_.findings.add(
        {.code = ErrorCode::truncated,
         .what = fmt::format(
             "the last {} bytes of the file are zeros: space that was allocated but never written",
             unwritten),
         .begin = scan_.size,
         .end = scan_.size + unwritten});
  }
  name_slots();
}

/// Replaces connections with slots, now that all connections are known. Messages without a
/// connection record are ignored.
void Scanner::name_slots() {
  ChunkTable& table = scan_.index.table;
  std::vector<ChannelCount> counts;
  Finding strangers{.what = "messages belong to connections that no record describes"};
  std::uint64_t messages = 0;
  for (Chunk& chunk : table.chunks) {
    auto first = static_cast<std::uint32_t>(counts.size());
    for (std::uint32_t i = 0; i < chunk.channels; ++i) {
      ChannelCount count = table.counts[chunk.first_count + i];
      auto slot = scan_.index.connections.slot(count.slot);
      if (slot) counts.push_back({*slot, count.messages});
      if (!slot && messages == 0) strangers.begin = strangers.end = chunk.offset;
      if (!slot) messages += count.messages;
    }
    chunk.first_count = first;
    chunk.channels = static_cast<std::uint32_t>(counts.size()) - first;
  }
  table.counts = std::move(counts);
  std::erase_if(table.chunks, [](const Chunk& chunk) { return chunk.channels == 0; });
  auto by_offset = [](const auto& a, const auto& b) { return a.offset < b.offset; };
  std::sort(table.chunks.begin(), table.chunks.end(), by_offset);
  std::sort(scan_.index.heads.begin(), scan_.index.heads.end(), by_offset);
  if (messages == 0) return;
  strangers.loss = Loss{.messages = messages};
  strangers.is_counted = true;
  scan_.findings.add(std::move(strangers));
}

}  // namespace

BagIndex scan(const ChunkFile& file, const FileHeader& header, const OnProblem& on_problem) {
  return Scanner(file, header).run(on_problem);
}

}  // namespace kitbag::rosbag
