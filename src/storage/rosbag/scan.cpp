#include <algorithm>

#include "storage/rosbag/chunk_walk.h"
#include "storage/rosbag/index.h"

namespace kitbag::rosbag {

namespace {

class Scanner {
 public:
  Scanner(const ChunkFile& file, const FileHeader& header, const OnProblem& on_problem)
      : file_(file), on_problem_(on_problem), window_(file.file(), file.path()) {
    index_.header = header;
    index_.is_scanned = true;
  }
  BagIndex run();

 private:
  bool take_record(std::uint64_t offset);
  void take_chunk(const ChunkHead& head);
  void take_connection(const Record& record, std::uint64_t offset);
  void problem(ErrorCode code, const std::string& message, std::uint64_t offset) {
    report(on_problem_, file_.error(code, message, offset));
  }

  const ChunkFile& file_;
  const OnProblem& on_problem_;
  RecordWindow window_;
  BagIndex index_;
  std::uint64_t next_ = 0;
  std::vector<std::uint32_t> counts_;  ///< of the chunk at hand, by slot
};

BagIndex Scanner::run() {
  std::uint64_t size = file_.file().size();
  next_ = index_.header.end;
  while (next_ < size && take_record(next_)) {
  }
  index_.data_end = std::min(next_, size);
  return std::move(index_);
}

/// False: nothing behind this place can be understood.
bool Scanner::take_record(std::uint64_t offset) {
  auto head = window_.head(offset);
  if (!head) {
    problem(ErrorCode::truncated, "no whole record begins here; the rest of the file is left out",
            offset);
    return false;
  }
  next_ = head->end();
  switch (static_cast<Op>(head->header.op())) {
    case Op::chunk:
      take_chunk(*parse_chunk_head(*head));
      return true;
    case Op::connection:
    case Op::message_definition:
      break;
    default:
      return true;  // indexes tell nothing that the chunks do not, unknown records are skipped
  }
  auto record = window_.record(offset, kMaxConnectionBytes);
  if (!record) {
    problem(ErrorCode::truncated, "a connection record is cut off", offset);
    return false;
  }
  take_connection(*record, offset);
  return true;
}

void Scanner::take_connection(const Record& record, std::uint64_t offset) {
  if (record.header.op() == static_cast<std::uint8_t>(Op::message_definition)) {
    index_.connections.add_definition(record);
    return;
  }
  auto added = index_.connections.add(record);
  if (added == Connections::Added::malformed) {
    problem(ErrorCode::corrupt, "a connection record is damaged", offset);
  } else if (added == Connections::Added::contradiction) {
    problem(ErrorCode::corrupt, "two connection records with one id contradict each other", offset);
  }
}

void Scanner::take_chunk(const ChunkHead& head) {
  ChunkBody body = file_.body(head, 0);
  if (body.fault) report(on_problem_, *body.fault);
  counts_.assign(index_.connections.size(), 0);
  Time start = Time::max();
  Time end = Time::min();
  std::uint64_t strangers = 0;
  ChunkWalk walk = walk_chunk(
      body.content,
      [&](std::uint32_t connection, std::uint64_t stored, std::size_t, ByteView) {
        auto slot = index_.connections.slot(connection);
        if (!slot) {
          ++strangers;
          return;
        }
        if (*slot >= counts_.size()) counts_.resize(*slot + 1, 0);
        ++counts_[*slot];
        start = std::min(start, time_of(stored));
        end = std::max(end, time_of(stored));
      },
      [&](const Record& record, std::size_t) {
        if (record.header.op() == static_cast<std::uint8_t>(Op::connection)) {
          take_connection(record, head.offset);
        }
      });
  if (!walk.fault.empty() && !body.fault) {
    problem(ErrorCode::corrupt,
            std::string(walk.fault) + " at byte " + std::to_string(walk.end) + " of this chunk",
            head.offset);
  }
  if (strangers > 0) {
    problem(ErrorCode::corrupt,
            std::to_string(strangers) +
                " messages in this chunk are of connections that no record "
                "describes",
            head.offset);
  }
  if (end < start) return;  // no messages
  ChunkTable& table = index_.table;
  auto first_count = static_cast<std::uint32_t>(table.counts.size());
  for (std::uint32_t slot = 0; slot < counts_.size(); ++slot) {
    if (counts_[slot] > 0) table.counts.push_back({slot, counts_[slot]});
  }
  table.chunks.push_back({head.offset, start, end, first_count,
                          static_cast<std::uint32_t>(table.counts.size()) - first_count});
}

}  // namespace

BagIndex scan(const ChunkFile& file, const FileHeader& header, const OnProblem& on_problem) {
  return Scanner(file, header, on_problem).run();
}

}  // namespace kitbag::rosbag
