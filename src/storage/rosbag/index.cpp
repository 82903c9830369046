#include "storage/rosbag/index.h"

#include <algorithm>

#include "storage/rosbag/chunk_walk.h"

namespace kitbag::rosbag {

namespace {

/// What can be reserved on a header's word alone; more grows as it is read.
constexpr std::size_t kTrustedCount = 1 << 20;

class IndexReader {
 public:
  IndexReader(const ChunkFile& file, const FileHeader& header);
  BagIndex read();

 private:
  bool take(const Record& record);
  void take_connection(const Record& record);
  void take_chunk_info(const Record& record);
  void finish();
  [[noreturn]] void fail(const std::string& message) const {
    throw file_.error(ErrorCode::corrupt, message, at_);
  }

  const ChunkFile& file_;
  BagIndex index_;
  std::uint64_t at_;
  /// Chunk infos come before all connections are known in no bag seen, but nothing forbids it: the
  /// counts keep connection ids until the end.
  std::uint64_t chunk_infos_ = 0;
};

IndexReader::IndexReader(const ChunkFile& file, const FileHeader& header)
    : file_(file), at_(header.index_pos) {
  index_.header = header;
  index_.data_end = header.index_pos;
  index_.table.chunks.reserve(std::min<std::size_t>(header.chunks, kTrustedCount));
}

BagIndex IndexReader::read() {
  if (at_ < index_.header.end || at_ > file_.file().size()) {
    throw file_.error(ErrorCode::corrupt, "the file header places the index outside the file",
                      kVersionLine.size());
  }
  RecordWindow window(file_.file(), file_.path());
  std::uint64_t size = file_.file().size();
  auto is_complete = [&] {
    return index_.connections.size() >= index_.header.connections &&
           chunk_infos_ >= index_.header.chunks;
  };
  while (at_ < size) {
    auto record = window.record(at_, kMaxConnectionBytes);
    if (!record || !take(*record)) {
      if (is_complete()) break;  // padding, or what somebody put behind the bag
      fail("a record of the index is damaged or cut off");
    }
    at_ += record->bytes;
  }
  finish();
  return std::move(index_);
}

/// False: not a record of an index.
bool IndexReader::take(const Record& record) {
  switch (static_cast<Op>(record.header.op())) {
    case Op::connection:
      take_connection(record);
      return true;
    case Op::chunk_info:
      take_chunk_info(record);
      return true;
    case Op::message_definition:
      index_.connections.add_definition(record);
      return true;
    default:
      return false;
  }
}

void IndexReader::take_connection(const Record& record) {
  switch (index_.connections.add(record)) {
    case Connections::Added::malformed:
      fail("a connection record is damaged");
    case Connections::Added::contradiction:
      fail("two connection records with one id contradict each other");
    case Connections::Added::news:
    case Connections::Added::known:
      break;
  }
}

void IndexReader::take_chunk_info(const Record& record) {
  auto info = parse_chunk_info(record);
  if (!info) fail("a chunk info record is damaged");
  if (info->offset < index_.header.end || info->offset >= index_.header.index_pos) {
    fail("a chunk info record places its chunk outside the file");
  }
  ChunkTable& table = index_.table;
  table.chunks.push_back({info->offset, info->start, info->end,
                          static_cast<std::uint32_t>(table.counts.size()),
                          static_cast<std::uint32_t>(info->count())});
  for (std::size_t i = 0; i < info->count(); ++i) {
    table.counts.push_back({info->connection(i), info->messages(i)});
  }
  ++chunk_infos_;
}

void IndexReader::finish() {
  if (index_.connections.size() != index_.header.connections ||
      chunk_infos_ != index_.header.chunks) {
    fail("the index holds " + std::to_string(index_.connections.size()) + " connections and " +
         std::to_string(chunk_infos_) + " chunks, the file header promises " +
         std::to_string(index_.header.connections) + " and " +
         std::to_string(index_.header.chunks));
  }
  for (ChannelCount& count : index_.table.counts) {
    auto slot = index_.connections.slot(count.slot);
    if (!slot) fail("a chunk info names connection " + std::to_string(count.slot) + ", unknown");
    count.slot = *slot;
  }
  std::vector<Chunk>& chunks = index_.table.chunks;
  auto by_offset = [](const Chunk& a, const Chunk& b) { return a.offset < b.offset; };
  std::sort(chunks.begin(), chunks.end(), by_offset);
  auto same_offset = [](const Chunk& a, const Chunk& b) { return a.offset == b.offset; };
  if (std::adjacent_find(chunks.begin(), chunks.end(), same_offset) != chunks.end()) {
    fail("two chunk infos name one chunk");
  }
}

}  // namespace

BagIndex read_index(const ChunkFile& file, const FileHeader& header) {
  return IndexReader(file, header).read();
}

BagIndex open_index(const ChunkFile& file, const ReadOptions& options) {
  FileHeader header = read_file_header(file.file(), file.path());
  if (header.index_pos == 0) {
    report(options.on_problem,
           file.error(ErrorCode::truncated,
                      "the bag was not closed and has no index; what is whole is read",
                      kVersionLine.size()));
    return scan(file, header, options.on_problem);
  }
  try {
    BagIndex index = read_index(file, header);
    if (index.connections.are_complete()) return index;
    // A first draft: topics and types stand in the chunks only.
    index = scan(file, header, options.on_problem);
    index.is_scanned = false;
    return index;
  } catch (const Error& problem) {
    if (problem.code() == ErrorCode::io) throw;
    report(options.on_problem, problem);
    return scan(file, header, options.on_problem);
  }
}

}  // namespace kitbag::rosbag
