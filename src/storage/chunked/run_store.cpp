#include "storage/chunked/run_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace kitbag {

namespace {

/// A chunk is closed when it has this size; one record can make it larger.
constexpr std::size_t kRunChunkBytes = 1 << 20;
constexpr std::size_t kRunIdleBytes = 16 << 20;

}  // namespace

/// One pass over the run: cuts it into chunks, learns the channels, and finds the way on behind
/// damage.
class RunScan {
 public:
  explicit RunScan(RunStore& store) : store_(store), size_(store.file_->size()) {}

  void run(std::uint64_t begin);

 private:
  using Kind = RunRecord::Kind;

  ByteView window(std::size_t bytes);
  RunRecord next();
  void take(const RunRecord& record);
  void close_chunk();
  void skip_damage(Kind kind);
  bool begins_chain(std::uint64_t offset);
  std::uint32_t slot_of(std::string_view key);

  RunStore& store_;
  std::uint64_t size_;
  std::uint64_t at_ = 0;
  Buffer window_;
  std::uint64_t window_at_ = 0;
  std::string scratch_;

  Chunk chunk_{};  ///< under way; without messages while start > end
  bool is_open_ = false;
  std::vector<std::uint32_t> counts_;  ///< of this chunk, by slot
  std::string last_key_;
  std::uint32_t last_slot_ = UINT32_MAX;
};

/// The bytes from `at_` on: `bytes` of them at least, or as many as the file has.
ByteView RunScan::window(std::size_t bytes) {
  std::uint64_t left = size_ - at_;
  auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(bytes, left));
  bool inside = at_ >= window_at_ && at_ + wanted <= window_at_ + window_.size();
  if (!inside) {
    auto size = std::min<std::uint64_t>(left, std::max(wanted, kRunChunkBytes));
    window_.resize(static_cast<std::size_t>(size));
    window_.resize(store_.file_->read(at_, window_.span()));
    window_at_ = at_;
  }
  return window_.view().subspan(static_cast<std::size_t>(at_ - window_at_));
}

/// The record at `at_`, with as many bytes as it needs. Cut: the file ends in it.
RunRecord RunScan::next() {
  std::size_t wanted = 1;
  for (;;) {
    ByteView bytes = window(wanted);
    RunRecord record = store_.parser_->parse(bytes, scratch_);
    if (record.kind != Kind::cut) return record;
    if (bytes.size() == size_ - at_ || record.bytes > size_ - at_) return record;
    wanted = std::max(record.bytes, bytes.size() + 1);
  }
}

void RunScan::run(std::uint64_t begin) {
  at_ = begin;
  while (at_ < size_) {
    RunRecord record = next();
    if (record.kind == Kind::message || record.kind == Kind::other) {
      take(record);
    } else {
      close_chunk();
      skip_damage(record.kind);
    }
  }
  close_chunk();
}

std::uint32_t RunScan::slot_of(std::string_view key) {
  if (key == last_key_ && last_slot_ != UINT32_MAX) return last_slot_;
  auto [it, is_new] =
      store_.slots_.try_emplace(std::string(key), static_cast<std::uint32_t>(store_.slots_.size()));
  if (is_new) store_.parser_->learn(key);
  last_key_ = key;
  last_slot_ = it->second;
  return last_slot_;
}

void RunScan::take(const RunRecord& record) {
  if (!is_open_) {
    chunk_ = {at_, Time::max(), Time::min(), 0, 0};
    is_open_ = true;
  }
  if (record.kind == Kind::message) {
    std::uint32_t slot = slot_of(record.key);
    if (slot >= counts_.size()) counts_.resize(slot + 1, 0);
    ++counts_[slot];
    chunk_.start = std::min(chunk_.start, record.time);
    chunk_.end = std::max(chunk_.end, record.time);
  } else {
    store_.parser_->note(window(record.bytes).first(record.bytes));
  }
  at_ += record.bytes;
  if (at_ - chunk_.offset >= kRunChunkBytes) close_chunk();
}

void RunScan::close_chunk() {
  if (!std::exchange(is_open_, false)) return;
  ChunkTable& table = store_.table_;
  chunk_.first_count = static_cast<std::uint32_t>(table.counts.size());
  for (std::uint32_t slot = 0; slot < counts_.size(); ++slot) {
    if (counts_[slot] > 0) table.counts.push_back({slot, counts_[slot]});
  }
  chunk_.channels = static_cast<std::uint32_t>(table.counts.size()) - chunk_.first_count;
  counts_.clear();
  if (chunk_.channels == 0) return;  // definitions and indexes only
  table.chunks.push_back(chunk_);
  store_.ends_.push_back(at_);
}

/// Moves `at_` to the next place where records begin, and tells what lies between.
void RunScan::skip_damage(Kind kind) {
  std::uint64_t damage = at_;
  bool is_found = false;
  while (!is_found && at_ < size_) {
    ByteView bytes = window(std::min<std::size_t>(kRunChunkBytes, size_ - at_));
    std::size_t found = store_.parser_->find_record(bytes);
    at_ += std::max<std::size_t>(found, 1);
    is_found = found < bytes.size() && begins_chain(at_);
  }
  bool is_tail = at_ >= size_;
  auto code = is_tail && kind == Kind::cut ? ErrorCode::truncated : ErrorCode::corrupt;
  std::string what =
      is_tail && kind == Kind::cut
          ? fmt::format("the file ends inside a record; {} bytes are left out", at_ - damage)
          : fmt::format("no whole record begins here; {} bytes are left out{}", at_ - damage,
                        is_tail ? ", to the end of the file" : "");
  report(store_.options_.on_problem, Error(code, what, store_.path_, damage));
}

/// Whether as many whole records as the parser asks for, or all to the end, begin at `offset`.
bool RunScan::begins_chain(std::uint64_t offset) {
  bool is_chain = true;
  at_ = offset;
  for (std::size_t i = 0; is_chain && i < store_.parser_->chain() && at_ < size_; ++i) {
    RunRecord record = next();
    is_chain = record.kind == Kind::message || record.kind == Kind::other;
    at_ += record.bytes;
  }
  at_ = offset;
  return is_chain;
}

RunStore::RunStore(std::shared_ptr<const ReadFile> file, std::string path, std::uint64_t begin,
                   std::unique_ptr<RunParser> parser, ReadOptions options)
    : file_(std::move(file)),
      path_(std::move(path)),
      parser_(std::move(parser)),
      options_(std::move(options)),
      buffers_(kRunIdleBytes) {
  RunScan(*this).run(begin);
  name_channels();
}

void RunStore::name_channels() {
  auto channels = std::make_shared<Channels>(slots_.size());
  for (const auto& [key, slot] : slots_) {
    auto channel = std::make_shared<Channel>(parser_->describe(key));
    channel->slot = slot;
    (*channels)[slot] = std::move(channel);
  }
  channels_ = std::move(channels);
}

void RunStore::report_damage(std::size_t chunk, const std::string& message) const {
  report(options_.on_problem,
         Error(ErrorCode::corrupt, message, path_, table_.chunks[chunk].offset));
}

void RunStore::load(std::size_t chunk, const Wanted& wanted, LoadedChunk& into) const {
  std::uint64_t offset = table_.chunks[chunk].offset;
  std::shared_ptr<Buffer> buffer = buffers_.take();
  buffer->resize(static_cast<std::size_t>(ends_[chunk] - offset));
  buffer->resize(file_->read(offset, buffer->span()));
  ByteView bytes = buffer->view();
  into.owner = buffer;
  into.bytes_pinned = buffer->capacity();
  into.base = bytes.data();

  std::string scratch;
  std::string last_key;
  std::uint32_t slot = UINT32_MAX;
  Time last = Time::min();
  for (std::size_t at = 0; at < bytes.size();) {
    RunRecord record = parser_->parse(bytes.subspan(at), scratch);
    bool is_whole =
        record.kind == RunRecord::Kind::message || record.kind == RunRecord::Kind::other;
    if (!is_whole) return report_damage(chunk, "the file has changed since it was opened");
    at += record.bytes;
    if (record.kind == RunRecord::Kind::other) continue;
    if (slot == UINT32_MAX || record.key != last_key) {
      auto known = slots_.find(record.key);
      if (known == slots_.end()) {
        return report_damage(chunk, "the file has changed since it was opened");
      }
      slot = known->second;
      last_key = record.key;
    }
    if (!wanted.has(slot) || !wanted.has(record.time)) continue;
    into.in_time_order &= record.time >= last;
    last = record.time;
    into.messages.push_back(
        {(*channels_)[slot].get(), 0, 0, record.time, record.time, record.data});
  }
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
