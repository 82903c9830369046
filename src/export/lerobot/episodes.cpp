#include "export/lerobot/episodes.h"

#include <fmt/format.h>

#include "export/left_out.h"
#include "export/topic_fields.h"
#include "kitbag/error.h"
#include "kitbag/escape.h"
#include "kitbag/fields.h"

// Where episodes are, in three ways:
//
//     Bags         each bag is one
//     Ranges       times in the description, in order and without overlaps
//     EventTurns   messages of a topic that meet a condition
//
// take() sees each message before it is used. One that ends an episode is not a part of it, and one
// that begins an episode is its first.

namespace kitbag::lerobot {
namespace {

class Bags final : public EpisodeTurns {
 public:
  Bags(const Config& config, const ExportJob& job) : config_(config), job_(job) {
    if (!job.request.bag_of) {
      throw Error(ErrorCode::invalid,
                  "messages do not say which bag they are of; name the times "
                  "of the episodes");
    }
  }

  Turn take(const Message& message) override {
    std::string bag = job_.request.bag_of(*message.channel);
    if (!bags_.empty() && bag == bag_) return {};
    Turn turn{!bags_.empty(), true, config_.task, fmt::format(" ({})", bag)};
    // Bags that are merged by time would take turns.
    if (!bags_.insert(bag).second) {
      throw Error(ErrorCode::invalid, "bags that are episodes are to be read one after the other");
    }
    bag_ = std::move(bag);
    return turn;
  }

 private:
  const Config& config_;
  const ExportJob& job_;
  std::set<std::string> bags_;
  std::string bag_;  ///< of the episode
};

class Ranges final : public EpisodeTurns {
 public:
  explicit Ranges(const Config& config) : config_(config) {}

  Turn take(const Message& message) override {
    if (resolved_.empty()) resolve(message.log_time);
    Turn turn;
    while (range_ < resolved_.size() && message.log_time >= resolved_[range_].second) {
      require_open();
      turn.ends = true;
      is_open_ = false;
      ++range_;
    }
    if (range_ == resolved_.size() || message.log_time < resolved_[range_].first || is_open_) {
      return turn;
    }
    is_open_ = turn.begins = true;
    const std::string& task = config_.ranges[range_].task;
    turn.task = task.empty() ? config_.task : task;
    return turn;
  }
  void end() override {
    if (resolved_.empty()) return;
    if (is_open_) ++range_;
    is_open_ = false;
    // A range that is left over has had no message.
    if (range_ < resolved_.size()) require_open();
  }

 private:
  void require_open() const {
    if (is_open_) return;
    throw Error(ErrorCode::invalid, fmt::format("there are no messages in episode {}", range_));
  }

  void resolve(Time start) {
    Time before = Time::min();
    for (const Range& range : config_.ranges) {
      resolved_.emplace_back(range.start.resolve(start, start), range.end.resolve(start, start));
      auto [begin, end] = resolved_.back();
      if (begin >= end || begin < before) {
        throw Error(ErrorCode::invalid,
                    fmt::format("episode {} ends before it begins, or begins before the end of the "
                                "one before",
                                resolved_.size() - 1));
      }
      before = end;
    }
  }

  const Config& config_;
  std::vector<std::pair<Time, Time>> resolved_;  ///< Config::ranges
  std::size_t range_ = 0;
  bool is_open_ = false;
};

/// An expression on messages of one topic.
class Condition {
 public:
  Condition(const std::string& expression, const ExportJob& job)
      : expression_(expression), session_(job.session) {}

  bool is_met(const Message& message) {
    // A stage looks up fields once for a table of channels. Here, each channel is a table of its
    // own.
    auto [place, is_new] = stages_.try_emplace(message.channel);
    Stage& stage = place->second;
    if (is_new) {
      auto channel = std::make_shared<Channel>(*message.channel);
      channel->slot = 0;
      stage.channels = std::make_shared<Channels>(Channels{channel});
      require_condition(expression_, *stage.channels, session_);
      stage.where = where(expression_, OnError::stop, nullptr, session_);
      stage.where->map(channel);
    }
    Batch batch;
    batch.channels = stage.channels;
    Message alone = message;
    alone.channel = stage.channels->front().get();
    batch.add(alone);
    stage.where->apply(batch);
    return !std::as_const(batch).messages().empty();
  }

 private:
  struct Stage {
    ChannelsPtr channels;
    std::unique_ptr<kitbag::Stage> where;
  };

  std::string expression_;
  const Session& session_;
  std::map<const Channel*, Stage> stages_;
};

class EventTurns final : public EpisodeTurns {
 public:
  EventTurns(const Config& config, const ExportJob& job)
      : config_(config),
        events_(*config.events),
        job_(job),
        start_(events_.start, job),
        end_(events_.end, job),
        task_(events_.task_field, job.session) {}

  Turn take(const Message& message) override {
    if (message.channel->topic != events_.topic) return {};
    bool begins = false;
    bool ends = false;
    try {
      begins = start_.is_met(message);
      ends = !events_.end.empty() && end_.is_met(message);
    } catch (const Error& error) {
      if (!leave_out(error)) throw;
      return {};
    }
    if (begins && ends) {
      throw located_in(message, Error(ErrorCode::invalid,
                                      "the message is both the start and the end of an episode"));
    }
    if (ends && !is_open_) ++ends_alone_;
    // A start within an episode ends that one and begins the next.
    Turn turn{is_open_ && (begins || ends), begins};
    if (begins || ends) is_open_ = begins;
    if (!begins) return turn;
    turn.name = fmt::format(" (from {})", format_time(message.log_time));
    turn.task = events_.task_field.empty() ? config_.task : task_(message);
    if (turn.task.empty()) turn.task = config_.task;
    if (turn.task.empty()) {
      throw located_in(message, Error(ErrorCode::invalid,
                                      fmt::format("the episode has no task: {} is empty, and the "
                                                  "dataset has no \"task\"",
                                                  events_.task_field)));
    }
    ++count_;
    return turn;
  }

  void end() override {
    if (count_ == 0) {
      throw Error(ErrorCode::invalid, fmt::format("no message of {} begins an episode: {}",
                                                  escaped(events_.topic), events_.start));
    }
    if (ends_alone_ > 0) {
      warn(job_.request.columns, fmt::format("{}: ends of episodes that have not begun: {}",
                                             escaped(events_.topic), ends_alone_));
    }
  }

 private:
  bool leave_out(const Error& error) const {
    if (job_.request.columns.on_error != OnError::skip || !is_damage(error.code())) return false;
    if (!job_.request.columns.report) return true;
    TranscodeReport::Topic& counts = job_.request.columns.report->topics[events_.topic];
    ++counts.skipped;
    if (counts.first_error.empty()) counts.first_error = error.message();
    return true;
  }

  const Config& config_;
  const Events& events_;
  const ExportJob& job_;
  Condition start_;
  Condition end_;
  FieldReader<std::string> task_;
  bool is_open_ = false;
  std::uint64_t count_ = 0;
  std::uint64_t ends_alone_ = 0;
};

}  // namespace

std::unique_ptr<EpisodeTurns> episode_turns(const Config& config, const ExportJob& job) {
  if (config.events) return std::make_unique<EventTurns>(config, job);
  if (!config.ranges.empty()) return std::make_unique<Ranges>(config);
  return std::make_unique<Bags>(config, job);
}

}  // namespace kitbag::lerobot
