#include "storage/rosbag/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "io/unwritten.h"
#include "kitbag/text.h"
#include "storage/chunked/chunk_store.h"
#include "storage/rosbag/chunk_walk.h"
#include "storage/rosbag/connections.h"
#include "storage/writing/late_messages.h"

// A rosbag says most things twice, and has no checksums. So one pass over the records compares the
// two: the messages of a chunk with the index records that follow it, and what is known of all
// chunks with the chunk infos at the end of the file. Of a chunk only its counts and times are
// kept; its messages are forgotten as soon as its index records have been compared.
//
// A finding has a Loss, unless all messages are there in spite of it.
//
// A chunk that cannot be unpacked or ends early is one finding: its index is not compared with what
// is left of it, which would repeat the finding for each lost message.

namespace kitbag::rosbag {

namespace {

/// A message as the chunk or its index places it.
struct Place {
  std::uint32_t connection;
  std::uint32_t offset;
  std::uint64_t time;

  auto operator<=>(const Place&) const = default;
};

/// What the index section has to say about one chunk.
struct ChunkFacts {
  Time start = Time::max();
  Time end = Time::min();
  std::map<std::uint32_t, std::uint32_t> counts;  ///< by connection
  bool is_listed = false;
};

class Checker {
 public:
  Checker(const ChunkFile& file, const OnProblem& on_finding)
      : file_(file), on_finding_(on_finding), window_(file.window()) {}

  void run();

 private:
  void walk_records();
  bool take_record(const RecordHead& head);
  void take_chunk(const RecordHead& record);
  void take_message(std::uint32_t connection, std::uint64_t time, std::size_t offset,
                    std::uint64_t chunk_offset, ChunkFacts& facts);
  void take_connection(const Record& record, std::uint64_t offset);
  void take_index(const Record& record, std::uint64_t offset);
  void take_chunk_info(const Record& record, std::uint64_t offset);
  void finish_chunk();
  void finish_file();
  void compare_index();
  void check_tail(std::uint64_t offset);
  bool in_index(std::uint64_t offset) const {
    return header_.index_pos != 0 && offset >= header_.index_pos;
  }
  void finding(std::uint64_t offset, const std::string& message,
               const std::optional<Loss>& loss = Loss{}) {
    on_finding_(Error(ErrorCode::corrupt, message, file_.path(), offset, loss));
  }
  /// Nothing is lost by it.
  void flaw(std::uint64_t offset, const std::string& message) {
    finding(offset, message, std::nullopt);
  }
  void costly(const Error& problem) {
    on_finding_(Error(problem.code(), problem.message(), problem.file(), problem.offset(),
                      problem.loss().value_or(Loss{})));
  }

  const ChunkFile& file_;
  const OnProblem& on_finding_;
  RecordWindow window_;
  FileHeader header_;
  Connections connections_;
  std::map<std::uint64_t, ChunkFacts> chunks_;  ///< by offset
  std::set<std::uint32_t> used_connections_;
  std::set<std::uint32_t> listed_connections_;
  std::uint64_t listed_chunks_ = 0;
  bool met_index_ = false;  ///< a record begins at index_pos

  std::uint64_t chunk_offset_ = 0;  ///< of the chunk whose index records may follow; 0: none
  bool chunk_is_sound_ = false;
  std::vector<Place> content_;
  std::vector<Place> indexed_;

  LateMessages late_;
};

void Checker::run() {
  try {
    header_ = read_file_header(file_);
  } catch (const Error& problem) {
    if (!is_damage(problem.code())) throw;
    costly(problem);
    return;
  }
  if (header_.index_pos == 0) {
    flaw(kVersionLine.size(), "the bag was not closed and has no index");
  }
  walk_records();
  finish_chunk();
  finish_file();
}

void Checker::walk_records() {
  std::uint64_t size = file_.file().size();
  std::uint64_t last = header_.end;
  std::uint64_t at = header_.end;
  while (at < size) {
    if (at == header_.index_pos) met_index_ = true;
    auto head = window_.head(at);
    if (!head) return check_tail(at);
    std::uint64_t end = head->end();
    if (!take_record(*head)) return;
    last = std::exchange(at, end);
  }
  if (at > size) {
    finding(last, fmt::format("the last record is cut off: {} bytes are missing", at - size));
  }
}

/// False: the walk cannot go on.
bool Checker::take_record(const RecordHead& head) {
  auto op = static_cast<Op>(head.header.op());
  if (op != Op::index) finish_chunk();
  if (op == Op::chunk) {
    take_chunk(head);
    return true;
  }
  // No other record is large. A damaged length must not become an allocation.
  auto record = window_.record(head.offset, kMaxConnectionBytes);
  if (!record) {
    finding(head.offset, "the record is cut off or too long");
    return false;
  }
  if (op == Op::connection) take_connection(*record, head.offset);
  if (op == Op::index) take_index(*record, head.offset);
  if (op == Op::chunk_info) take_chunk_info(*record, head.offset);
  if (op == Op::message_definition) connections_.add_definition(*record);
  return true;
}

void Checker::take_chunk(const RecordHead& record) {
  auto parsed = parse_chunk_head(record);
  if (!parsed) return finding(record.offset, "a chunk record is damaged");
  const ChunkHead& head = *parsed;
  ChunkBody body = file_.body(head, 0);
  chunk_offset_ = head.offset;
  content_.clear();
  indexed_.clear();
  if (body.fault) costly(*body.fault);
  if (in_index(head.offset)) finding(head.offset, "a chunk is inside the index section");

  ChunkFacts& facts = chunks_[head.offset];
  ChunkWalk walk = walk_chunk(
      body.content,
      [&](std::uint32_t connection, std::uint64_t time, std::size_t offset, ByteView) {
        take_message(connection, time, offset, head.offset, facts);
      },
      [&](const Record& inner, std::size_t) {
        if (inner.header.op() == static_cast<std::uint8_t>(Op::connection)) {
          take_connection(inner, head.offset);
        }
      });
  if (!walk.fault.empty() && !body.fault) {
    finding(head.offset, fmt::format("{} at byte {} of this chunk", walk.fault, walk.end));
  }
  chunk_is_sound_ = !body.fault && walk.fault.empty();
}

void Checker::take_message(std::uint32_t connection, std::uint64_t stored, std::size_t offset,
                           std::uint64_t chunk_offset, ChunkFacts& facts) {
  content_.push_back({connection, static_cast<std::uint32_t>(offset), stored});
  used_connections_.insert(connection);
  ++facts.counts[connection];
  Time time = time_of(stored);
  facts.start = std::min(facts.start, time);
  facts.end = std::max(facts.end, time);
  late_.add(chunk_offset, time);
}

void Checker::take_connection(const Record& record, std::uint64_t offset) {
  auto id = Connections::id_of(record);
  if (id && in_index(offset)) listed_connections_.insert(*id);
  switch (connections_.add(record)) {
    case Connections::Added::malformed:
      return finding(offset, "a connection record is damaged");
    case Connections::Added::contradiction:
      return finding(offset, fmt::format("two records of connection {} contradict each other",
                                         id.value_or(0)));
    case Connections::Added::news:
    case Connections::Added::known:
      return;
  }
}

void Checker::take_index(const Record& record, std::uint64_t offset) {
  auto index = parse_index_record(record);
  if (!index) return flaw(offset, "an index record is damaged");
  if (chunk_offset_ == 0) return finding(offset, "an index record does not follow a chunk");
  for (std::size_t i = 0; i < index->count(); ++i) {
    indexed_.push_back({index->connection, index->offset(i), index->time(i)});
  }
}

/// The index records behind a chunk are all there: do they say what the chunk holds?
void Checker::finish_chunk() {
  if (chunk_offset_ == 0) return;
  std::uint64_t offset = std::exchange(chunk_offset_, 0);
  if (!chunk_is_sound_) return;
  std::sort(content_.begin(), content_.end());
  std::sort(indexed_.begin(), indexed_.end());
  // Both are sorted, so the first difference is the first place that one of them lacks.
  auto [held, listed] =
      std::mismatch(content_.begin(), content_.end(), indexed_.begin(), indexed_.end());
  if (held == content_.end() && listed == indexed_.end()) return;
  bool is_unlisted = listed == indexed_.end() || (held != content_.end() && *held < *listed);
  const Place& place = is_unlisted ? *held : *listed;
  finding(offset,
          fmt::format("the chunk holds {} messages, but the index after it lists {}; {}: "
                      "connection {} at byte {} of the chunk, {}",
                      content_.size(), indexed_.size(),
                      is_unlisted ? "the first unlisted one" : "the first missing one",
                      place.connection, place.offset, format_time(time_of(place.time))),
          Loss{.messages = indexed_.size() - std::min(indexed_.size(), content_.size())});
}

void Checker::take_chunk_info(const Record& record, std::uint64_t offset) {
  if (!in_index(offset)) return;  // what an append left behind
  ++listed_chunks_;
  auto chunk = parse_chunk_info(record);
  if (!chunk) return finding(offset, "a chunk info record is damaged");
  auto known = chunks_.find(chunk->offset);
  if (known == chunks_.end()) {
    return finding(offset,
                   fmt::format("a chunk info record lists a chunk at byte {}, but there is none",
                               chunk->offset));
  }
  ChunkFacts& facts = known->second;
  if (std::exchange(facts.is_listed, true)) {
    flaw(offset, fmt::format("the chunk at byte {} is listed twice", chunk->offset));
  }
  std::map<std::uint32_t, std::uint32_t> counts;
  for (std::size_t i = 0; i < chunk->count(); ++i) {
    if (chunk->messages(i) > 0) counts[chunk->connection(i)] += chunk->messages(i);
  }
  if (counts != facts.counts) {
    finding(
        offset,
        fmt::format("the counts in the chunk info record differ from those of the chunk at byte {}",
                    chunk->offset),
        Loss{.messages = 0});
  }
  bool is_empty = facts.counts.empty();
  if (!is_empty && (chunk->start != facts.start || chunk->end != facts.end)) {
    flaw(offset, fmt::format("the chunk info record gives {} to {}, but the messages of the "
                             "chunk at byte {} are from {} to {}",
                             format_time(chunk->start), format_time(chunk->end), chunk->offset,
                             format_time(facts.start), format_time(facts.end)));
  }
}

/// Where no record begins: is it padding, or damage?
void Checker::check_tail(std::uint64_t offset) {
  std::uint64_t size = file_.file().size();
  if (end_of_written(file_.file()) <= offset) {
    flaw(offset,
         fmt::format("the {} bytes from here on are zeros and contain no record", size - offset));
  } else {
    finding(offset, fmt::format("no complete record begins here; {} bytes remain", size - offset));
  }
}

/// What the index lists, and what is there.
void Checker::compare_index() {
  if (listed_connections_.size() != header_.connections || listed_chunks_ != header_.chunks) {
    finding(kVersionLine.size(),
            fmt::format("the file header promises {} connections and {} chunks, but the index "
                        "lists {} and {}",
                        header_.connections, header_.chunks, listed_connections_.size(),
                        listed_chunks_));
  }
  for (std::uint32_t slot = 0; slot < connections_.size(); ++slot) {
    if (listed_connections_.contains(connections_.id(slot))) continue;
    flaw(header_.index_pos, fmt::format("the index does not list connection {}, which a record in "
                                        "a chunk describes",
                                        connections_.id(slot)));
  }
  for (const auto& [offset, facts] : chunks_) {
    if (facts.is_listed) continue;
    finding(offset, "no chunk info record lists this chunk", Loss{.messages = 0});
  }
}

void Checker::finish_file() {
  constexpr std::uint64_t kHeader = kVersionLine.size();
  bool has_index = met_index_ || header_.index_pos == file_.file().size();
  if (header_.index_pos != 0 && has_index) {
    compare_index();
  } else if (header_.index_pos != 0) {  // what it would list is not missing one by one
    bool is_outside = header_.index_pos > file_.file().size();
    flaw(kHeader, is_outside ? std::string("the file header places the index outside the file")
                             : fmt::format("index_pos is {}, but no record begins there",
                                           header_.index_pos));
  }
  for (std::uint32_t connection : used_connections_) {
    if (!connections_.slot(connection)) {
      finding(kHeader, fmt::format("messages belong to connection {}, which no record describes",
                                   connection));
    }
  }
  late_.finish(file_.path(), on_finding_);
}

}  // namespace

void check(const ChunkFile& file, const OnProblem& on_finding) {
  Checker(file, on_finding).run();
}

}  // namespace kitbag::rosbag
