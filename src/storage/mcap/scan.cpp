#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "io/file_slice.h"
#include "storage/chunked/indexed_store.h"
#include "storage/mcap/content.h"
#include "storage/mcap/extras.h"
#include "storage/mcap/index.h"
#include "storage/mcap/salvage.h"
#include "storage/mcap/stretches.h"

// Reading everything: the file is a run of records, and damage in it is skipped as in any run (see
// run_walk.h). A chunk is one of these records; if its own length is damaged, or the file ends
// inside it, its intact part is read nevertheless. Records in an uncompressed chunk whose head is
// lost are found as records outside of chunks.
//
// A channel may be described behind its messages, in the summary. So messages are counted by the
// ids of their channels, and the ids are replaced when everything was read.

namespace kitbag::mcap {

namespace {

class Scanner final : public RunListener {
 public:
  Scanner(const ChunkFile& file, const Tail& tail, const ReadOptions& options)
      : file_(file), tail_(tail), options_(options), stretches_(index_) {}

  BagIndex run();

  void on_message(std::uint64_t offset, std::uint64_t bytes, std::uint32_t slot,
                  Time time) override {
    ++loose_;
    stretches_.message(offset, bytes, static_cast<std::uint16_t>(slot), time);
  }
  void on_other(std::uint64_t offset, std::uint64_t bytes, ByteView head) override;
  std::optional<std::uint64_t> on_damage(std::uint64_t offset) override;

 private:
  void tell(const Error& problem);
  void define(Definitions::Added added, std::uint64_t offset);
  void define(const Record& record, std::uint64_t offset);
  void take_chunk(const ChunkPlace& place);
  Loss salvage(const ChunkPlace& place, const ChunkBody& body);
  void compare_summary();
  void compare_times(const ChunkIndex& declared);
  bool is_indexed() const;
  bool is_verified() const;
  std::uint64_t entries_at(std::uint64_t offset) const;
  void tell_end();
  void verify_loose_data();

  const ChunkFile& file_;
  const Tail& tail_;
  const ReadOptions& options_;
  BagIndex index_;
  Stretches stretches_;
  ChannelTally tally_;
  std::set<std::uint64_t> chunk_offsets_;
  std::optional<std::uint64_t>
      indexed_;                   ///< messages, by the message indexes; absent: there are none
  std::uint64_t loose_ = 0;       ///< messages outside of chunks
  bool is_reported_ = false;      ///< that anything is wrong
  bool is_end_reported_ = false;  ///< that the file is cut off
  bool is_loss_reported_ = false;
  bool is_in_summary_ = false;
};

BagIndex Scanner::run() {
  index_.is_scanned = true;
  index_.is_found = tail_.summary.has_value();
  if (tail_.summary) {
    index_.definitions = tail_.summary->definitions;
    index_.statistics = tail_.summary->statistics;
  }
  index_.table.data_end = tail_.records_end;
  FileSlice records(file_.shared_file(), 0, tail_.records_end);
  RecordParser parser;
  RunKeys keys;
  walk_run(
      records, file_.path(), kMagic.size(), parser, keys,
      [this](const Error& problem) { tell(problem); }, *this);
  stretches_.close();
  std::vector<Chunk>& chunks = index_.table.chunks;
  std::sort(chunks.begin(), chunks.end(),
            [](const Chunk& a, const Chunk& b) { return a.offset < b.offset; });
  if (std::uint64_t strangers = name_slots(index_); strangers > 0) {
    tell(Error(ErrorCode::corrupt,
               fmt::format("{} messages belong to channels that no record describes", strangers),
               file_.path(), kMagic.size(), Loss{.messages = strangers}));
    std::erase_if(chunks, [](const Chunk& chunk) { return chunk.channels == 0; });
  }
  compare_summary();
  tell_end();
  if (!options_.trust_index && !is_reported_) verify_loose_data();
  return std::move(index_);
}

void Scanner::tell(const Error& problem) {
  is_end_reported_ |= problem.code() == ErrorCode::truncated;
  is_loss_reported_ |= problem.loss().has_value();
  is_reported_ = true;
  report(options_.on_problem, problem);
}

/// Messages outside of chunks have no CRC but that of the whole data.
void Scanner::verify_loose_data() {
  if (index_.stretches.empty()) return;
  auto fault = verify_data(file_, index_.table.data_end);
  if (!fault) return;
  tell(Error(fault->code(), fmt::format("{}; {}", fault->message(), describe(Loss())),
             fault->file(), fault->offset(), Loss()));
}

/// How many messages the message index at `offset` lists.
std::uint64_t Scanner::entries_at(std::uint64_t offset) const {
  constexpr std::size_t kListAt = kRecordHead + sizeof(std::uint16_t);
  std::array<std::byte, kListAt + sizeof(std::uint32_t)> head;
  if (file_.file().read(offset, head) < head.size()) return 0;
  return load_le<std::uint32_t>(&head[kListAt]) / MessageIndex::kEntryBytes;
}

/// All chunks have message indexes.
bool Scanner::is_indexed() const {
  const auto& chunks = tail_.summary->chunk_indexes;
  return indexed_ && std::all_of(chunks.begin(), chunks.end(), [](ByteView content) {
           return !parse_chunk_index(content)->message_index_offsets.empty();
         });
}

/// Whether something other than the statistics shows that no message is missing: each chunk has an
/// index, or the data a CRC.
bool Scanner::is_verified() const {
  if (is_indexed() && loose_ == 0) return true;
  std::byte record[kRecordHead + sizeof(std::uint32_t)];
  if (!file_.checks_crc() || file_.file().read(index_.table.data_end, record) < sizeof(record)) {
    return false;
  }
  bool has_crc = record[0] == static_cast<std::byte>(Op::data_end) &&
                 load_le<std::uint32_t>(record + kRecordHead) != 0;
  return has_crc && !verify_data(file_, index_.table.data_end);
}

/// Not if the walk has met the cut itself, and said what it costs.
void Scanner::tell_end() {
  if (!tail_.fault || (is_end_reported_ && !tail_.has_magic)) return;
  report(options_.on_problem, *tail_.fault);
}

/// The messages in the indexes of the chunks must be there. The statistics are a number that a
/// writer noted: if everything else agrees, the statistics are wrong.
void Scanner::compare_summary() {
  if (!tail_.summary || is_loss_reported_) return;
  const SummarySection& summary = *tail_.summary;
  for (ByteView content : summary.chunk_indexes) {
    ChunkIndex declared = *parse_chunk_index(content);
    std::uint64_t offset = declared.chunk_offset;
    if (chunk_offsets_.contains(offset)) {
      compare_times(declared);
      continue;
    }
    tell(Error(ErrorCode::corrupt,
               fmt::format("the summary lists a chunk at byte {}, but there is none", offset),
               file_.path(), tail_.footer->summary_start, Loss{}));
  }
  std::uint64_t found = 0;
  for (const ChannelCount& count : index_.table.counts) found += count.messages;
  if (is_indexed() && *indexed_ != found - loose_) {
    Loss loss;
    loss.messages = *indexed_ - std::min(*indexed_, found - loose_);
    tell(Error(ErrorCode::corrupt,
               fmt::format("the message indexes promise {} messages, but there are {}", *indexed_,
                           found - loose_),
               file_.path(), tail_.footer->summary_start, loss));
  }
  if (!summary.statistics || is_loss_reported_) return;
  std::uint64_t promised = summary.statistics->messages;
  if (found == promised) return;
  std::optional<Loss> loss;
  if (found < promised && !is_verified()) loss = Loss{.messages = promised - found};
  tell(Error(ErrorCode::corrupt,
             fmt::format("the statistics promise {} messages, but there are {}", promised, found),
             file_.path(), tail_.footer->summary_start, loss));
}

/// Nothing is lost, but readers of a time range may not look into the chunk.
void Scanner::compare_times(const ChunkIndex& declared) {
  const std::vector<Chunk>& chunks = index_.table.chunks;
  auto found = std::lower_bound(
      chunks.begin(), chunks.end(), declared.chunk_offset,
      [](const Chunk& chunk, std::uint64_t offset) { return chunk.offset < offset; });
  if (found == chunks.end() || found->offset != declared.chunk_offset || found->channels == 0) {
    return;
  }
  if (found->start >= time_of(declared.start) && found->end <= time_of(declared.end)) return;
  tell(file_.error(ErrorCode::corrupt, kWrongChunkTimes, found->offset));
}

void Scanner::on_other(std::uint64_t offset, std::uint64_t bytes, ByteView head) {
  auto op = std::to_integer<std::uint8_t>(head[0]);
  if (may_be_in_chunk(op)) stretches_.other(offset, bytes);
  switch (static_cast<Op>(op)) {
    case Op::header:
      if (auto header = parse_header(head.subspan(kRecordHead))) {
        index_.profile = header->profile;
        index_.library = header->library;
      }
      return;
    case Op::schema:
    case Op::channel:
      return define(Record{op, head.subspan(kRecordHead), bytes}, offset);
    case Op::message_index:
      indexed_ = indexed_.value_or(0) + entries_at(offset);
      return;
    case Op::chunk:
      if (auto place = file_.place(offset)) take_chunk(*place);
      return;
    case Op::data_end:
      if (!is_in_summary_) index_.table.data_end = offset;
      is_in_summary_ = true;
      return;
    default:
      break;
  }
  if (is_in_summary_) return;
  auto extra = read_extra(file_.shared_file(), file_.path(), offset, op, bytes, options_);
  if (extra) {
    index_.extras.push_back(std::move(*extra));
  } else if (is_promised_extra(op)) {
    tell(Error(ErrorCode::corrupt, kDamagedExtra, file_.path(), offset, Loss{.messages = 0}));
  }
}

void Scanner::define(const Record& record, std::uint64_t offset) {
  if (record.op == static_cast<std::uint8_t>(Op::schema)) {
    define(index_.definitions.add_schema(record.content), offset);
  } else if (record.op == static_cast<std::uint8_t>(Op::channel)) {
    define(index_.definitions.add_channel(record.content), offset);
  }
}

void Scanner::define(Definitions::Added added, std::uint64_t offset) {
  using Added = Definitions::Added;
  if (added == Added::contradiction) {
    tell(file_.error(ErrorCode::corrupt,
                     "a schema or channel record here contradicts another record with the same ID",
                     offset));
  } else if (added == Added::malformed) {
    tell(file_.error(ErrorCode::corrupt, "a schema or channel record here is damaged", offset));
  }
}

std::optional<std::uint64_t> Scanner::on_damage(std::uint64_t offset) {
  auto place = file_.place(offset);
  if (!place) return std::nullopt;
  auto settled = settle(file_, *place, tail_.records_end);
  bool is_beyond = settled && settled->data_end() > tail_.records_end;
  // A chunk that goes on behind the end is one that was cut off, unless the file has its end: then
  // the length is wrong.
  if (!settled || (is_beyond && tail_.has_magic)) return std::nullopt;
  if (!is_beyond) {
    tell(file_.error(ErrorCode::corrupt, "a length of the chunk here is damaged", offset));
  }
  take_chunk(*settled);
  return std::min(std::max(settled->end, settled->data_end()), tail_.records_end);
}

void Scanner::take_chunk(const ChunkPlace& place) {
  index_.has_chunks = true;
  chunk_offsets_.insert(place.offset);
  ChunkBody body = file_.body(place);
  ContentWalk walked = walk_content(
      body.content,
      [&](const MessageHead& head, std::size_t, ByteView) {
        tally_.add(head.channel_id, time_of(head.log_time));
      },
      [&](const Record& record, std::size_t) { define(record, place.offset); });
  if (body.fault || !walked.fault.empty()) {
    bool is_readable = body.is_whole && walked.fault.empty();
    Loss loss = is_readable ? Loss() : salvage(place, body);
    std::string what = body.fault
                           ? body.fault->message()
                           : fmt::format("{} at byte {} of this chunk", walked.fault, walked.end);
    tell(Error(body.fault ? body.fault->code() : ErrorCode::corrupt,
               fmt::format("{}; {}", what, describe(loss)), file_.path(), place.offset, loss));
  }
  tally_.add_chunk(place.offset, index_.table);
}

/// Reads a damaged chunk again, and skips the damage.
Loss Scanner::salvage(const ChunkPlace& place, const ChunkBody& body) {
  tally_.clear();
  Loss loss = salvage_content(
      body.content,
      [&](const MessageHead& head, std::size_t, ByteView) {
        tally_.add(head.channel_id, time_of(head.log_time));
      },
      [&](const Record& record, std::size_t) { define(record, place.offset); });
  if (auto promised = indexed_messages(file_.file(), place.end)) {
    loss.messages = *promised - std::min(*promised, tally_.messages());
  }
  return loss;
}

}  // namespace

BagIndex scan(const ChunkFile& file, const Tail& tail, const ReadOptions& options) {
  return Scanner(file, tail, options).run();
}

}  // namespace kitbag::mcap
