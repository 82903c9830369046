#include "storage/chunked/by_publish_time.h"

#include <algorithm>
#include <utility>

// The chunks are the same, with other times. All of them are loaded once to learn these, past the
// cache: a pass through the whole bag would push out what other readers need. Afterwards the times
// are exact, so no chunk is opened ahead for safety.

namespace kitbag {

namespace {

class PublishTimeStore final : public ChunkStore {
 public:
  PublishTimeStore(std::shared_ptr<const ChunkStore> store, const OnProblem& on_problem,
                   const Wait& wait)
      : store_(std::move(store)), table_(store_->table()) {
    table_.are_times_sure = true;
    Wanted all;
    all.slots.assign(channels()->size(), 1);
    LoadedChunk loaded;
    for (std::size_t i = 0; i < table_.chunks.size(); ++i) {
      throw_if_stopped(wait);
      loaded.clear();
      store_->load(i, all, loaded, {Caching::bypass, wait.stop});
      report_problems(loaded, on_problem);
      place(table_.chunks[i], loaded.messages);
    }
  }

  const ChunkTable& table() const override { return table_; }
  const ChannelsPtr& channels() const override { return store_->channels(); }
  void load(std::size_t chunk, const Wanted& wanted, LoadedChunk& into,
            const Fetch& fetch) const override {
    store_->load(chunk, wanted, into, fetch);
  }
  std::shared_ptr<ChunkCache> cache() const override { return store_->cache(); }
  /// The chunks' own indexes know log times only.
  bool positions(std::size_t, const Wanted&, std::vector<Position>&) const override {
    return false;
  }
  bool has_publish_times() const override { return true; }
  bool has_chunks() const override { return store_->has_chunks(); }
  ChunkSummary summarize(std::size_t chunk) const override { return store_->summarize(chunk); }
  Error damage(std::size_t chunk, const std::string& message) const override {
    return store_->damage(chunk, message);
  }
  const ReadOptions& options() const override { return store_->options(); }

 private:
  static void place(Chunk& chunk, const std::vector<Message>& messages) {
    auto by_time = [](const Message& a, const Message& b) {
      return a.publish_time < b.publish_time;
    };
    auto [first, last] = std::minmax_element(messages.begin(), messages.end(), by_time);
    if (first == messages.end()) return;
    chunk.start = first->publish_time;
    chunk.end = last->publish_time;
  }

  std::shared_ptr<const ChunkStore> store_;
  ChunkTable table_;
};

}  // namespace

std::shared_ptr<const ChunkStore> by_publish_time(std::shared_ptr<const ChunkStore> store,
                                                  const OnProblem& on_problem, const Wait& wait) {
  return std::make_shared<const PublishTimeStore>(std::move(store), on_problem, wait);
}

}  // namespace kitbag
