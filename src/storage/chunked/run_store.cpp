#include "storage/chunked/run_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/memory_limit.h"
#include "storage/chunked/run_walk.h"

// A run is read twice: once when it is opened, to find the stretches, and then stretch by stretch.
// In between the file may have changed. A stretch that does not parse to its end any more was
// changed, and what it has lost follows from the number of messages that the first pass has
// counted.
//
// Stretches begin and end with a message, so load() parses records only, and damage between
// stretches is never read again.
//
// Channels are known by keys, bytes that the format defines (a topic, three lines, fields). The
// parser learns the slot of a key when its first message was passed on, not when it was parsed: a
// message that turns out to be damage must not create a channel.

namespace kitbag {

namespace {

/// A chunk is closed when it has this size; one record can make it larger.
constexpr std::size_t kRunChunkBytes = 512 << 10;
constexpr std::size_t kRunIdleBytes = 16 << 20;

constexpr const char* kChanged = "the file has changed since it was opened";

}  // namespace

void TimeSum::add(Time time) {
  std::uint64_t x = static_cast<std::uint64_t>(to_ns(time)) * 0x9E3779B97F4A7C15ULL;
  mixed += x ^ x >> 32;
  ++count;
}

/// Cuts the run into chunks, which begin and end with a message. Damage may lie between them.
class RunChunks final : public RunListener {
 public:
  explicit RunChunks(RunStore& store) : store_(store) {}

  void on_message(std::uint64_t offset, std::uint64_t bytes, std::uint32_t slot,
                  Time time) override {
    // A large message is alone, so that nothing else is lost where it is too large to be read.
    if (!is_open_ || bytes >= kRunChunkBytes || offset != end_) open(offset);
    if (slot >= counts_.size()) counts_.resize(slot + 1, 0);
    ++counts_[slot];
    if (slot >= store_.times_.size()) store_.times_.resize(slot + 1);
    store_.times_[slot].add(time);
    chunk_.start = std::min(chunk_.start, time);
    chunk_.end = std::max(chunk_.end, time);
    message_end_ = offset + bytes;
    extend(bytes);
  }
  void on_other(std::uint64_t offset, std::uint64_t bytes, ByteView) override {
    if (is_open_ && offset == end_) extend(bytes);
  }
  void close();

 private:
  void open(std::uint64_t offset) {
    close();
    chunk_ = {offset, Time::max(), Time::min(), 0, 0};
    end_ = offset;
    is_open_ = true;
  }
  void extend(std::uint64_t bytes) {
    end_ += bytes;
    if (end_ - chunk_.offset >= kRunChunkBytes) close();
  }

  RunStore& store_;
  bool is_open_ = false;
  Chunk chunk_{};
  std::vector<std::uint32_t> counts_;  ///< of this chunk, by slot
  std::uint64_t end_ = 0;              ///< of its last record
  std::uint64_t message_end_ = 0;      ///< of its last message
};

void RunChunks::close() {
  if (!std::exchange(is_open_, false)) return;
  ChunkTable& table = store_.table_;
  chunk_.first_count = static_cast<std::uint32_t>(table.counts.size());
  for (std::uint32_t slot = 0; slot < counts_.size(); ++slot) {
    if (counts_[slot] > 0) table.counts.push_back({slot, counts_[slot]});
  }
  chunk_.channels = static_cast<std::uint32_t>(table.counts.size()) - chunk_.first_count;
  counts_.clear();
  table.chunks.push_back(chunk_);
  store_.ends_.push_back(message_end_);
}

RunStore::RunStore(std::shared_ptr<const ReadFile> file, std::string path, std::uint64_t begin,
                   std::unique_ptr<RunParser> parser, ReadOptions options)
    : file_(std::move(file)),
      path_(std::move(path)),
      parser_(std::move(parser)),
      options_(std::move(options)),
      buffers_(kRunIdleBytes) {
  RunChunks chunks(*this);
  walk_run(*file_, path_, begin, *parser_, keys_, options_.on_problem, chunks);
  chunks.close();
  name_channels();
}

void RunStore::name_channels() {
  Channels channels(keys_.size());
  auto add = [&](Channel described, std::size_t slot) {
    described.slot = static_cast<std::uint32_t>(slot);
    channels[slot] = std::make_shared<const Channel>(std::move(described));
  };
  for (const auto& [key, slot] : keys_) add(parser_->describe(key), slot);
  for (Channel& silent : parser_->silent_channels(channels)) {
    channels.emplace_back();
    add(std::move(silent), channels.size() - 1);
  }
  channels_ = std::make_shared<const Channels>(std::move(channels));
}

Error RunStore::damage(std::size_t chunk, const std::string& message) const {
  return {ErrorCode::corrupt, message, path_, table_.chunks[chunk].offset};
}

void RunStore::load(std::size_t chunk, const Wanted& wanted, LoadedChunk& into,
                    const Fetch& /*fetch*/) const {
  std::uint64_t offset = table_.chunks[chunk].offset;
  auto size = static_cast<std::size_t>(ends_[chunk] - offset);
  std::uint64_t most = MemoryLimit(options_.max_memory_bytes).plain();
  if (size > most) {
    Loss loss;
    loss.messages = summarize(chunk).messages;
    into.problems.push_back(Error(
        ErrorCode::limit,
        fmt::format(
            "the messages here have a size of {} bytes, which exceeds the memory limit of {} bytes",
            size, most),
        path_, offset, loss));
    return;
  }
  std::shared_ptr<Buffer> buffer = buffers_.take(size);
  buffer->resize(size);
  buffer->resize(file_->read(offset, buffer->span()));
  ByteView bytes = buffer->view();
  into.owner = buffer;
  into.bytes_pinned = buffer->capacity();
  into.base = bytes.data();

  auto tell_change = [&](std::uint64_t found) {
    Loss loss;
    std::uint64_t expected = summarize(chunk).messages;
    loss.messages = expected - std::min(expected, found);  // it may hold more, and smaller ones
    into.problems.push_back(Error(ErrorCode::corrupt, kChanged, path_, offset, loss));
  };
  const Channels& channels = *channels_;
  RunScratch scratch;
  std::uint64_t found = 0;
  Time last = Time::min();
  for (std::size_t at = 0; at < bytes.size();) {
    RunRecord record = parser_->parse(bytes.subspan(at), scratch);
    bool is_whole = record.is_known() && record.bytes <= bytes.size() - at;
    if (is_whole && record.kind == RunRecord::Kind::message) {
      std::uint32_t slot = record.slot == kUnknownSlot ? keys_.find(record.key) : record.slot;
      is_whole = slot != kUnknownSlot;
      if (is_whole) ++found;
      if (is_whole && wanted.has(slot) && wanted.has(record.time)) {
        into.in_time_order &= record.time >= last;
        last = record.time;
        auto data_bytes = static_cast<std::size_t>(record.bytes) - record.head_bytes;
        into.messages.push_back({channels[slot].get(), 0, 0, record.time, record.time,
                                 bytes.subspan(at + record.head_bytes, data_bytes)});
      }
    }
    if (!is_whole) return tell_change(found);
    at += static_cast<std::size_t>(record.bytes);
  }
  if (bytes.size() < size) tell_change(found);
}

bool RunStore::positions(std::size_t, const Wanted&, std::vector<Position>&) const {
  return false;
}

ChunkSummary RunStore::summarize(std::size_t chunk) const {
  const Chunk& known = table_.chunks[chunk];
  ChunkSummary summary;
  summary.offset = known.offset;
  summary.stored_bytes = ends_[chunk] - known.offset;
  summary.bytes = summary.stored_bytes;
  summary.compression = "none";
  for (const ChannelCount& count : table_.counts_of(chunk)) summary.messages += count.messages;
  summary.start = known.start;
  summary.end = known.end;
  return summary;
}

}  // namespace kitbag
