// A bare reader of MCAP. It stands for the MCAP C++ library, which Debian does not have, and does
// what that does, without its checks and layers: the summary is parsed, each chunk that a query
// touches is read and decompressed once, and its message indexes are sorted by time. No CRC is
// verified, and a message is handed out as a pointer.
//
// usage: peer_mcap a|b|mixed COMPRESSION FILE open|query|read|read_unchecked

#include <fcntl.h>
#include <lz4frame.h>
#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

#include "bench/meter.h"
#include "bench/payload.h"

namespace {

constexpr std::size_t kRecordHead = 9;
constexpr std::size_t kMessageHead = 22;

void require(bool holds) {
  if (!holds) throw std::runtime_error("not an MCAP file that this program reads");
}

/// Fields of a record, one after the other.
class Fields {
 public:
  Fields(const std::byte* at, std::size_t size) : at_(at), end_(at + size) {}

  template <class T>
  T number() {
    T value;
    std::memcpy(&value, bytes(sizeof(T)), sizeof(T));
    return value;
  }
  std::string text() {
    const auto size = number<std::uint32_t>();
    return {reinterpret_cast<const char*>(bytes(size)), size};
  }
  const std::byte* bytes(std::size_t size) {
    require(size <= static_cast<std::size_t>(end_ - at_));
    return std::exchange(at_, at_ + size);
  }
  bool empty() const { return at_ == end_; }

 private:
  const std::byte* at_;
  const std::byte* end_;
};

struct ChunkIndex {
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  std::map<std::uint16_t, std::uint64_t> message_indexes;
  std::uint64_t message_index_bytes = 0;
};

class McapFile {
 public:
  explicit McapFile(const char* path) : file_(::open(path, O_RDONLY)) { require(file_ >= 0); }
  ~McapFile() { ::close(file_); }
  McapFile(const McapFile&) = delete;
  McapFile& operator=(const McapFile&) = delete;

  void read(std::uint64_t offset, std::vector<std::byte>& into) const {
    const ssize_t count = ::pread(file_, into.data(), into.size(), static_cast<off_t>(offset));
    require(count == static_cast<ssize_t>(into.size()));
  }

  void read_summary() {
    const auto size = static_cast<std::uint64_t>(::lseek(file_, 0, SEEK_END));
    constexpr std::size_t kTail = kRecordHead + 20 + 8;
    std::vector<std::byte> tail(kTail);
    read(size - kTail, tail);
    const auto start = Fields(&tail[kRecordHead], 20).number<std::uint64_t>();
    std::vector<std::byte> summary(size - kTail - start);
    read(start, summary);
    for (Fields all(summary.data(), summary.size()); !all.empty();) {
      const auto op = all.number<std::uint8_t>();
      const auto bytes = all.number<std::uint64_t>();
      Fields record(all.bytes(bytes), bytes);
      if (op == 0x04) add_channel(record);
      if (op == 0x08) add_chunk(record);
    }
    std::sort(chunks.begin(), chunks.end(),
              [](const ChunkIndex& a, const ChunkIndex& b) { return a.start < b.start; });
  }

  std::vector<ChunkIndex> chunks;
  std::map<std::string, std::uint16_t> channels;  ///< by topic

 private:
  void add_channel(Fields& record) {
    const auto id = record.number<std::uint16_t>();
    record.number<std::uint16_t>();
    channels[record.text()] = id;
  }
  void add_chunk(Fields& record) {
    ChunkIndex chunk;
    chunk.start = record.number<std::uint64_t>();
    chunk.end = record.number<std::uint64_t>();
    chunk.offset = record.number<std::uint64_t>();
    chunk.bytes = record.number<std::uint64_t>();
    const auto size = record.number<std::uint32_t>();
    for (Fields list(record.bytes(size), size); !list.empty();) {
      const auto channel = list.number<std::uint16_t>();
      chunk.message_indexes[channel] = list.number<std::uint64_t>();
    }
    chunk.message_index_bytes = record.number<std::uint64_t>();
    chunks.push_back(std::move(chunk));
  }

  int file_;
};

/// The records of a chunk, in one of the buffers.
std::span<const std::byte> load_chunk(const McapFile& file, const ChunkIndex& index,
                                      std::vector<std::byte>& record,
                                      std::vector<std::byte>& unpacked) {
  record.resize(index.bytes);
  file.read(index.offset, record);
  Fields fields(record.data() + kRecordHead, record.size() - kRecordHead);
  fields.number<std::uint64_t>();
  fields.number<std::uint64_t>();
  const auto size = fields.number<std::uint64_t>();
  fields.number<std::uint32_t>();
  const std::string compression = fields.text();
  const auto stored = fields.number<std::uint64_t>();
  const std::byte* data = fields.bytes(stored);
  if (compression.empty()) return {data, size};
  unpacked.resize(size);
  if (compression == "zstd") {
    require(ZSTD_decompress(unpacked.data(), size, data, stored) == size);
    return unpacked;
  }
  LZ4F_dctx* context = nullptr;
  require(LZ4F_createDecompressionContext(&context, LZ4F_VERSION) == 0);
  std::size_t made = size;
  std::size_t taken = stored;
  const std::size_t rest = LZ4F_decompress(context, unpacked.data(), &made, data, &taken, nullptr);
  LZ4F_freeDecompressionContext(context);
  require(rest == 0 && made == size);
  return unpacked;
}

void take(std::span<const std::byte> content, std::uint64_t offset, bench::Meter& meter) {
  std::uint64_t size;
  std::memcpy(&size, &content[offset + 1], sizeof(size));
  size -= kMessageHead;
  ++meter.messages;
  meter.bytes += size;
  meter.sum += bench::touch(&content[offset + kRecordHead + kMessageHead], size);
}

/// By time: all topics, or those of `topic`; `count` messages of [begin, end).
void read_by_time(const char* path, const std::string& topic, std::uint64_t begin,
                  std::uint64_t end, std::uint64_t count) {
  bench::Meter meter;
  McapFile file(path);
  file.read_summary();
  std::vector<std::byte> record;
  std::vector<std::byte> unpacked;
  std::vector<std::byte> index;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> places;  // time, offset
  for (const ChunkIndex& chunk : file.chunks) {
    if (chunk.end < begin || chunk.start >= end || meter.messages == count) continue;
    const auto content = load_chunk(file, chunk, record, unpacked);
    index.resize(chunk.message_index_bytes);
    file.read(chunk.offset + chunk.bytes, index);
    places.clear();
    for (Fields all(index.data(), index.size()); !all.empty();) {
      all.number<std::uint8_t>();
      const auto bytes = all.number<std::uint64_t>();
      Fields fields(all.bytes(bytes), bytes);
      const auto channel = fields.number<std::uint16_t>();
      fields.number<std::uint32_t>();
      if (!topic.empty() && channel != file.channels[topic]) continue;
      while (!fields.empty()) {
        const auto time = fields.number<std::uint64_t>();
        const auto offset = fields.number<std::uint64_t>();
        if (time >= begin && time < end) places.emplace_back(time, offset);
      }
    }
    std::sort(places.begin(), places.end());
    for (const auto& [time, offset] : places) {
      if (meter.messages < count) take(content, offset, meter);
    }
  }
  meter.report();
}

void read_in_file_order(const char* path) {
  bench::Meter meter;
  McapFile file(path);
  file.read_summary();
  std::vector<std::byte> record;
  std::vector<std::byte> unpacked;
  for (const ChunkIndex& chunk : file.chunks) {
    const auto content = load_chunk(file, chunk, record, unpacked);
    for (std::size_t at = 0; at < content.size();) {
      std::uint64_t size;
      std::memcpy(&size, &content[at + 1], sizeof(size));
      if (content[at] == std::byte{0x05}) take(content, at, meter);
      at += kRecordHead + size;
    }
  }
  meter.report();
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 5) return 2;
  try {
    const bench::Workload work = bench::workload(arguments[1]);
    const std::string phase = arguments[4];
    if (phase == "open") read_by_time(arguments[3], "", 0, UINT64_MAX, 1);
    if (phase == "query") {
      read_by_time(arguments[3], bench::topic(0), work.query_begin_ns(), work.query_end_ns(),
                   UINT64_MAX);
    }
    if (phase == "read" || phase == "read_unchecked") read_in_file_order(arguments[3]);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
