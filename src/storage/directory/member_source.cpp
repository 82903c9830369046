#include "storage/directory/member_source.h"

#include <algorithm>
#include <functional>
#include <list>
#include <optional>
#include <unordered_map>
#include <utility>

#include "kitbag/error.h"
#include "kitbag/stream.h"
#include "storage/rosbag2/embedded.h"
#include "stream/repeats.h"

// There are two ways to read a file. A few files that overlap in time are read side by side, each
// by a MemberSource that stays open. Many files are read in turns, by TurnSources:
//
//     open:     the 64 that were read last
//     closed:   all others; each knows its channels and how many messages it has given
//
// When a closed one is read again, the file is opened anew and continues behind these messages: by
// number, if reading has met no damage, and otherwise by reading and dropping them, because an
// index also counts damaged messages that were never given. Opening again meets the same damage
// again; ReportOnce passes on each problem as often as it occurs in one pass.
//
// Batches of a TurnSource are copies, since a batch that points into a file would keep it open.
// Nothing is read ahead for it: it would be lost when the file is closed.
//
// A file may be replaced while it is closed. Its channels would differ, and that is an error.

namespace kitbag::directory {

namespace {

/// What the batches of files that are read in turn hold together.
constexpr std::size_t kHeldBytes = 256 << 20;
/// A batch that keeps more than this of a file's memory alive is given as it is.
constexpr std::size_t kPinnedBytes = 16 << 20;

/// The messages of a file that belong to the directory. `query.nth` counts only these.
class OpenMember {
 public:
  OpenMember(bool is_first, const Bag& bag, Query query, const Wait& wait) {
    if (!is_first && has_repeats(*bag.channels())) {
      std::uint64_t nth = std::exchange(query.nth, 0);
      source_ = slice(without_repeats(bag.read(query, wait)), nth, UINT64_MAX);
    } else {
      source_ = bag.read(query, wait);
    }
  }

  ChannelsPtr channels() const { return source_->channels(); }

  bool read(Batch& batch, const Wait& wait) {
    while (source_->read(batch, wait)) {
      bool is_pause = batch.empty() && batch.extras.empty();
      std::erase_if(batch.extras, rosbag2::is_embedded);  // the directory has its own
      if (is_pause || !batch.empty() || !batch.extras.empty()) return true;
      batch.clear();
    }
    return false;
  }

 private:
  std::unique_ptr<Source> source_;
};

/// False: a stop was requested before the first message was located, which ends the wait and not
/// the source.
bool open_unless_stopped(std::optional<OpenMember>& open, bool is_first, const Bag& bag,
                         const Query& query, const Wait& wait) {
  try {
    open.emplace(is_first, bag, query, wait);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::cancelled) throw;
    return false;
  }
  return true;
}

/// The listener for damage that a reader of the directory finds.
const OnProblem& listener(const Store& store, const Query& query) {
  return query.on_problem ? query.on_problem : store.options().on_problem;
}

void check_times(const Store& store, std::size_t member, const Bag& bag,
                 const OnProblem& on_problem) {
  if (store.has_grown(member)) return;  // it may have grown more
  const Member::Declared& declared = *store.members()[member].declared;
  Member::Declared found = store.found_in(member, bag);
  bool is_outside = found.messages > 0 && (found.start < declared.start ||
                                           found.end > declared.end || declared.messages == 0);
  if (!is_outside) return;
  report(on_problem, Error(ErrorCode::corrupt,
                           "metadata.yaml gives other times for this file, so messages may be out "
                           "of order; repair the bag to rewrite metadata.yaml",
                           store.members()[member].path));
}

class MemberSource final : public Source {
 public:
  MemberSource(std::shared_ptr<const Store> store, std::size_t member, const Query& query)
      : store_(std::move(store)), member_(member), query_(query) {}

  ChannelsPtr channels() const override { return open_ ? open_->channels() : channels_; }

  bool read(Batch& batch, const Wait& wait) override {
    if (!is_begun_ && !begin(wait)) return true;
    return open_ && open_->read(batch, wait);
  }

 private:
  /// False: stopped on the way to the first message; it can be called again.
  bool begin(const Wait& wait) {
    if (!bag_ && (bag_ = store_->open(member_))) {
      check_times(*store_, member_, *bag_, listener(*store_, query_));
    }
    if (bag_ && !open_unless_stopped(open_, is_first(), *bag_, query_, wait)) return false;
    bag_.reset();
    is_begun_ = true;
    return true;
  }

  bool is_first() const { return store_->members()[member_].is_first; }

  std::shared_ptr<const Store> store_;
  std::size_t member_;
  Query query_;
  BagPtr bag_;  ///< until it is begun
  bool is_begun_ = false;
  ChannelsPtr channels_ = std::make_shared<const Channels>();
  std::optional<OpenMember> open_;
};

class TurnSource;

/// Which of the sources are open, the one read last in front.
class Turns {
 public:
  explicit Turns(std::size_t sources)
      : share_bytes_(std::max<std::size_t>(kHeldBytes / sources, 1)) {}

  /// What a batch may hold.
  std::size_t share_bytes() const { return share_bytes_; }
  /// `source` is read now, and open; another one may be closed for it.
  void take(TurnSource& source);
  /// It is closed.
  void leave(TurnSource& source) { open_.remove(&source); }

 private:
  std::size_t share_bytes_;
  std::list<TurnSource*> open_;
};

/// Reports each problem once, however often the file is opened.
class ReportOnce {
 public:
  explicit ReportOnce(OnProblem on_problem) : on_problem_(std::move(on_problem)) {}

  void begin_anew() { met_.clear(); }
  void take(const Error& problem) {
    std::size_t which = std::hash<std::string>{}(problem.what());
    std::uint32_t times = ++met_[which];
    if (times <= reported_[which]) return;
    reported_[which] = times;
    ++count_;
    on_problem_(problem);
  }
  /// The number of problems reported.
  std::uint64_t count() const { return count_; }

 private:
  OnProblem on_problem_;
  std::unordered_map<std::size_t, std::uint32_t> reported_;  ///< how often, by problem
  std::unordered_map<std::size_t, std::uint32_t> met_;  ///< the same, since the file was opened
  std::uint64_t count_ = 0;
};

/// A file that is read in turn with others. Its batches hold copies, so that closing it frees all.
class TurnSource final : public Source {
 public:
  TurnSource(std::shared_ptr<const Store> store, std::size_t member, const Query& query,
             std::shared_ptr<Turns> turns)
      : store_(std::move(store)),
        member_(member),
        query_(query),
        turns_(std::move(turns)),
        reported_(std::make_shared<ReportOnce>(listener(*store_, query_))),
        is_strict_(!listener(*store_, query_)) {
    query_.on_problem = {};  // by the options that each opening is given
    query_.nth = 0;
    query_.count = UINT64_MAX;
  }
  ~TurnSource() override { close(); }

  ChannelsPtr channels() const override { return channels_; }

  bool read(Batch& batch, const Wait& wait) override {
    if (has_ended_) return false;
    turns_->take(*this);
    if (!open_) open(wait);
    if (!open_ && !has_ended_) return true;  // stopped on the way to its place
    std::size_t taken = 0;
    while (!has_ended_ && !wait.stop.stop_requested() && batch.messages().size() < kBatchMessages &&
           batch.payload() < turns_->share_bytes() && batch.pinned() < kPinnedBytes) {
      auto ready = ready_.messages();
      if (next_ == ready.size()) {
        refill(batch, wait);
        taken = 0;
        continue;
      }
      if (taken++ == 0) batch.keep(ready_);
      Message message = ready[next_++];
      message.channel = (*channels_)[message.channel->slot].get();
      batch.add(message);
      ++given_;
    }
    batch.channels = channels_;
    batch.compact();
    return !batch.empty() || !batch.extras.empty() || wait.stop.stop_requested();
  }

  /// Closes the file, but keeps the position in it.
  void close() {
    ready_.clear();
    ready_.channels.reset();
    next_ = 0;
    open_.reset();
    bag_.reset();
    turns_->leave(*this);
  }

 private:
  /// Whether messages can be skipped by number: an index counts damaged messages, but they are not
  /// given.
  bool may_skip() const { return problems_ == reported_->count(); }

  void open(const Wait& wait) {
    bool is_first = !is_begun_;
    is_begun_ = true;
    reported_->begin_anew();
    ReadOptions options = store_->options();
    options.threads = 1;  // chunks read ahead would be discarded with the file
    if (!is_strict_) {
      options.on_problem = [reported = reported_](const Error& problem) {
        reported->take(problem);
      };
    }
    bool skips = may_skip();
    bag_ = store_->open_alone(member_, options);
    if (!bag_) {
      end();
      return;
    }
    if (is_first) check_times(*store_, member_, *bag_, options.on_problem);
    if (skips) problems_ = reported_->count();  // of opening, which cost no message
    Query rest = query_;
    if (skips) rest.nth = given_;
    bool is_first_of_writer = store_->members()[member_].is_first;
    if (!open_unless_stopped(open_, is_first_of_writer, *bag_, rest, wait)) return close();
    take_channels(open_->channels());
    if (!skips && !drop_given(wait)) close();
  }

  /// False: stopped before it came to its place.
  bool drop_given(const Wait& wait) {
    Batch dropped;
    for (std::uint64_t left = given_; left > 0;) {
      refill(dropped, wait);  // the file was opened just now, so nothing is ready
      if (has_ended_) return true;
      if (wait.stop.stop_requested()) return false;
      next_ = static_cast<std::size_t>(std::min<std::uint64_t>(left, ready_.messages().size()));
      left -= next_;
    }
    return true;
  }

  void refill(Batch& batch, const Wait& wait) {
    ready_.clear();
    ready_.channels.reset();
    next_ = 0;
    if (!open_->read(ready_, wait)) {
      end();
      return;
    }
    if (ready_.channels) take_channels(ready_.channels);
    if (!has_given_extras_) {
      std::move(ready_.extras.begin(), ready_.extras.end(), std::back_inserter(batch.extras));
    }
    has_given_extras_ = true;  // they come with the first batch
    ready_.extras.clear();
  }

  /// However often the file is opened, its channels are those that were given first.
  void take_channels(const ChannelsPtr& found) {
    std::size_t known = std::min(channels_->size(), found->size());
    bool is_same = std::equal(channels_->begin(), channels_->begin() + static_cast<long>(known),
                              found->begin(), [](const ChannelPtr& a, const ChannelPtr& b) {
                                return a == b || (a && b && same_content(*a, *b));
                              });
    if (!is_same) {
      throw Error(ErrorCode::io, "the file was replaced while it was being read",
                  store_->members()[member_].path);
    }
    if (found->size() > channels_->size()) channels_ = with_more(*found);
  }

  ChannelsPtr with_more(const Channels& found) const {
    auto longer = std::make_shared<Channels>(*channels_);
    longer->insert(longer->end(), found.begin() + static_cast<long>(longer->size()), found.end());
    return longer;
  }

  void end() {
    has_ended_ = true;
    close();
  }

  std::shared_ptr<const Store> store_;
  std::size_t member_;
  Query query_;
  std::shared_ptr<Turns> turns_;
  std::shared_ptr<ReportOnce> reported_;
  bool is_strict_;
  std::uint64_t problems_ = 0;  ///< reported before the last message was skipped or given
  ChannelsPtr channels_ = std::make_shared<const Channels>();
  std::uint64_t given_ = 0;
  bool is_begun_ = false;
  bool has_given_extras_ = false;
  bool has_ended_ = false;
  BagPtr bag_;
  std::optional<OpenMember> open_;  ///< absent: closed
  Batch ready_;                     ///< read, and given up to next_
  std::size_t next_ = 0;
};

void Turns::take(TurnSource& source) {
  auto place = std::find(open_.begin(), open_.end(), &source);
  if (place != open_.end()) {
    open_.splice(open_.begin(), open_, place);
    return;
  }
  if (open_.size() == kMostOpenMembers) open_.back()->close();
  open_.push_front(&source);
}

}  // namespace

std::unique_ptr<Source> read_member(std::shared_ptr<const Store> store, std::size_t member,
                                    const Query& query) {
  return std::make_unique<MemberSource>(std::move(store), member, query);
}

std::vector<std::unique_ptr<Source>> read_many_members(const std::shared_ptr<const Store>& store,
                                                       std::span<const std::size_t> members,
                                                       const Query& query) {
  auto turns = std::make_shared<Turns>(members.size());
  std::vector<std::unique_ptr<Source>> sources;
  sources.reserve(members.size());
  for (std::size_t member : members) {
    sources.push_back(std::make_unique<TurnSource>(store, member, query, turns));
  }
  return sources;
}

}  // namespace kitbag::directory
