#include "storage/chunked/chunk_loader.h"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <utility>

// Who loads a chunk is decided by Job::take(), once: a thread of the pool, or the reader when it
// needs the chunk and no thread has begun it.
//
//     in ahead_, not taken ----> taken by a thread ---> loaded, or an error is kept
//              |                        the reader waits for it, as long as it is not stopped
//              +-----------> taken by the reader, who loads it at once
//
// A job holds everything that it uses. So a reader that is destroyed need not wait for its jobs:
// those that have begun end by themselves, and the others are taken here, so that no thread begins
// them.
//
// Errors are thrown when the reader comes to the chunk, in its thread, and damage is reported then,
// so both appear in the order of the query. A reader that is stopped while it waits finds the same
// chunk again at the next call.
//
// The unpacked size that a chunk declares is reserved in the session's budget before it is loaded.
// One that declares too much is not loaded ahead, but by the reader, under its own limit.

namespace kitbag {

/// A chunk that is loaded by a thread of the pool or by the reader, whichever comes first. It may
/// outlive the reader.
struct ChunkLoader::Job {
  Job(std::shared_ptr<const ChunkStore> from, std::shared_ptr<const Wanted> what,
      std::uint32_t number, Caching how, std::shared_ptr<const void> reserved)
      : store(std::move(from)),
        wanted(std::move(what)),
        chunk(number),
        caching(how),
        room(std::move(reserved)) {}

  std::shared_ptr<const ChunkStore> store;
  std::shared_ptr<const Wanted> wanted;
  std::uint32_t chunk;
  Caching caching;
  std::shared_ptr<const void> room;  ///< in the session's budget
  std::uint64_t bytes = 0;           ///< declared unpacked size
  LoadedChunk loaded;
  std::exception_ptr error = nullptr;

  /// False: another thread has taken it.
  bool take() {
    std::lock_guard lock(mutex_);
    return !std::exchange(is_taken_, true);
  }
  void run() {
    if (!take()) return;
    try {
      store->load(chunk, *wanted, loaded, caching);
    } catch (...) {
      error = std::current_exception();
    }
    std::lock_guard lock(mutex_);
    is_ready_ = true;
    ready_.notify_one();
  }
  /// After take(), if it was not loaded.
  void give_back() {
    std::lock_guard lock(mutex_);
    is_taken_ = false;
  }
  /// Of one that another has taken. False: it was stopped before.
  bool wait(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    return ready_.wait(lock, stop, [this] { return is_ready_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable_any ready_;
  bool is_taken_ = false;
  bool is_ready_ = false;
};

ChunkLoader::ChunkLoader(std::shared_ptr<const ChunkStore> store, Wanted wanted,
                         std::vector<std::uint32_t> chunks, OnProblem on_problem)
    : store_(std::move(store)),
      wanted_(std::make_shared<const Wanted>(std::move(wanted))),
      chunks_(std::move(chunks)),
      on_problem_(std::move(on_problem)),
      cache_(store_->cache()) {}

ChunkLoader::~ChunkLoader() {
  for (auto& job : ahead_) job->take();  // what no thread has begun, none will
}

void ChunkLoader::load(std::uint32_t chunk, LoadedChunk& into) const {
  store_->load(chunk, *wanted_, into, Caching::bypass);
  report_problems(into, store_->listener(on_problem_));
}

bool ChunkLoader::load_next(LoadedChunk& into, const std::stop_token& stop) {
  std::shared_ptr<Job> job = ahead_.empty() ? nullptr : ahead_.front();
  bool is_ours = !job || job->take();
  if (!is_ours && !job->wait(stop)) return false;
  std::size_t at = next_++;
  if (job) {
    ahead_.pop_front();
    ahead_bytes_ -= job->bytes;
  }
  if (is_ours) {
    if (!load_here(at, into, stop)) {
      go_back(std::move(job));
      return false;
    }
  } else {
    if (job->error) std::rethrow_exception(job->error);
    std::swap(into, job->loaded);
    spare_.push_back(std::move(job->loaded));
  }
  if (into.is_packed) {
    go_ahead(into);
  } else {
    prefetch();
  }
  report_problems(into, store_->listener(on_problem_));
  return true;
}

/// On the reader's thread. False: it was stopped.
bool ChunkLoader::load_here(std::size_t at, LoadedChunk& into, const std::stop_token& stop) {
  try {
    store_->load(chunks_[at], *wanted_, into, {caching(at), stop});
  } catch (const Error& error) {
    if (error.code() != ErrorCode::cancelled || !stop.stop_requested()) throw;
    return false;
  }
  return true;
}

/// Makes the chunk that was to be loaded the next one again. `job`, if any, is the reader's.
void ChunkLoader::go_back(std::shared_ptr<Job> job) {
  --next_;
  if (!job) return;
  job->give_back();
  ahead_bytes_ += job->bytes;
  ahead_.push_front(std::move(job));
}

std::uint64_t ChunkLoader::bytes_of(std::uint32_t chunk) const {
  constexpr std::uint64_t kOfTheLast = 1 << 20;
  const auto& chunks = store_->table().chunks;
  return chunk + 1 < chunks.size() ? chunks[chunk + 1].offset - chunks[chunk].offset : kOfTheLast;
}

/// According to its head; 0 if that is damaged.
std::uint64_t ChunkLoader::unpacked_bytes(std::uint32_t chunk) const {
  try {
    return store_->summarize(chunk).bytes;
  } catch (const Error& error) {
    if (!is_damage(error.code())) throw;
    return 0;
  }
}

void ChunkLoader::prefetch() {
  if (next_ <= prefetched_) {
    prefetched_bytes_ -= bytes_of(chunks_[next_ - 1]);
  } else {
    prefetched_ = next_;
    prefetched_bytes_ = 0;
  }
  for (; prefetched_ < chunks_.size() && prefetched_bytes_ < kPrefetchBytes; ++prefetched_) {
    std::uint32_t chunk = chunks_[prefetched_];
    std::uint64_t bytes = bytes_of(chunk);
    store_->prefetch(store_->table().chunks[chunk].offset, std::min(bytes, kPrefetchBytes));
    prefetched_bytes_ += bytes;
  }
}

/// `last` was loaded last: it shows whether the next chunks are worth a thread, and how many of
/// them there is room for.
void ChunkLoader::go_ahead(const LoadedChunk& last) {
  // The number of chunks that are opened before the first message is given.
  std::size_t at_once = store_->table().are_times_sure ? 1 : 2;
  if (next_ <= at_once || is_at_end()) return;
  if (threads_ == 0) threads_ = thread_count(store_->options().threads);
  if (threads_ < 2) return;
  std::size_t room = kAheadBytes / std::max<std::size_t>(last.bytes_pinned, 1);
  depth_ = std::min({depth_ + 1, std::size_t{threads_} * 2, room});
  if (!pool_) pool_ = shared_threads();
  for (std::size_t at = next_ + ahead_.size(); ahead_.size() < depth_ && at < chunks_.size();
       ++at) {
    std::uint64_t bytes = unpacked_bytes(chunks_[at]);
    if (bytes > kAheadBytes - std::min<std::uint64_t>(ahead_bytes_, kAheadBytes)) return;
    auto reserved = cache_ ? cache_->reserve(static_cast<std::size_t>(bytes)) : nullptr;
    if (cache_ && !reserved) return;
    auto job =
        std::make_shared<Job>(store_, wanted_, chunks_[at], caching(at), std::move(reserved));
    job->bytes = bytes;
    ahead_bytes_ += bytes;
    if (!spare_.empty()) {
      job->loaded = std::move(spare_.back());
      job->loaded.clear();
      spare_.pop_back();
    }
    ahead_.push_back(job);
    pool_->post([job] { job->run(); });
  }
}

}  // namespace kitbag
