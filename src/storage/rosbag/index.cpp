#include "storage/rosbag/index.h"

#include <algorithm>

#include "storage/rosbag/chunk_walk.h"

// The index section, from index_pos to the end of the file: first all connections, then a chunk
// info for each chunk. Opening a bag reads this and the file header, and no chunk. The file header
// promises how many of each there are, so an index that is cut off between two records is noticed.
//
// What the index says is checked before it is used: places of chunks lie between the header and the
// index, no chunk is listed twice, all connections are known. What it promises does not reserve
// memory beyond a bound. Any contradiction makes the whole index worthless, and the bag is scanned.
//
// The end of the index is where the bag ends. What stands behind it was left by an append that was
// not completed (decision 001). Such an append may have written an index, too. That one begins with
// connections that are known already, which is how the end is recognised.
//
// For a check, the index is not trusted: the bag is scanned, and both results are compared. If they
// agree, the index is used all the same, because reading by it verifies each chunk.

namespace kitbag::rosbag {

namespace {

/// The most that is reserved because a header declares it; the rest grows as it is read.
constexpr std::size_t kTrustedCount = 1 << 20;

class IndexReader {
 public:
  IndexReader(const ChunkFile& file, const FileHeader& header);
  BagIndex read();

 private:
  bool take(const Record& record);
  bool begins_again(const Record& record) const;
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
  index_.table.data_end = header.index_pos;
  index_.table.chunks.reserve(std::min<std::size_t>(header.chunks, kTrustedCount));
}

BagIndex IndexReader::read() {
  if (at_ < index_.header.end || at_ > file_.file().size()) {
    throw file_.error(ErrorCode::corrupt, "the file header places the index outside the file",
                      kVersionLine.size());
  }
  RecordWindow window = file_.window();
  std::uint64_t size = file_.file().size();
  auto is_complete = [&] {
    return index_.connections.size() >= index_.header.connections &&
           chunk_infos_ >= index_.header.chunks;
  };
  while (at_ < size) {
    auto record = window.record(at_, kMaxConnectionBytes);
    if (record && is_complete() && begins_again(*record)) break;
    if (!record || !take(*record)) {
      if (is_complete()) break;  // padding, or what somebody put behind the bag
      fail("a record of the index is damaged or cut off");
    }
    at_ += record->bytes;
  }
  finish();
  index_.is_found = true;
  index_.end = at_;
  return std::move(index_);
}

/// An append that added no messages, and was not completed, has left an index behind this one. Each
/// begins with the connections.
bool IndexReader::begins_again(const Record& record) const {
  auto id = Connections::id_of(record);
  return record.header.kind() == Op::connection && id && index_.connections.slot(*id);
}

/// False: not a record of an index.
bool IndexReader::take(const Record& record) {
  switch (record.header.kind()) {
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
      fail("two connection records with the same ID contradict each other");
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
    fail("the index lists " + std::to_string(index_.connections.size()) + " connections and " +
         std::to_string(chunk_infos_) + " chunks, but the file header promises " +
         std::to_string(index_.header.connections) + " and " +
         std::to_string(index_.header.chunks));
  }
  for (ChannelCount& count : index_.table.counts) {
    auto slot = index_.connections.slot(count.slot);
    if (!slot) {
      fail("a chunk info record lists the unknown connection " + std::to_string(count.slot));
    }
    count.slot = *slot;
  }
  std::vector<Chunk>& chunks = index_.table.chunks;
  auto by_offset = [](const Chunk& a, const Chunk& b) { return a.offset < b.offset; };
  std::sort(chunks.begin(), chunks.end(), by_offset);
  auto same_offset = [](const Chunk& a, const Chunk& b) { return a.offset == b.offset; };
  if (std::adjacent_find(chunks.begin(), chunks.end(), same_offset) != chunks.end()) {
    fail("two chunk info records list the same chunk");
  }
}

}  // namespace

BagIndex read_index(const ChunkFile& file, const FileHeader& header) {
  return IndexReader(file, header).read();
}

std::uint64_t end_of_bag(const ChunkFile& file) {
  std::uint64_t size = file.file().size();
  try {
    FileHeader header = read_file_header(file);
    bool has_index = header.index_pos != 0 && !header.has_topics;
    return has_index ? read_index(file, header).end : size;
  } catch (const Error& error) {
    if (!is_damage(error.code())) throw;
    return size;
  }
}

namespace {

/// A damaged file header costs no messages: the first record has the same place in all files, or is
/// searched for.
FileHeader read_header_leniently(const ChunkFile& file, const ReadOptions& options) {
  try {
    return read_file_header(file);
  } catch (const Error& problem) {
    if (problem.code() != ErrorCode::corrupt) throw;
    report(options.on_problem, problem);
    return {.end = kVersionLine.size() + 2 * sizeof(std::uint32_t) + kFileHeaderBytes,
            .has_topics = has_topic_line(file.file()),
            .is_damaged = true};
  }
}

/// Nothing: there is no index, or it is unsound; that is reported.
std::optional<BagIndex> read_index_if_sound(const ChunkFile& file, const FileHeader& header,
                                            const ReadOptions& options) {
  bool is_unread = header.has_topics && header.index_pos != 0;  // the chunks contain the same
  if (header.is_damaged || is_unread) return std::nullopt;
  if (header.index_pos == 0) {
    report(options.on_problem,
           file.error(ErrorCode::truncated,
                      "the bag was not closed and has no index; everything that is intact is read",
                      kVersionLine.size()));
    return std::nullopt;
  }
  std::optional<Error> problem;
  try {
    return read_index(file, header);
  } catch (const Error& error) {
    if (!is_damage(error.code())) throw;
    problem = error;
  }
  report(options.on_problem, *problem);
  return std::nullopt;
}

bool holds_same(const BagIndex& a, const BagIndex& b) {
  auto place = [](const BagIndex& index) {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> chunks;
    for (std::size_t i = 0; i < index.table.chunks.size(); ++i) {
      std::uint64_t messages = index.table.messages_of(i);
      if (messages > 0) chunks.emplace_back(index.table.chunks[i].offset, messages);
    }
    return chunks;
  };
  return place(a) == place(b);
}

/// The sound index of a first draft, whose connections are described in the chunks only, with what
/// a scan has found there.
BagIndex completed_by(BagIndex scanned, const BagIndex& index) {
  scanned.is_scanned = false;
  scanned.is_found = true;
  scanned.end = index.end;
  return scanned;
}

/// The index is compared with a scan. It is used if both agree, so that reading by it verifies the
/// chunks one by one.
BagIndex open_by_scan(const ChunkFile& file, const FileHeader& header,
                      std::optional<BagIndex> index, const ReadOptions& options) {
  std::size_t problems = 0;
  ReadOptions counting = options;
  counting.on_problem = [&](const Error& problem) {
    ++problems;
    report(options.on_problem, problem);
  };
  BagIndex scanned = scan(file, header, counting.on_problem);
  scanned.is_found = index.has_value();
  if (!index || problems > 0) return scanned;
  if (holds_same(*index, scanned)) {
    if (index->connections.say_all_of(scanned.connections)) return std::move(*index);
    return completed_by(std::move(scanned), *index);
  }
  report(options.on_problem,
         file.error(ErrorCode::corrupt, "the index does not match the contents of the chunks",
                    header.index_pos));
  return scanned;
}

}  // namespace

BagIndex open_index(const ChunkFile& file, const ReadOptions& options) {
  FileHeader header = read_header_leniently(file, options);
  auto index = read_index_if_sound(file, header, options);
  if (!options.trust_index) return open_by_scan(file, header, std::move(index), options);
  if (index && index->connections.are_complete()) return std::move(*index);
  BagIndex scanned = scan(file, header, options.on_problem);
  return index ? completed_by(std::move(scanned), *index) : std::move(scanned);
}

}  // namespace kitbag::rosbag
