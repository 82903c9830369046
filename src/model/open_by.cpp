#include "model/open_by.h"
#include "kitbag/session.h"

#include <fmt/format.h>

#include <mutex>
#include <optional>
#include <utility>

namespace kitbag {
namespace {

/// What the reports of damage account for.
struct Explained {
  std::uint64_t losses = 0;    ///< reports
  std::uint64_t messages = 0;  ///< lost, by those that know
  std::uint64_t unknown = 0;   ///< reports that do not know how many are lost
};

/// Passes reports on, and remembers what they account for. Many threads.
class Ledger {
 public:
  explicit Ledger(OnProblem on_problem) : on_problem_(std::move(on_problem)) {}

  /// `options` with reports that come by here; strict reading stays strict.
  static ReadOptions noted(const ReadOptions& options, const std::shared_ptr<Ledger>& ledger) {
    ReadOptions noted = options;
    if (!options.on_problem) return noted;
    noted.on_problem = [ledger](const Error& problem) { ledger->note(problem); };
    return noted;
  }

  Explained explained() const {
    std::lock_guard lock(mutex_);
    return explained_;
  }
  void tell(const Error& problem) const { report(on_problem_, problem); }

 private:
  void note(const Error& problem) {
    if (const auto& loss = problem.loss()) {
      std::lock_guard lock(mutex_);
      ++explained_.losses;
      explained_.messages += loss->messages.value_or(0);
      if (!loss->messages) ++explained_.unknown;
    }
    report(on_problem_, problem);
  }

  OnProblem on_problem_;
  mutable std::mutex mutex_;
  Explained explained_;
};

/// Counts what a read of a whole bag delivers.
class ComparingSource final : public Source {
 public:
  ComparingSource(std::unique_ptr<Source> source, std::uint64_t promised, bool is_index,
                  std::shared_ptr<const Ledger> ledger, const Explained& at_open, std::string path)
      : source_(std::move(source)),
        promised_(promised),
        is_index_(is_index),
        ledger_(std::move(ledger)),
        at_open_(at_open),
        at_start_(ledger_->explained()),
        path_(std::move(path)) {}

  ChannelsPtr channels() const override { return source_->channels(); }

  bool read(Batch& batch, const Wait& wait) override {
    if (source_->read(batch, wait)) {
      delivered_ += batch.messages().size();
      return true;
    }
    if (!std::exchange(is_compared_, true)) compare();
    return false;
  }

 private:
  void compare() const {
    if (delivered_ == promised_) return;
    Explained now = ledger_->explained();
    bool is_less = delivered_ < promised_;
    // What was reported when the bag was opened, and by this source.
    std::uint64_t losses = at_open_.losses + now.losses - at_start_.losses;
    std::uint64_t unknown = at_open_.unknown + now.unknown - at_start_.unknown;
    std::uint64_t lost = at_open_.messages + now.messages - at_start_.messages;
    if (unknown > 0 || (is_less ? lost >= promised_ - delivered_ : losses > 0)) return;
    std::optional<Loss> loss;
    if (is_index_) {
      loss = Loss{};
      loss->messages = is_less ? promised_ - delivered_ - lost : 0;
    }
    ledger_->tell(Error(
        ErrorCode::corrupt,
        is_index_
            ? fmt::format("its index promises {} messages, and {} were read", promised_, delivered_)
            : fmt::format("it says that it has {} messages, and holds {}; all that it holds "
                          "were read",
                          promised_, delivered_),
        path_, Error::kNoOffset, loss));
  }

  std::unique_ptr<Source> source_;
  std::uint64_t promised_;
  bool is_index_;
  std::shared_ptr<const Ledger> ledger_;
  Explained at_open_;
  Explained at_start_;
  std::string path_;
  std::uint64_t delivered_ = 0;
  bool is_compared_ = false;
};

class ComparingBag final : public Bag {
 public:
  ComparingBag(BagPtr bag, std::shared_ptr<const Ledger> ledger, std::string path)
      : bag_(std::move(bag)),
        ledger_(std::move(ledger)),
        at_open_(ledger_->explained()),
        path_(std::move(path)) {}

  const Summary& summary() const override { return bag_->summary(); }
  std::unique_ptr<Source> read(const Query& query) const override {
    auto source = bag_->read(query);
    bool is_whole = query.begin == Time::min() && query.end == Time::max() && query.nth == 0 &&
                    query.count == UINT64_MAX;
    if (!is_whole) return source;
    Promise promise = bag_->promise();
    auto promised = selected(promise, query.select, *source->channels());
    if (!promised) return source;
    return std::make_unique<ComparingSource>(std::move(source), *promised, promise.is_index,
                                             ledger_, at_open_, path_);
  }
  std::vector<Extra> extras() const override { return bag_->extras(); }
  std::vector<ChunkSummary> chunks() const override { return bag_->chunks(); }
  std::vector<ChunkSummary> some_chunks(std::size_t most) const override {
    return bag_->some_chunks(most);
  }
  Promise promise() const override { return bag_->promise(); }
  Growth growth() const override { return bag_->growth(); }

 private:
  /// What is promised of the channels selected; nothing where that is not known.
  static std::optional<std::uint64_t> selected(const Promise& promise, const Selection& select,
                                               const Channels& channels) {
    const auto& counts = promise.message_counts;
    bool is_all = select == Selection{};
    if (counts.empty() || (!is_all && counts.size() != channels.size())) return std::nullopt;
    std::uint64_t messages = 0;
    for (std::size_t slot = 0; slot < counts.size(); ++slot) {
      if (is_all || channels[slot]) messages += counts[slot];
    }
    return messages;
  }

  BagPtr bag_;
  std::shared_ptr<const Ledger> ledger_;
  Explained at_open_;
  std::string path_;
};

}  // namespace

BagPtr open_by(const Format& format, const Input& input, const ReadOptions& options,
               const Session& session) {
  auto ledger = std::make_shared<Ledger>(options.on_problem);
  BagPtr bag = format.open(input, Ledger::noted(options, ledger), session);
  if (!bag) return bag;
  return std::make_shared<ComparingBag>(std::move(bag), std::move(ledger), input.path);
}

}  // namespace kitbag
