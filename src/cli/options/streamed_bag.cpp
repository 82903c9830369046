#include "cli/options/streamed_bag.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "kitbag/error.h"
#include "kitbag/pipeline.h"
#include "kitbag/usage.h"

// A verb asks a bag for its summary, plans, and reads. A pipe allows none of that order, so this
// bag hides the difference: start() reads as far as the first message and keeps the batches, read()
// gives them again and goes on. Topics are filtered here and not by the format, or a channel that
// is left out would not be known at the end, and a mistyped topic could not be told from one
// without messages.
//
// Reading is shared between the source that read() gave and the bag (`reading_`): a verb that has
// enough messages may still want the attachments behind them.

namespace kitbag::cli {
namespace {

/// Gives batches that were read before, and then those of `rest`.
class Resumed final : public Source {
 public:
  Resumed(std::vector<Batch> first, std::unique_ptr<Source> rest)
      : first_(std::move(first)), rest_(std::move(rest)) {}

  ChannelsPtr channels() const override { return rest_->channels(); }
  bool read(Batch& batch, const Wait& wait) override {
    if (next_ == first_.size()) return rest_->read(batch, wait);
    batch = std::move(first_[next_++]);
    return true;
  }

 private:
  std::vector<Batch> first_;
  std::size_t next_ = 0;
  std::unique_ptr<Source> rest_;
};

/// Keeps extras in `into`.
class WithExtras final : public Bag {
 public:
  WithExtras(const Bag& bag, std::vector<Extra>& into) : bag_(bag), into_(into) {}

  const Summary& summary() const override { return bag_.summary(); }
  std::unique_ptr<Source> read_messages(const Query& query, const Wait& wait) const override {
    return through(bag_.read(query, wait), std::make_unique<Keep>(into_));
  }

 private:
  class Keep final : public Stage {
   public:
    explicit Keep(std::vector<Extra>& into) : into_(into) {}
    void apply(Batch& batch) override {
      for (Extra& extra : batch.extras) into_.push_back(std::move(extra));
      batch.extras.clear();
    }

   private:
    std::vector<Extra>& into_;
  };

  const Bag& bag_;
  std::vector<Extra>& into_;
};

class NoMessages final : public Source {
 public:
  explicit NoMessages(ChannelsPtr channels) : channels_(std::move(channels)) {}

  ChannelsPtr channels() const override { return channels_; }
  bool read(Batch&, const Wait&) override { return false; }

 private:
  ChannelsPtr channels_;
};

}  // namespace

/// Reads the selected messages of a stream, and runs the checks at its end.
struct StreamedBag::Reading {
  Reading(const StreamedBag& of, std::unique_ptr<Source> source, const Query& query)
      : bag(of),
        all(*source),
        selected(through(std::move(source), filter(query))),
        begin(query.begin),
        end(query.end) {}

  /// False: the end.
  bool read(Batch& batch, const Wait& wait) {
    if (has_ended) return false;
    if (!selected->read(batch, wait)) {
      has_ended = true;
      ChannelsPtr channels = all.channels();
      for (const auto& check : bag.checks_) check(*channels);
      return false;
    }
    std::erase_if(batch.extras, [this](const Extra& extra) { return !is_in_time(extra); });
    return true;
  }

  bool is_in_time(const Extra& extra) const {
    const auto* attachment = std::get_if<Attachment>(&extra);
    return !attachment || is_within(attachment->log_time, begin, end);
  }

  const StreamedBag& bag;
  Source& all;  ///< inside `selected`
  std::unique_ptr<Source> selected;
  Time begin;
  Time end;
  bool has_ended = false;
};

class StreamedBag::Selected final : public Source {
 public:
  explicit Selected(std::shared_ptr<Reading> reading) : reading_(std::move(reading)) {}

  ChannelsPtr channels() const override { return reading_->selected->channels(); }

  bool read(Batch& batch, const Wait& wait) override {
    do {
      batch.clear();
      if (!reading_->read(batch, wait)) return false;
    } while (batch.empty() && batch.extras.empty() && !wait.stop.stop_requested());
    return true;
  }

 private:
  std::shared_ptr<Reading> reading_;
};

std::unique_ptr<Source> StreamedBag::read_messages(const Query& query, const Wait& wait) const {
  if (whole_) return std::make_unique<NoMessages>(whole_->channels);
  std::unique_ptr<Source> source;
  if (begun_) {
    source = std::make_unique<Resumed>(std::exchange(first_, {}), std::move(begun_));
  } else {
    Query all;  // topics: a missing one is reported with those that exist
    all.order = query.order;
    all.by = query.by;
    all.begin = query.begin;
    all.end = query.end;
    source = bag_->read(all, wait);
  }
  reading_ = std::make_shared<Reading>(*this, std::move(source), query);
  return slice(std::make_unique<Selected>(reading_), query.nth, query.count);
}

std::optional<Time> StreamedBag::start(Order order, TimeField by) const {
  if (!begun_) {
    Query all;
    all.order = order;
    all.by = by;
    begun_ = bag_->read(all);
  }
  // Batches without messages bring channels and extras, which read() has to give as well.
  while (first_.empty() || first_.back().empty()) {
    Batch batch;
    if (!begun_->read(batch, {})) return std::nullopt;
    first_.push_back(std::move(batch));
  }
  return std::as_const(first_.back()).messages().front().log_time;
}

void StreamedBag::at_end(std::function<void(const Channels&)> check) const {
  checks_.push_back(std::move(check));
}

void StreamedBag::read_whole(const std::stop_token& stop) const {
  whole_ = counted_summary(WithExtras(*bag_, extras_), stop);
}

std::vector<Extra> StreamedBag::read_remaining_extras(const std::stop_token& stop) const {
  std::vector<Extra> extras;
  if (!reading_) return extras;
  for (Batch batch; reading_->read(batch, Wait{stop, kNever}); batch.clear()) {
    if (stop.stop_requested()) throw Error(ErrorCode::cancelled, "interrupted");
    for (Extra& extra : batch.extras) extras.push_back(std::move(extra));
  }
  return extras;
}

}  // namespace kitbag::cli
