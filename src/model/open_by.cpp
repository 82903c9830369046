#include "model/open_by.h"
#include "kitbag/session.h"

#include <fmt/format.h>

#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "model/has_bookmarks.h"
#include "model/listed_times.h"
#include "model/stoppable_file.h"

// An index that says less than the bag holds is damage that no reader would notice: everything that
// was read is intact. So what was delivered is counted, for a batch and not for a message, and
// compared at the end with what the bag promised. The comparison makes sense only for reads of all
// times, to their end.
//
// Damage that was reported explains a difference. Reports are counted in two places, as two things
// are read: what opening met belongs to the bag and counts for all of its readers, what a read met
// belongs to that reader alone. If one of the reports does not know how much was lost, anything is
// explained. A bookmark takes the count with it, so that a read that is interrupted and goes on
// compares as one.

namespace kitbag {
namespace {

/// What the reports of damage account for.
struct Explained {
  std::uint64_t losses = 0;    ///< reports
  std::uint64_t messages = 0;  ///< lost, according to the reports that know
  std::uint64_t unknown = 0;   ///< reports that do not know how many are lost
};

/// Passes reports on, and remembers what they account for. Many threads.
class Ledger {
 public:
  explicit Ledger(OnProblem on_problem) : on_problem_(std::move(on_problem)) {}

  const OnProblem& on_problem() const { return on_problem_; }
  /// A listener that notes reports in `ledger`; empty if reading is strict.
  static OnProblem noting(const std::shared_ptr<Ledger>& ledger) {
    if (!ledger->on_problem_) return {};
    return [ledger](const Error& problem) { ledger->note(problem); };
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

/// What a read of a whole bag should deliver, and has delivered so far.
struct Comparison {
  std::uint64_t promised = 0;
  bool is_index = false;
  std::shared_ptr<const Ledger> own;     ///< the damage that this source met
  std::shared_ptr<const Ledger> of_bag;  ///< what was met in opening the bag, and files of it
  std::string path;
  std::uint64_t delivered = 0;
};

/// Counts what a read of a whole bag delivers.
class ComparingSource final : public Source, public HasBookmarks {
 public:
  ComparingSource(std::unique_ptr<Source> source, Comparison comparison)
      : source_(std::move(source)), comparison_(std::move(comparison)) {}

  ChannelsPtr channels() const override { return source_->channels(); }

  bool read(Batch& batch, const Wait& wait) override {
    if (source_->read(batch, wait)) {
      comparison_.delivered += batch.messages().size();
      return true;
    }
    if (!std::exchange(is_compared_, true)) compare();
    return false;
  }

  BookmarkPtr bookmark() const override {
    BookmarkPtr inside = bookmark_of(*source_);
    return inside ? std::make_shared<const Mark>(std::move(inside), comparison_) : nullptr;
  }

 private:
  /// A place in a read that is compared at its end.
  class Mark final : public Bookmark {
   public:
    Mark(BookmarkPtr inside, Comparison comparison)
        : inside_(std::move(inside)), comparison_(std::move(comparison)) {}

    std::unique_ptr<Source> read(const Wait& wait) const override {
      return std::make_unique<ComparingSource>(inside_->read(wait), comparison_);
    }

   private:
    BookmarkPtr inside_;
    Comparison comparison_;
  };

  void compare() const {
    const auto& [promised, is_index, own, of_bag, path, delivered] = comparison_;
    if (delivered == promised) return;
    Explained here = own->explained();
    Explained there = of_bag->explained();
    bool is_less = delivered < promised;
    std::uint64_t losses = here.losses + there.losses;
    std::uint64_t unknown = here.unknown + there.unknown;
    std::uint64_t lost = here.messages + there.messages;
    if (unknown > 0 || (is_less ? lost >= promised - delivered : losses > 0)) return;
    std::optional<Loss> loss;
    if (is_index) {
      loss = Loss{};
      loss->messages = is_less ? promised - delivered - lost : 0;
    }
    own->tell(Error(
        ErrorCode::corrupt,
        is_index
            ? fmt::format("the index promises {} messages, but {} were read", promised, delivered)
            : fmt::format(
                  "the bag's message count is {}, but it holds {} messages; all of them were read",
                  promised, delivered),
        path, Error::kNoOffset, loss));
  }

  std::unique_ptr<Source> source_;
  Comparison comparison_;
  bool is_compared_ = false;
};

class ComparingBag final : public Bag, public WrapsBag {
 public:
  ComparingBag(BagPtr bag, std::shared_ptr<const Ledger> ledger, std::string path)
      : bag_(std::move(bag)), ledger_(std::move(ledger)), path_(std::move(path)) {}

  const Bag& inside() const override { return *bag_; }
  const Summary& summary() const override { return bag_->summary(); }
  const Summary& outline() const override { return bag_->outline(); }
  std::unique_ptr<Source> read_messages(const Query& query, const Wait& wait) const override {
    auto own = std::make_shared<Ledger>(listener(query.on_problem));
    Query noted = query;
    noted.on_problem = Ledger::noting(own);
    auto source = bag_->read(noted, wait);
    bool is_whole = query.covers_all_times() && query.nth == 0 && query.count == UINT64_MAX;
    if (!is_whole) return source;
    Promise promise = bag_->promise();
    auto promised = selected(promise, query.select, *source->channels());
    if (!promised) return source;
    return std::make_unique<ComparingSource>(
        std::move(source), Comparison{*promised, promise.is_index, std::move(own), ledger_, path_});
  }
  Batch find_last(const LastQuery& query, const Wait& wait) const override {
    LastQuery noted = query;
    noted.on_problem = listener(query.on_problem);
    return bag_->find_last(noted, wait);
  }
  std::vector<Extra> extras() const override { return bag_->extras(); }
  std::vector<ChunkSummary> chunks() const override { return bag_->chunks(); }
  std::vector<ChunkSummary> some_chunks(std::size_t most) const override {
    return bag_->some_chunks(most);
  }
  Promise promise() const override { return bag_->promise(); }
  Growth growth() const override { return bag_->growth(); }

 private:
  /// The promised number of messages on the selected channels; nothing if it is not known.
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

  const OnProblem& listener(const OnProblem& of_reader) const {
    return of_reader ? of_reader : ledger_->on_problem();
  }

  BagPtr bag_;
  std::shared_ptr<const Ledger> ledger_;
  std::string path_;
};

}  // namespace

BagPtr open_by(const Format& format, const Input& input, const ReadOptions& options,
               const Session& session) {
  throw_if_stopped({options.stop, kNever});
  Input stoppable = input;
  std::shared_ptr<StoppableFile> file;
  if (input.file && options.stop.stop_possible()) {
    file = std::make_shared<StoppableFile>(input.file, options.stop);
    stoppable.file = file;
  }
  auto ledger = std::make_shared<Ledger>(options.on_problem);
  ReadOptions noted = options;
  noted.on_problem = Ledger::noting(ledger);
  BagPtr bag = format.open(stoppable, noted, session);
  if (file) file->ignore_stop();
  if (!bag) return bag;
  return std::make_shared<ComparingBag>(std::move(bag), std::move(ledger), input.path);
}

}  // namespace kitbag
