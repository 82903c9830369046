#include "kitbag/merge.h"

#include <algorithm>
#include <compare>
#include <functional>
#include <iterator>

#include "stream/channel_table.h"

// Each input holds one batch back. The input with the best next message runs on until it would
// pass the second best: where inputs do not overlap in time, batches go through whole and no
// message is copied; where they alternate, a message costs one step in a heap of inputs.
//
// A batch given keeps what the held batches keep, once each; it ends where an input runs dry, so
// that nothing at hand ever waits for a source that blocks.
//
// Times within an input may run back. An input is then where its next message is, and the result is
// sorted as far as the inputs are.

namespace kitbag {
namespace {

/// One source of a merge, its channels and messages already those of the merged table.
class MergeInput {
 public:
  MergeInput(std::unique_ptr<Source> source, ChannelTable& table)
      : source_(std::move(source)), table_(&table) {
    take_channels(source_->channels());
  }

  /// Like Source::read; not to be called again after the end.
  bool read(Batch& batch, const Wait& wait) {
    batch.channels.reset();
    if (!source_->read(batch, wait)) {
      source_.reset();  // its buffers are not needed while the others go on
      return false;
    }
    if (batch.channels && batch.channels != given_) take_channels(batch.channels);
    if (is_moved_) {
      for (Message& message : batch.messages()) message.channel = mapped_[message.channel->slot];
    }
    return true;
  }

 private:
  void take_channels(ChannelsPtr given) {
    std::size_t known = mapped_.size();
    table_->add(*given, mapped_);
    for (std::size_t slot = known; slot < mapped_.size(); ++slot) {
      is_moved_ |= mapped_[slot] != (*given)[slot].get();
    }
    given_ = std::move(given);
  }

  std::unique_ptr<Source> source_;
  ChannelTable* table_;
  ChannelsPtr given_;
  std::vector<const Channel*> mapped_;  ///< by the source's slot
  bool is_moved_ = false;
};

/// What both ways of merging share: the inputs, the table, and that an error is the end.
class Merge : public Source {
 public:
  explicit Merge(std::vector<std::unique_ptr<Source>> sources) {
    inputs_.reserve(sources.size());
    for (auto& source : sources) inputs_.emplace_back(std::move(source), table_);
  }

  ChannelsPtr channels() const override { return table_.channels(); }

  bool read(Batch& batch, const Wait& wait) final {
    if (has_ended_) return false;
    has_ended_ = true;  // and stays so if this throws
    bool more = fill(batch, wait);
    if (more) batch.channels = table_.channels();
    has_ended_ = !more;
    return more;
  }

 protected:
  virtual bool fill(Batch& batch, const Wait& wait) = 0;

  ChannelTable table_;
  std::vector<MergeInput> inputs_;

 private:
  bool has_ended_ = false;
};

class Concatenation final : public Merge {
 public:
  using Merge::Merge;

 private:
  bool fill(Batch& batch, const Wait& wait) override {
    for (; current_ < inputs_.size(); ++current_) {
      if (inputs_[current_].read(batch, wait)) return true;
    }
    return false;
  }

  std::size_t current_ = 0;
};

class TimeMerge final : public Merge {
 public:
  TimeMerge(std::vector<std::unique_ptr<Source>> sources, Order order, TimeField by)
      : Merge(std::move(sources)), by_(by), flip_(order == Order::reverse_time ? -1 : 0) {
    if (flip_) std::reverse(inputs_.begin(), inputs_.end());  // ties are reversed too
    held_.resize(inputs_.size());
    for (std::size_t i = inputs_.size(); i > 0; --i) dry_.push_back(i - 1);
  }

 private:
  struct Held {
    Batch batch;
    std::size_t next = 0;        ///< its first message that was not given yet
    std::uint64_t kept_for = 0;  ///< the batch given that keeps its owners
  };
  struct Head {
    std::int64_t key;
    std::size_t input;

    auto operator<=>(const Head&) const = default;
  };

  /// Smaller comes first; with all bits flipped, larger does.
  std::int64_t key(const Message& message) const {
    return to_ns(by_ == TimeField::publish_time ? message.publish_time : message.log_time) ^ flip_;
  }

  bool fill(Batch& batch, const Wait& wait) override {
    while (!dry_.empty()) {
      std::size_t input = dry_.back();
      Held& held = held_[input];
      held.batch.clear();
      bool more = inputs_[input].read(held.batch, wait);
      std::move(held.batch.extras.begin(), held.batch.extras.end(),
                std::back_inserter(batch.extras));
      held.batch.extras.clear();
      if (more && held.batch.empty()) return true;  // its time was up; nothing can be said yet
      dry_.pop_back();
      if (!more) continue;
      held.next = 0;
      held.kept_for = 0;
      heads_.push_back({key(held.batch.messages().front()), input});
      std::push_heap(heads_.begin(), heads_.end(), std::greater<>{});
    }
    if (heads_.empty()) return !batch.extras.empty();
    ++given_;
    while (!batch.full() && dry_.empty()) run_best(batch);
    return true;
  }

  /// Gives messages of the best input until the second best is to come.
  void run_best(Batch& batch) {
    std::size_t input = heads_.front().input;
    Head limit = second_best();
    Held& held = held_[input];
    auto messages = held.batch.messages();
    auto is_before_limit = [&](const Message& message) {
      return Head{key(message), input} < limit;
    };
    // The whole batch comes before the others' next messages, and is given as it is.
    if (batch.empty() && held.next == 0 && is_before_limit(messages.back())) {
      std::swap(batch, held.batch);
      std::swap(batch.extras, held.batch.extras);  // which were there before
      pop_best();
      return;
    }
    if (held.kept_for != given_) {
      batch.keep(held.batch);
      held.kept_for = given_;
    }
    do {
      batch.add(messages[held.next++]);
    } while (held.next < messages.size() && !batch.full() && is_before_limit(messages[held.next]));
    if (held.next == messages.size()) return pop_best();
    heads_.front().key = key(messages[held.next]);
    sift_down();
  }

  Head second_best() const {
    if (heads_.size() < 2) return {INT64_MAX, SIZE_MAX};
    return heads_.size() > 2 ? std::min(heads_[1], heads_[2]) : heads_[1];
  }

  void pop_best() {
    dry_.push_back(heads_.front().input);
    heads_.front() = heads_.back();
    heads_.pop_back();
    if (!heads_.empty()) sift_down();
  }

  void sift_down() {
    std::size_t at = 0;
    while (true) {
      std::size_t best = 2 * at + 1;
      if (best >= heads_.size()) return;
      if (best + 1 < heads_.size() && heads_[best + 1] < heads_[best]) ++best;
      if (!(heads_[best] < heads_[at])) return;
      std::swap(heads_[at], heads_[best]);
      at = best;
    }
  }

  TimeField by_;
  std::int64_t flip_;
  std::vector<Held> held_;        ///< by input
  std::vector<Head> heads_;       ///< a heap, the best first: the inputs with messages at hand
  std::vector<std::size_t> dry_;  ///< the inputs that must be read before anything is given
  std::uint64_t given_ = 0;       ///< counts the batches given
};

}  // namespace

std::unique_ptr<Source> merge(std::vector<std::unique_ptr<Source>> sources, Order order,
                              TimeField by) {
  if (sources.size() == 1) return std::move(sources.front());
  if (order == Order::file) return std::make_unique<Concatenation>(std::move(sources));
  return std::make_unique<TimeMerge>(std::move(sources), order, by);
}

}  // namespace kitbag
