#include "storage/mcap/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "base/crc32.h"
#include "io/file_slice.h"
#include "kitbag/text.h"
#include "storage/chunked/file_window.h"
#include "storage/mcap/content.h"
#include "storage/mcap/extras.h"
#include "storage/mcap/salvage.h"
#include "storage/writing/late_messages.h"

// Opening without trust scans the file and reports damage. What is left is to compare what the file
// says about itself with its content: chunk heads, message indexes, summary, statistics, and the
// CRC of the data section.
//
// The file is read three times: by the scan, by the walk over its records, and for the CRC of the
// data. Only the facts of each chunk are kept, and one sum in place of its messages.

namespace kitbag::mcap {

namespace {

/// A sum over (channel, time, offset) that does not depend on the order.
class MessageSum {
 public:
  void add(std::uint16_t channel_id, std::uint64_t time, std::uint64_t offset) {
    // Against damage, not against forgery: whoever wants to can make two sets with one sum. The
    // offset is increased, because one of 0 would not count.
    sum_ += (time ^ (std::uint64_t{channel_id} << 40)) * 0x9E3779B97F4A7C15U +
            (offset + 1) * 0xC2B2AE3D27D4EB4FU;
    ++messages_;
  }
  std::uint64_t messages() const { return messages_; }
  bool operator==(const MessageSum&) const = default;

 private:
  std::uint64_t sum_ = 0;
  std::uint64_t messages_ = 0;
};

/// What a chunk holds.
struct ChunkFacts {
  ChunkPlace place;
  MessageSum sum;
  std::uint64_t start = UINT64_MAX;
  std::uint64_t end = 0;
  std::map<std::uint16_t, std::uint64_t> index_places;  ///< of the message indexes behind it
  std::uint64_t index_bytes = 0;
  bool is_listed = false;
};

class Checker final : public RunListener {
 public:
  Checker(const ChunkFile& file, const ReadOptions& options)
      : file_(file), options_(options), tail_(read_tail(file)) {}

  void run();

  void on_message(std::uint64_t offset, std::uint64_t, std::uint32_t slot, Time time) override;
  void on_other(std::uint64_t offset, std::uint64_t bytes, ByteView head) override;

 private:
  /// What the file says of a message is wrong, or the message is: nobody can tell.
  void finding(std::uint64_t offset, const std::string& what,
               const std::optional<Loss>& loss = Loss{.messages = 0}) {
    report(options_.on_problem, Error(ErrorCode::corrupt, what, file_.path(), offset, loss));
  }
  /// Nothing is lost by it.
  void flaw(std::uint64_t offset, const std::string& what) { finding(offset, what, std::nullopt); }
  void take_head(const MessageHead& head, std::uint64_t offset);
  void take_chunk(std::uint64_t offset);
  void finish_chunk();
  void take_index(std::uint64_t offset, std::uint64_t bytes);
  void check_chunk_head(const ChunkFacts& facts);
  void check_summary();
  void check_chunk_index(const ChunkIndex& index);
  template <class Index>
  void check_places(const std::vector<Index>& indexes, const std::set<std::uint64_t>& places,
                    std::string_view what);
  void check_statistics();

  const ChunkFile& file_;
  const ReadOptions& options_;
  Tail tail_;
  std::map<std::uint64_t, ChunkFacts> chunks_;  ///< by offset
  ChunkFacts* last_ = nullptr;                  ///< the chunk whose message indexes are expected
  MessageSum indexed_;                          ///< by them
  std::set<std::uint64_t> attachments_;
  std::set<std::uint64_t> metadata_;
  std::map<std::uint16_t, std::uint64_t> counts_;
  std::uint64_t messages_ = 0;
  std::uint64_t start_ = UINT64_MAX;
  std::uint64_t end_ = 0;
  std::optional<std::uint64_t> data_end_;
  std::uint64_t beyond_ = 0;         ///< messages whose times kitbag does not hold
  std::uint64_t beyond_offset_ = 0;  ///< the first one's
  LateMessages late_;
};

void Checker::run() {
  FileSlice records(file_.shared_file(), 0, tail_.records_end);
  RecordParser parser;
  RunKeys keys;
  // The scan has reported the damage.
  walk_run(
      records, file_.path(), kMagic.size(), parser, keys, [](const Error&) {}, *this);
  finish_chunk();
  if (tail_.summary) check_summary();
  if (auto fault = data_end_ ? verify_data(file_, *data_end_) : std::nullopt) {
    finding(fault->offset(), fault->message(), Loss{});
  }
  if (beyond_ > 0) {
    report(options_.on_problem, Error(ErrorCode::unsupported, describe_beyond(beyond_),
                                      file_.path(), beyond_offset_, Loss{.messages = 0}));
  }
  late_.finish(file_.path(), options_.on_problem);
}

void Checker::take_head(const MessageHead& head, std::uint64_t offset) {
  if (exceeds_time(head) && beyond_++ == 0) beyond_offset_ = offset;
}

void Checker::on_message(std::uint64_t offset, std::uint64_t, std::uint32_t slot, Time time) {
  finish_chunk();
  auto stored = static_cast<std::uint64_t>(to_ns(time));
  ++messages_;
  ++counts_[static_cast<std::uint16_t>(slot)];
  start_ = std::min(start_, stored);
  end_ = std::max(end_, stored);
  late_.add(offset, time);
  std::array<std::byte, MessageHead::kBytes> head;
  bool is_there = file_.file().read(offset + kRecordHead, head) == head.size();
  if (is_there) take_head(MessageHead::load(head.data()), offset);
}

void Checker::on_other(std::uint64_t offset, std::uint64_t bytes, ByteView head) {
  // Behind it is the summary, whose records are no data.
  if (data_end_) return;
  auto op = static_cast<Op>(head[0]);
  if (op == Op::message_index) return take_index(offset, bytes);
  finish_chunk();
  if (op == Op::chunk) take_chunk(offset);
  if (op == Op::metadata) metadata_.insert(offset);
  if (op == Op::attachment) {
    attachments_.insert(offset);
    std::string what = verify_attachment(file_.file(), offset);
    if (!what.empty() && file_.checks_crc()) finding(offset, what);
  }
  if (op == Op::data_end) {
    data_end_ = offset;
    if (tail_.footer && tail_.summary && offset + bytes != tail_.footer->summary_start) {
      flaw(offset, "the summary does not begin at the end of the data");
    }
  }
}

void Checker::take_chunk(std::uint64_t offset) {
  auto place = file_.place(offset);
  if (!place) return;
  ChunkFacts facts;
  facts.place = *place;
  ChunkBody body = file_.body(*place);
  walk_content(
      body.content,
      [&](const MessageHead& head, std::size_t at, ByteView) {
        facts.sum.add(head.channel_id, head.log_time, at);
        facts.start = std::min(facts.start, head.log_time);
        facts.end = std::max(facts.end, head.log_time);
        ++counts_[head.channel_id];
        late_.add(offset, time_of(head.log_time));
        take_head(head, offset);
      },
      [](const Record&, std::size_t) {});
  // The specification wants zeros for a chunk without messages.
  if (facts.sum.messages() == 0) facts.start = 0;
  messages_ += facts.sum.messages();
  if (facts.sum.messages() > 0) start_ = std::min(start_, facts.start);
  end_ = std::max(end_, facts.end);
  check_chunk_head(facts);
  last_ = &chunks_.emplace(offset, std::move(facts)).first->second;
  indexed_ = {};
}

void Checker::check_chunk_head(const ChunkFacts& facts) {
  if (facts.place.start_time == facts.start && facts.place.end_time == facts.end) return;
  flaw(facts.place.offset,
       fmt::format("the chunk's header gives {} to {}, but its messages are from {} to {}",
                   facts.place.start_time, facts.place.end_time, facts.start, facts.end));
}

void Checker::take_index(std::uint64_t offset, std::uint64_t bytes) {
  Buffer whole;
  whole.resize(static_cast<std::size_t>(std::min(bytes, kMaxDefinitionBytes)));
  whole.resize(file_.file().read(offset, whole.span()));
  auto record = parse_record(whole.view());
  auto index = record ? parse_message_index(record->content) : std::nullopt;
  if (!index) return flaw(offset, "a message index is damaged");
  if (!last_) return finding(offset, "a message index here belongs to no chunk");
  last_->index_places[index->channel_id] = offset;
  last_->index_bytes += bytes;
  for (std::size_t i = 0; i < index->count(); ++i) {
    indexed_.add(index->channel_id, index->time(i), index->offset(i));
  }
}

/// All message indexes of the last chunk have been read.
void Checker::finish_chunk() {
  // Message indexes are optional: a chunk without any promises nothing.
  ChunkFacts* chunk = std::exchange(last_, nullptr);
  if (!chunk || chunk->index_places.empty() || chunk->sum == indexed_) return;
  finding(
      chunk->place.offset,
      fmt::format("the chunk's {} messages do not match the {} entries of its message indexes",
                  chunk->sum.messages(), indexed_.messages()),
      Loss{.messages = indexed_.messages() - std::min(indexed_.messages(), chunk->sum.messages())});
}

void Checker::check_summary() {
  const SummarySection& summary = *tail_.summary;
  // read_tail() keeps only a summary in which every index can be parsed.
  for (ByteView content : summary.chunk_indexes) check_chunk_index(*parse_chunk_index(content));
  for (const auto& [offset, facts] : chunks_) {
    if (!facts.is_listed && !summary.chunk_indexes.empty()) {
      finding(offset, "the summary does not list this chunk");
    }
  }
  check_places(summary.attachment_indexes, attachments_, "attachment");
  check_places(summary.metadata_indexes, metadata_, "metadata record");
  if (summary.statistics) check_statistics();
}

void Checker::check_chunk_index(const ChunkIndex& index) {
  std::uint64_t at = tail_.footer->summary_start;
  auto known = chunks_.find(index.chunk_offset);
  if (known == chunks_.end()) {
    return finding(
        at,
        fmt::format("the summary lists a chunk at byte {}, but there is none", index.chunk_offset),
        Loss{});
  }
  ChunkFacts& facts = known->second;
  const ChunkPlace& place = facts.place;
  if (std::exchange(facts.is_listed, true)) {
    flaw(at, fmt::format("the chunk at byte {} is listed twice", index.chunk_offset));
  }
  auto differs = [&](std::string_view what, std::uint64_t said, std::uint64_t is) {
    if (said == is) return;
    flaw(at,
         fmt::format("the summary's entry for the chunk at byte {} gives the {} {}, but it is {}",
                     index.chunk_offset, what, said, is));
  };
  differs("length", index.chunk_bytes, place.end - place.offset);
  differs("compressed size", index.compressed_size, place.stored_bytes);
  differs("uncompressed size", index.uncompressed_size, place.size);
  differs("earliest time", index.start, facts.start);
  differs("latest time", index.end, facts.end);
  differs("message index length", index.message_index_bytes, facts.index_bytes);
  std::map<std::uint16_t, std::uint64_t> places(index.message_index_offsets.begin(),
                                                index.message_index_offsets.end());
  if (index.compression != place.compression || places != facts.index_places) {
    flaw(at,
         fmt::format("the summary's entry for the chunk at byte {} is wrong", index.chunk_offset));
  }
}

/// What the file has and the summary does not list shows as a wrong number in the statistics.
template <class Index>
void Checker::check_places(const std::vector<Index>& indexes, const std::set<std::uint64_t>& places,
                           std::string_view what) {
  for (const Index& index : indexes) {
    if (places.contains(index.offset)) continue;
    finding(
        tail_.footer->summary_start,
        fmt::format("the summary lists the {} at byte {}, but there is none", what, index.offset));
  }
}

void Checker::check_statistics() {
  const Statistics& declared = *tail_.summary->statistics;
  auto differs = [&](std::string_view what, std::uint64_t said, std::uint64_t is) {
    if (said == is) return;
    flaw(tail_.footer->summary_start,
         fmt::format("the statistics give {} {}, but there are {}", said, what, is));
  };
  differs("messages", declared.messages, messages_);
  differs("chunks", declared.chunks, chunks_.size());
  differs("attachments", declared.attachments, attachments_.size());
  differs("metadata records", declared.metadata, metadata_.size());
  if (messages_ > 0 && (declared.start != start_ || declared.end != end_)) {
    flaw(tail_.footer->summary_start,
         fmt::format("the statistics give {} to {}, but the messages are from {} to {}",
                     declared.start, declared.end, start_, end_));
  }
  std::map<std::uint16_t, std::uint64_t> counts;
  for (auto [channel, messages] : declared.channel_messages) {
    if (messages > 0) counts[channel] += messages;
  }
  if (counts != counts_ && !declared.channel_messages.empty()) {
    flaw(tail_.footer->summary_start, "the statistics give a wrong message count for a channel");
  }
}

}  // namespace

void check(const std::shared_ptr<const ChunkFile>& file, const ReadOptions& options) {
  Tail tail = read_tail(*file);
  scan(*file, tail, options);
  Checker(*file, options).run();
}

}  // namespace kitbag::mcap
