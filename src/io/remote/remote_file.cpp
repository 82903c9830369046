#include "kitbag/remote_file.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <mutex>
#include <utility>

#include "io/remote/block_cache.h"
#include "io/remote/disk_cache.h"

// What a request costs is its way there and back, not its bytes, so requests are few and large. A
// reader that goes forward gets twice as much read ahead each time, up to kMostAhead; one that
// seeks gets the blocks that it touches. The next request begins when half of what was read ahead
// is used, so that the reader does not wait for it.
//
//     |  used  | read ahead, there or on its way |            |
//              ^ reader                          ^ the next request begins here
//
// A reader that knows what it will need says so in small pieces (prefetch()), such as a chunk each.
// These are kept until the reader comes near, and then requested together. What such a reader needs
// is known, so nothing is read beyond it before it has come far.
//
// Bytes are used as they come: a reader waits for its block, not for the end of the request.

namespace kitbag {
namespace {

constexpr std::uint64_t kBlockBytes = 256 << 10;
constexpr std::uint64_t kFirstAhead = 4;   // blocks
constexpr std::uint64_t kMostAhead = 128;  // blocks
constexpr std::uint64_t kMostAtOnce = 64;  // blocks of one request, and of one step of a read
constexpr std::uint64_t kHintsAhead = 16;  // blocks before what was announced is requested
constexpr std::uint64_t kManyHints = 24;   // blocks that are requested at once
constexpr std::uint64_t kFar = 64;         // blocks after which more is read than was announced
constexpr std::uint64_t kLooseOrder = 16;  // blocks by which threads of one reader get ahead

/// Divides what comes between the blocks of one request. Readers do not wait while it copies.
class Filling {
 public:
  Filling(std::shared_ptr<BlockCache> cache, std::uint64_t file, std::string identity,
          std::uint64_t first, std::vector<BlockPtr> blocks)
      : cache_(std::move(cache)),
        file_(file),
        identity_(std::move(identity)),
        first_(first),
        blocks_(std::move(blocks)) {}

  void take(ByteView bytes) {
    while (!bytes.empty() && next_ < blocks_.size()) {
      Block& block = *blocks_[next_];
      if (!filled_) filled_ = cache_->memory(block.size_bytes);
      std::size_t missing = block.size_bytes - filled_->size();
      ByteView part = bytes.first(std::min(missing, bytes.size()));
      filled_->append(part);
      bytes = bytes.subspan(part.size());
      if (filled_->size() < block.size_bytes) continue;
      cache_->complete(block, std::exchange(filled_, {}));
      cache_->store(identity_, first_ + next_, blocks_[next_]);
      ++next_;
    }
  }

  void end(const std::exception_ptr& error) {
    if (next_ == blocks_.size()) return;
    auto begin = blocks_.begin() + static_cast<std::ptrdiff_t>(next_);
    std::vector<BlockPtr> rest(std::make_move_iterator(begin),
                               std::make_move_iterator(blocks_.end()));
    cache_->fail(file_, first_ + next_, std::move(rest), error);
    next_ = blocks_.size();
  }

 private:
  std::shared_ptr<BlockCache> cache_;
  std::uint64_t file_;
  std::string identity_;
  std::uint64_t first_;
  std::vector<BlockPtr> blocks_;
  std::size_t next_ = 0;
  std::shared_ptr<Buffer> filled_;  ///< of the next block
};

class RemoteFile final : public ReadFile {
 public:
  RemoteFile(std::shared_ptr<const RangeReader> reader, std::shared_ptr<BlockCache> cache,
             ByteView head)
      : reader_(std::move(reader)),
        cache_(std::move(cache)),
        file_(cache_->next_file()),
        identity_(reader_->identity()),
        size_(reader_->size()),
        blocks_((size_ + kBlockBytes - 1) / kBlockBytes),
        head_(head.begin(), head.end()) {}
  ~RemoteFile() override { cache_->forget(file_); }

  std::uint64_t size() const override { return size_; }
  std::string identity() const override { return identity_; }

  std::size_t read(std::uint64_t offset, std::span<std::byte> into) const override {
    if (offset >= size_) return 0;
    into =
        into.first(static_cast<std::size_t>(std::min<std::uint64_t>(into.size(), size_ - offset)));
    if (offset + into.size() <= head_.size()) {
      std::copy_n(head_.begin() + static_cast<std::ptrdiff_t>(offset), into.size(), into.begin());
      return into.size();
    }
    std::size_t done = 0;
    while (done < into.size()) {
      std::uint64_t at = offset + done;
      std::uint64_t first = at / kBlockBytes;
      std::uint64_t last =
          std::min((offset + into.size() - 1) / kBlockBytes, first + most_at_once() - 1);
      if (Hints due = hints_near(first, last); due.begin < due.end) {
        request(due.begin <= last + 1 ? first : due.begin, due.end);
      }
      std::vector<BlockPtr> blocks = request(first, last + 1 + ahead_of(first, last));
      for (std::uint64_t number = first; number <= last; ++number) {
        const Block& block = *blocks[number - first];
        cache_->wait(block);
        done += copy(block, offset + done - number * kBlockBytes, into.subspan(done));
      }
    }
    return done;
  }

  void prefetch(std::uint64_t offset, std::uint64_t size) const override {
    if (offset >= size_ || size == 0) return;
    std::uint64_t end = offset + std::min(size, size_ - offset);
    std::uint64_t first = offset / kBlockBytes;
    end = std::min((end - 1) / kBlockBytes + 1, first + most_ahead());
    if (first >= end) return;
    for (const Hints& due : add_hint({first, end})) request(due.begin, due.end);
  }

 private:
  /// Blocks that were announced, and are not requested yet.
  struct Hints {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
  };

  /// Returns what is to be requested now.
  std::array<Hints, 2> add_hint(const Hints& added) const {
    std::lock_guard lock(mutex_);
    std::array<Hints, 2> due;
    bool goes_on = added.begin >= announced_.begin && added.begin <= announced_.end;
    announced_ = goes_on ? Hints{announced_.begin, std::max(announced_.end, added.end)} : added;
    if (added.begin >= hints_.begin && added.begin <= hints_.end) {
      hints_.end = std::max(hints_.end, added.end);
    } else {
      due[0] = std::exchange(hints_, added);
    }
    bool are_many = hints_.end - hints_.begin >= std::min(kManyHints, most_ahead());
    if (are_many) due[1] = std::exchange(hints_, {});
    return due;
  }

  /// Takes them if the reader is near.
  Hints hints_near(std::uint64_t first, std::uint64_t last) const {
    std::lock_guard lock(mutex_);
    bool is_near = hints_.begin <= last + kHintsAhead && first <= hints_.end + kHintsAhead;
    return is_near ? std::exchange(hints_, {}) : Hints();
  }

  std::uint64_t most_ahead() const {
    return std::min<std::uint64_t>(kMostAhead, cache_->capacity_bytes() / kBlockBytes / 2);
  }

  /// A step of a read holds all of its blocks.
  std::uint64_t most_at_once() const {
    return std::clamp<std::uint64_t>(cache_->capacity_bytes() / kBlockBytes / 2, 1, kMostAtOnce);
  }

  std::size_t block_bytes(std::uint64_t number) const {
    return static_cast<std::size_t>(std::min(kBlockBytes, size_ - number * kBlockBytes));
  }

  /// How many blocks behind `last` are to be requested with those that are needed.
  std::uint64_t ahead_of(std::uint64_t first, std::uint64_t last) const {
    std::lock_guard lock(mutex_);
    bool goes_on = first + kLooseOrder >= next_ && first <= next_ && next_ > 0;
    run_ = goes_on ? run_ + (last + 1 - std::min(last + 1, std::max(first, next_))) : 0;
    bool is_announced = first >= announced_.begin && last < announced_.end;
    if (!goes_on || (is_announced && run_ < kFar)) {
      ahead_ = 0;
    } else if (last >= next_) {
      ahead_ = std::min(std::max(kFirstAhead, 2 * ahead_), most_ahead());
    }
    next_ = goes_on ? std::max(next_, last + 1) : last + 1;
    std::uint64_t known = last + 1;
    std::uint64_t end = last + 1 + ahead_;
    // Whole requests, not one that is full and a small one behind it.
    if (ahead_ >= 2 * kMostAtOnce) end -= end % kMostAtOnce;
    end = std::min(end, blocks_);
    while (known < end && cache_->has(file_, known)) ++known;
    return known - last - 1 > ahead_ / 2 ? 0 : end - std::min(end, last + 1);
  }

  /// Returns the blocks [begin, end), after it has requested those that are neither there nor on
  /// their way.
  std::vector<BlockPtr> request(std::uint64_t begin, std::uint64_t end) const {
    std::vector<BlockPtr> all;
    std::vector<BlockPtr> missing;  // they end before `number`
    auto request_missing = [&](std::uint64_t number) {
      if (missing.empty()) return;
      std::uint64_t first = number - missing.size();
      std::uint64_t size_bytes = 0;
      for (const BlockPtr& block : missing) size_bytes += block->size_bytes;
      auto filling =
          std::make_shared<Filling>(cache_, file_, identity_, first, std::exchange(missing, {}));
      reader_->read(first * kBlockBytes, size_bytes,
                    {[filling](ByteView bytes) { filling->take(bytes); },
                     [filling](const std::exception_ptr& error) { filling->end(error); }});
    };
    end = std::min(end, blocks_);
    for (std::uint64_t number = begin; number < end; ++number) {
      auto [block, is_new] = cache_->find_or_begin(file_, number, block_bytes(number));
      if (is_new && cache_->load(identity_, number, *block)) is_new = false;
      if (!is_new || missing.size() == kMostAtOnce) request_missing(number);
      if (is_new) missing.push_back(block);
      all.push_back(std::move(block));
    }
    request_missing(end);
    return all;
  }

  /// Copies what `into` wants of a complete block from its byte `skipped` on.
  static std::size_t copy(const Block& block, std::uint64_t skipped, std::span<std::byte> into) {
    auto bytes = block.bytes->view().subspan(static_cast<std::size_t>(skipped));
    bytes = bytes.first(std::min(bytes.size(), into.size()));
    std::memcpy(into.data(), bytes.data(), bytes.size());
    return bytes.size();
  }

  std::shared_ptr<const RangeReader> reader_;
  std::shared_ptr<BlockCache> cache_;
  std::uint64_t file_;
  std::string identity_;
  std::uint64_t size_;
  std::uint64_t blocks_;
  std::vector<std::byte> head_;
  mutable std::mutex mutex_;
  mutable std::uint64_t next_ = 0;   ///< the block behind the last one that was read in order
  mutable std::uint64_t ahead_ = 0;  ///< blocks
  mutable std::uint64_t run_ = 0;    ///< blocks that were read in order
  mutable Hints hints_;
  mutable Hints announced_;  ///< the last ones that were, without a gap
};

}  // namespace

std::shared_ptr<BlockCache> make_block_cache(std::size_t capacity_bytes) {
  return std::make_shared<BlockCache>(capacity_bytes);
}

std::shared_ptr<BlockCache> make_block_cache(const RemoteOptions& options) {
  std::unique_ptr<DiskCache> disk;
  bool is_kept = !options.cache_folder.empty() && options.cache_folder_bytes > 0;
  if (is_kept) disk = std::make_unique<DiskCache>(options);
  return std::make_shared<BlockCache>(options.cache_bytes, std::move(disk));
}

std::shared_ptr<const ReadFile> remote_file(std::shared_ptr<const RangeReader> reader,
                                            std::shared_ptr<BlockCache> cache, ByteView head) {
  return std::make_shared<RemoteFile>(std::move(reader), std::move(cache), head);
}

}  // namespace kitbag
