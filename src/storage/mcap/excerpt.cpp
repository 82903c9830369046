#include "storage/mcap/excerpt.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/crc32.h"
#include "base/little_endian.h"
#include "compress/compression.h"
#include "kitbag/selector.h"
#include "kitbag/session.h"
#include "storage/mcap/content.h"
#include "storage/mcap/index.h"
#include "storage/mcap/write/summary_builder.h"

// Presents a part of a file as a file without reading most of it. The summary gives the times and
// channels of each chunk. A chunk is used unchanged, together with its message indexes, or left
// out. At the ends of the time range, and if only some channels are wanted, a chunk is cut: it is
// unpacked, and the wanted messages are packed into a new chunk.
//
// The schemas and channels of an unchanged chunk may be defined in a chunk that is left out. So all
// definitions come first, and again in the summary, which is rewritten because all offsets change.
// The data section has no CRC, because computing it would require reading everything.
//
// If the summary is incomplete, or too much would have to be rewritten, there is no excerpt.
//
//   file     header  A indexes  B indexes  C indexes  attachment  summary
//   excerpt  made    ---------             made       ----------  made
//
// Here B has nothing that is wanted, and C is cut. What is underlined is a range of the file. So an
// excerpt takes memory for what is made alone, which kMaxExcerptBytes bounds.

namespace kitbag::mcap {
namespace {

constexpr const char* kMadeBy = "kitbag " KITBAG_VERSION;

class Excerpter {
 public:
  Excerpter(const ChunkFile& file, const Tail& tail, const BagIndex& index, const Query& query)
      : file_(file), tail_(tail), index_(index), query_(query) {
    Selector selector(query.select);
    ChannelsPtr channels = index.channels();
    for (const ChannelPtr& channel : *channels) {
      wanted_.push_back(selector.matches(*channel) ? 1 : 0);
    }
  }

  std::optional<Excerpt> make();

 private:
  enum class Use { none, whole, cut };

  bool is_everything() const;
  bool is_told_by_summary() const;
  Use use_of(std::size_t chunk) const;
  std::uint64_t memory_needed() const;
  void put_definitions();
  void put_chunk(ChunkIndex index, std::size_t chunk);
  bool put_cut_chunk(std::size_t chunk);
  void put_extras();
  void put_summary();
  void put_range(std::uint64_t offset, std::uint64_t size);
  void flush();
  std::uint64_t at() const { return at_ + made_.size(); }

  /// The messages that are left of a chunk.
  struct Cut {
    struct Entry {
      std::uint64_t time = 0;
      std::uint64_t offset = 0;
    };
    Buffer content;
    std::map<std::uint16_t, std::vector<Entry>> entries;  ///< by channel id
    std::uint64_t start = UINT64_MAX;
    std::uint64_t end = 0;
  };
  std::optional<Cut> cut(const ChunkPlace& place) const;
  void put_cut(const Cut& cut, const std::string& compression);

  const ChunkFile& file_;
  const Tail& tail_;
  const BagIndex& index_;
  const Query& query_;
  std::vector<std::uint8_t> wanted_;  ///< by slot
  Excerpt excerpt_;
  Buffer made_;           ///< what follows the last piece
  std::uint64_t at_ = 0;  ///< of the end of the last piece
  SummaryBuilder summary_;
};

std::optional<Excerpt> Excerpter::make() {
  if (is_everything()) {
    put_range(0, file_.file().size());
    return std::move(excerpt_);
  }
  if (!is_told_by_summary() || memory_needed() > kMaxExcerptBytes) return std::nullopt;
  made_.append(as_bytes(kMagic));
  append(made_, Header{index_.profile, kMadeBy});
  put_definitions();
  for (std::size_t chunk = 0; chunk < index_.table.chunks.size(); ++chunk) {
    Use use = use_of(chunk);
    if (use == Use::whole)
      put_chunk(*parse_chunk_index(tail_.summary->chunk_indexes[chunk]), chunk);
    if (use == Use::cut && !put_cut_chunk(chunk)) return std::nullopt;
  }
  put_extras();
  put_summary();
  flush();
  return std::move(excerpt_);
}

bool Excerpter::is_everything() const {
  const auto& chunks = index_.table.chunks;
  return std::all_of(wanted_.begin(), wanted_.end(), [](auto wanted) { return wanted != 0; }) &&
         std::all_of(chunks.begin(), chunks.end(),
                     [&](const Chunk& chunk) {
                       return query_.covers(chunk.start) && query_.covers(chunk.end);
                     }) &&
         std::all_of(index_.extras.begin(), index_.extras.end(), [&](const Extra& extra) {
           const auto* attachment = std::get_if<Attachment>(&extra);
           return !attachment || query_.covers(attachment->log_time);
         });
}

/// Everything that is in the file, and where.
bool Excerpter::is_told_by_summary() const {
  const ChunkTable& table = index_.table;
  const SummarySection& summary = *tail_.summary;
  bool are_chunks_told = table.are_counts_sure && index_.stretches.empty() &&
                         table.chunks.size() == summary.chunk_indexes.size();
  std::size_t attachments = 0;
  std::size_t metadata = 0;
  for (const Extra& extra : index_.extras) {
    if (std::holds_alternative<Attachment>(extra)) ++attachments;
    if (std::holds_alternative<Metadata>(extra)) ++metadata;
  }
  return are_chunks_told && attachments == summary.attachment_indexes.size() &&
         metadata == summary.metadata_indexes.size() &&
         attachments + metadata == index_.extras.size();
}

Excerpter::Use Excerpter::use_of(std::size_t chunk) const {
  const Chunk& known = index_.table.chunks[chunk];
  bool has_wanted = false;
  bool has_others = false;
  for (const ChannelCount& count : index_.table.counts_of(chunk)) {
    if (count.messages > 0) (wanted_[count.slot] ? has_wanted : has_others) = true;
  }
  bool is_before = known.end < query_.begin;
  bool is_behind = known.start >= query_.end && query_.end != Time::max();
  if (!has_wanted || is_before || is_behind) return Use::none;
  bool is_whole = !has_others && query_.covers(known.start) && query_.covers(known.end);
  return is_whole ? Use::whole : Use::cut;
}

std::uint64_t Excerpter::memory_needed() const {
  std::uint64_t bytes = 0;
  for (std::size_t chunk = 0; chunk < index_.table.chunks.size(); ++chunk) {
    ByteView content = tail_.summary->chunk_indexes[chunk];
    Use use = use_of(chunk);
    if (use == Use::whole) bytes += kRecordHead + content.size();
    if (use == Use::cut) {
      std::uint64_t size = parse_chunk_index(content)->uncompressed_size;
      // The size is what the file says, so it is bounded before it is added: no sum can overflow.
      bytes += std::min(size, kMaxExcerptBytes + 1);
    }
    if (bytes > kMaxExcerptBytes) break;
  }
  return bytes;
}

void Excerpter::put_definitions() {
  std::map<std::uint16_t, bool> schemas;  // those that stand there
  for (std::uint32_t slot = 0; slot < wanted_.size(); ++slot) {
    if (!wanted_[slot]) continue;
    const std::string& content =
        index_.definitions.channel_contents().at(index_.definitions.id(slot));
    ChannelRecord channel = *parse_channel(as_bytes(content));
    if (channel.schema_id != 0 && schemas.emplace(channel.schema_id, true).second) {
      const std::string& text = index_.definitions.schemas().at(channel.schema_id);
      SchemaRecord schema = *parse_schema(as_bytes(text));
      append(made_, schema);
      summary_.add(schema);
    }
    append(made_, channel);
    summary_.add(channel);
  }
}

/// As it is, with the message indexes behind it.
void Excerpter::put_chunk(ChunkIndex index, std::size_t chunk) {
  std::uint64_t from = index.chunk_offset;
  std::uint64_t to = at();
  // These are unsigned, so the result is right also where `to` is less than `from`.
  for (auto& [channel, place] : index.message_index_offsets) place = place - from + to;
  index.chunk_offset = to;
  summary_.add(index);
  for (const ChannelCount& count : index_.table.counts_of(chunk)) {
    summary_.add_messages(index_.definitions.id(count.slot), count.messages, index.start,
                          index.end);
  }
  put_range(from, index.chunk_bytes + index.message_index_bytes);
}

/// False: it is damaged, or holds what is not known.
bool Excerpter::put_cut_chunk(std::size_t chunk) {
  auto place = file_.place(index_.table.chunks[chunk].offset);
  if (!place || !place->is_consistent()) return false;
  auto left = cut(*place);
  if (!left) return false;
  if (!left->entries.empty()) put_cut(*left, place->compression);
  return true;
}

std::optional<Excerpter::Cut> Excerpter::cut(const ChunkPlace& place) const {
  ChunkBody body = file_.body(place);
  if (!body.is_whole || body.fault) return std::nullopt;
  Cut left;
  bool is_known = true;
  ContentWalk walked = walk_content(
      body.content,
      [&](const MessageHead& head, std::size_t offset, ByteView data) {
        auto slot = index_.definitions.slot(head.channel_id);
        // Reading the whole file would report a message whose channel no record describes.
        is_known &= slot.has_value();
        if (!slot || !wanted_[*slot] || !query_.covers(time_of(head.log_time))) return;
        left.entries[head.channel_id].push_back({head.log_time, left.content.size()});
        left.start = std::min(left.start, head.log_time);
        left.end = std::max(left.end, head.log_time);
        std::size_t bytes = kRecordHead + MessageHead::kBytes + data.size();
        left.content.append(body.content.subspan(offset, bytes));
      },
      [&](const Record& record, std::size_t) {
        is_known &= record.op == static_cast<std::uint8_t>(Op::schema) ||
                    record.op == static_cast<std::uint8_t>(Op::channel);
      });
  if (!walked.fault.empty() || !is_known) return std::nullopt;
  return left;
}

void Excerpter::put_cut(const Cut& cut, const std::string& compression) {
  Buffer packed;
  ByteView records = cut.content.view();
  if (!compression.empty()) {
    make_compressor(compression)->compress(records, packed);
    records = packed.view();
  }
  ChunkHead head;
  head.start = cut.start;
  head.end = cut.end;
  head.uncompressed_size = cut.content.size();
  head.uncompressed_crc = crc32(cut.content.view());
  head.compression = compression;
  head.records_size = records.size();
  ChunkIndex index;
  index.start = cut.start;
  index.end = cut.end;
  index.chunk_offset = at();
  append(made_, head);
  made_.append(records);
  index.chunk_bytes = at() - index.chunk_offset;
  index.compression = compression;
  index.compressed_size = records.size();
  index.uncompressed_size = cut.content.size();
  std::uint64_t indexes = at();
  for (const auto& [channel, entries] : cut.entries) {
    index.message_index_offsets.emplace_back(channel, at());
    std::size_t bytes = entries.size() * MessageIndex::kEntryBytes;
    RecordWriter record(made_, Op::message_index);
    record.number(channel).number(static_cast<std::uint32_t>(bytes)).finish(bytes);
    std::byte* to = made_.extend(bytes);
    for (const Cut::Entry& entry : entries) to = store_le(store_le(to, entry.time), entry.offset);
    summary_.add_messages(channel, entries.size(), cut.start, cut.end);
  }
  index.message_index_bytes = at() - indexes;
  summary_.add(index);
}

/// Attachments of the time, and all metadata.
void Excerpter::put_extras() {
  for (AttachmentIndex index : tail_.summary->attachment_indexes) {
    if (!query_.covers(time_of(index.log_time))) continue;
    std::uint64_t from = std::exchange(index.offset, at());
    put_range(from, index.bytes);
    summary_.add(index);
  }
  for (MetadataIndex index : tail_.summary->metadata_indexes) {
    std::uint64_t from = std::exchange(index.offset, at());
    put_range(from, index.bytes);
    summary_.add(index);
  }
}

void Excerpter::put_summary() {
  append_data_end(made_, 0);
  summary_.write(at(), {}, [this](ByteView bytes) { made_.append(bytes); });
}

void Excerpter::put_range(std::uint64_t offset, std::uint64_t size) {
  flush();
  at_ += size;
  auto& pieces = excerpt_.pieces;
  bool goes_on = !pieces.empty() && !pieces.back().bytes &&
                 pieces.back().offset + pieces.back().size == offset;
  if (goes_on) {
    pieces.back().size += size;
  } else {
    pieces.push_back({nullptr, offset, size});
  }
}

void Excerpter::flush() {
  if (made_.size() == 0) return;
  auto bytes = std::make_shared<const std::string>(as_text(made_.view()));
  at_ += bytes->size();
  excerpt_.pieces.push_back({bytes, 0, bytes->size()});
  made_.clear();
}

}  // namespace

std::optional<Excerpt> excerpt_of(const Input& input, const Query& query,
                                  const ReadOptions& options, const Session& session) {
  if (!input.file || input.file->is_forward_only()) return std::nullopt;
  auto file = std::make_shared<const ChunkFile>(input.file, input.path, options.check_crc,
                                                MemoryLimit(options.max_memory_bytes),
                                                session.chunk_cache());
  bool is_sound = true;
  ReadOptions reading = options;
  reading.on_problem = [&](const Error& problem) {
    is_sound &= problem.code() == ErrorCode::remark;
  };
  Tail tail;
  auto index = open_by_summary(file, tail, reading);
  if (!index || !is_sound || tail.fault) return std::nullopt;
  return Excerpter(*file, tail, *index, query).make();
}

}  // namespace kitbag::mcap
