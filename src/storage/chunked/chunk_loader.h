#pragma once

#include <deque>
#include <memory>
#include <span>
#include <stop_token>
#include <vector>

#include "base/thread_pool.h"
#include "storage/chunked/chunk_store.h"

namespace kitbag {

/// Loads the chunks of a plan for one reader, in the order of the plan. If they are compressed, the
/// next ones are loaded meanwhile on the threads that all readers of the process share: none during
/// the first chunks, which may be all that the reader wants, then more the longer it reads, up to
/// two per thread and no more than kAheadBytes, nor than the session's cache has room for. A chunk
/// that no thread has begun when it is needed is loaded by the reader, so nobody waits for a busy
/// thread. Uncompressed chunks are not worth the transfer between cores: the system is only told
/// which of them come next, so that the disk works meanwhile. One thread calls.
class ChunkLoader {
 public:
  static constexpr std::size_t kAheadBytes = 32 << 20;
  static constexpr std::uint64_t kPrefetchBytes = 8 << 20;
  /// A reader of up to this many chunks may be looking for something, and the next reader for the
  /// same: these chunks are kept. A reader that goes on reads the whole bag.
  static constexpr std::size_t kKeptChunks = 4;

  /// The store's ReadOptions give the number of threads; with one, the reader does everything
  /// itself. Damage goes to `on_problem`, or if that is empty, to that of the options.
  ChunkLoader(std::shared_ptr<const ChunkStore> store, Wanted wanted,
              std::vector<std::uint32_t> chunks, OnProblem on_problem = {});
  ~ChunkLoader();

  bool is_at_end() const { return next_ == chunks_.size(); }
  /// The chunk that load_next() gives.
  std::uint32_t next_chunk() const { return chunks_[next_]; }
  /// How many load_next() will still give.
  std::size_t left() const { return chunks_.size() - next_; }
  /// Reports the damage found in it. Memory of `into`, which is cleared, is reused. False: `stop`
  /// was requested, and the same chunk comes next.
  bool load_next(LoadedChunk& into, const std::stop_token& stop = {});
  /// Loads any chunk, at once.
  void load(std::uint32_t chunk, LoadedChunk& into) const;

  const Wanted& wanted() const { return *wanted_; }
  const OnProblem& on_problem() const { return on_problem_; }
  void report(const Error& problem) const {
    kitbag::report(store_->listener(on_problem_), problem);
  }

 private:
  struct Job;

  bool load_here(std::size_t at, LoadedChunk& into, const std::stop_token& stop);
  void go_back(std::shared_ptr<Job> job);
  void go_ahead(const LoadedChunk& last);
  void prefetch();
  /// Size in the file, according to the table.
  std::uint64_t bytes_of(std::uint32_t chunk) const;
  std::uint64_t unpacked_bytes(std::uint32_t chunk) const;
  Caching caching(std::size_t at) const {
    return at < kKeptChunks ? Caching::keep : Caching::bypass;
  }

  std::shared_ptr<const ChunkStore> store_;
  std::shared_ptr<const Wanted> wanted_;
  std::vector<std::uint32_t> chunks_;
  OnProblem on_problem_;
  std::shared_ptr<ChunkCache> cache_;
  std::size_t next_ = 0;   ///< those of ahead_ begin here
  unsigned threads_ = 0;   ///< 0: not asked for yet
  std::size_t depth_ = 0;  ///< chunks to load ahead; grows
  std::deque<std::shared_ptr<Job>> ahead_;
  std::uint64_t ahead_bytes_ = 0;       ///< declared unpacked size of those in ahead_
  std::size_t prefetched_ = 0;          ///< chunks before this one were announced to the system
  std::uint64_t prefetched_bytes_ = 0;  ///< of those that are not loaded yet
  std::vector<LoadedChunk> spare_;      ///< their memory is used again
  std::shared_ptr<ThreadPool> pool_;
};

}  // namespace kitbag
