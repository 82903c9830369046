#pragma once

#include <deque>
#include <memory>
#include <span>
#include <stop_token>
#include <vector>

#include "base/thread_pool.h"
#include "storage/chunked/chunk_store.h"

namespace kitbag {

/// Loads the chunks of a plan for one reader, in the plan's order. Where they are compressed, those
/// that come next are loaded meanwhile on the threads that all of the process share: none with the
/// first ones, which may be all that the reader wants, then more the longer it goes on, up to two
/// for each thread and no more than kAheadBytes, nor than the session's cache has room for. A chunk
/// that no thread has begun when it is needed is loaded by the reader, so nobody waits for a thread
/// that is busy elsewhere. Chunks that are not compressed are not worth the way from one core to
/// another: of these the system is told which come next, so that the disk is at work meanwhile. One
/// thread calls.
class ChunkLoader {
 public:
  static constexpr std::size_t kAheadBytes = 32 << 20;
  static constexpr std::uint64_t kPrefetchBytes = 8 << 20;
  /// So many chunks from its first on a reader may be looking for something, and the next reader
  /// with it: they are kept. What comes behind them is a reading of the whole.
  static constexpr std::size_t kKeptChunks = 4;

  /// The store's ReadOptions tell how many threads; with one the reader does all itself. Damage
  /// goes to `on_problem`, or where that is empty to that of the options.
  ChunkLoader(std::shared_ptr<const ChunkStore> store, Wanted wanted,
              std::vector<std::uint32_t> chunks, OnProblem on_problem = {});
  ~ChunkLoader();

  bool is_at_end() const { return next_ == chunks_.size(); }
  /// The one that load_next() gives.
  std::uint32_t next_chunk() const { return chunks_[next_]; }
  /// Reports the damage found in it. Memory of `into`, which is cleared, is reused. False: `stop`
  /// was requested, and the same chunk comes next.
  bool load_next(LoadedChunk& into, const std::stop_token& stop = {});
  /// Any chunk, at once.
  void load(std::uint32_t chunk, LoadedChunk& into) const;

  const Wanted& wanted() const { return *wanted_; }
  void report(const Error& problem) const {
    kitbag::report(store_->listener(on_problem_), problem);
  }

 private:
  struct Job;

  bool load_here(std::size_t at, LoadedChunk& into, const std::stop_token& stop);
  void go_back(std::shared_ptr<Job> job);
  void go_ahead(const LoadedChunk& last);
  void prefetch();
  /// In the file, as far as the table tells.
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
  std::size_t depth_ = 0;  ///< chunks to have ahead; grows
  std::deque<std::shared_ptr<Job>> ahead_;
  std::uint64_t ahead_bytes_ = 0;       ///< what those in ahead_ say they unpack to
  std::size_t prefetched_ = 0;          ///< up to here the system was told
  std::uint64_t prefetched_bytes_ = 0;  ///< of those that are not loaded yet
  std::vector<LoadedChunk> spare_;      ///< their memory is used again
  std::shared_ptr<ThreadPool> pool_;
};

}  // namespace kitbag
