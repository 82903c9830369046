#include "server/live/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "kitbag/error.h"
#include "kitbag/pipeline.h"
#include "kitbag/play.h"
#include "kitbag/video.h"
#include "server/bags/damage_list.h"
#include "server/live/foxglove_session.h"

// The library's Player plays the bag; this file passes on the client's commands to it, and its
// state to the client. The Player runs on a thread of the session, which waits while the client is
// slow. Commands come on the connection's thread. The answer to a seek is sent when the Player
// opens the bag at the new time: by then, all that was played before has been sent.
//
//   connection's thread       requests -> rate_, is_paused_, sought_, added_ -> Player's commands
//   thread of the session     Player::run() -> ToClient -> await_room() -> the client
//
// A request must not wait, and the thread mostly does, for a slow client or a deadline. Everything
// between the two is behind mutex_, and nothing is sent to the client's socket but by the sender,
// which takes a copy.
//
// A seek is answered late on purpose: for the client, what follows the answer is of the new place.
// An answer before the last messages of the old place would mix the two.
//
// At the end the Player is gone, but the session stays: a seek sets from_, clears has_ended_ and
// wakes the thread, which makes another Player there.

namespace kitbag::server {
namespace {

using foxglove::PlaybackRequest;
using foxglove::PlaybackState;

/// When more than this waits for a client, its replay waits.
constexpr std::size_t kMostWaitingBytes = 4 << 20;
constexpr std::size_t kReadAheadBytes = 4 << 20;
/// From the first subscription to the beginning: clients subscribe to one channel after the other.
constexpr Duration kSubscribeTime = std::chrono::milliseconds(100);

class Replay final : public FoxgloveSession {
 public:
  Replay(OpenBagPtr bag, const ReplayOptions& options, const Session& session)
      : bag_(std::move(bag)),
        options_(options),
        session_(session),
        summary_(bag_->bag->summary()),
        is_paused_(options.starts_paused),
        rate_(options.rate),
        from_(std::clamp(options.start.value_or(summary_.start), summary_.start,
                         std::max(summary_.start, summary_.end))) {
    check_rate(rate_);
    latched_.resize(summary_.channels->size());
    for (const ChannelPtr& channel : *summary_.channels) {
      if (!channel) continue;
      latched_[channel->slot] =
          is_latched(*channel) || options_.latched_topics.count(channel->topic) > 0;
    }
  }

  void on_close() override { thread_.request_stop(); }

 protected:
  void begin() override {
    foxglove::ServerInfo info;
    info.name = "kitbag: " + bag_->entry->name;
    info.capabilities = {"time"};
    info.session_id = bag_->entry->version;
    if (options_.has_control) {
      info.capabilities.emplace_back("playbackControl");
      info.range = {summary_.start, summary_.end};
    }
    send(info);
    advertise(*summary_.channels);
    report_undefined();
    damage_ = bag_->entry->damage;
    for (const std::string& each : damage_.sentences()) send(foxglove::Status{1, each});
    if (options_.has_control) send_state(state());
    thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
  }

  std::size_t channels() const override { return summary_.channels->size(); }

  void subscribed(const std::vector<std::size_t>& slots) override {
    std::lock_guard lock(mutex_);
    added_.insert(added_.end(), slots.begin(), slots.end());
    is_wanted_ = true;
    changed_.notify_all();
  }

  void requested(const PlaybackRequest& request) override {
    if (!options_.has_control) return complain("this subprotocol has no playback control");
    check_rate(request.speed);
    std::lock_guard lock(mutex_);
    rate_ = request.speed;
    is_paused_ = request.command == PlaybackRequest::Command::pause;
    if (!player_) {
      if (request.seek) {
        from_ = std::clamp(*request.seek, summary_.start, summary_.end);
        has_ended_ = false;
        changed_.notify_all();
      }
      PlaybackState answer = state_now();
      answer.did_seek = request.seek.has_value();
      answer.request_id = request.request_id;
      return send_state(answer);
    }
    player_->set_rate(rate_);
    // Pause first and resume last: no message of the old place leaves in between.
    if (is_paused_) player_->pause();
    if (request.seek) {
      Time to = std::clamp(*request.seek, summary_.start, summary_.end);
      sought_.push_back({request.request_id, to});
      player_->seek(to);
    }
    if (!is_paused_) player_->resume();
    if (request.seek) return;
    PlaybackState answer = state_now();
    answer.request_id = request.request_id;
    send_state(answer);
  }

 private:
  /// A request for another time.
  struct Sought {
    std::string request_id;
    Time to{};
  };

  /// Takes what is played.
  class ToClient final : public Publisher {
   public:
    ToClient(Replay& replay, std::stop_token stop) : replay_(replay), stop_(std::move(stop)) {}

    bool await_subscribers(const Wait& /*wait*/) override { return true; }
    void write(Batch&& batch) override { replay_.deliver_all(batch, stop_); }
    SteadyTime due() const override { return replay_.has_added() ? SteadyTime::min() : kNever; }
    void tick(SteadyTime /*now*/) override { replay_.deliver_state_of_added(stop_); }
    void close() override {}

   private:
    Replay& replay_;
    std::stop_token stop_;
  };

  static void check_rate(double rate) {
    if (rate >= Player::kLeastRate && rate <= Player::kMostRate) return;
    throw Error(ErrorCode::invalid, fmt::format("invalid playback rate: {}", rate));
  }

  // --- the thread ---

  void run(const std::stop_token& stop) {
    try {
      bool is_first = true;
      while (await_wanted(stop)) {
        SteadyTime begin = session_.clock()->steady() + kSubscribeTime;
        if (std::exchange(is_first, false)) session_.clock()->sleep({stop, begin});
        play(stop);
        if (!stop.stop_requested() && state().status == PlaybackState::Status::ended) send_end();
      }
    } catch (const std::exception& error) {
      if (stop.stop_requested()) return;
      const auto* known = dynamic_cast<const Error*>(&error);  // whose what() names the file
      send(foxglove::Status{2, known ? known->message() : error.what()});
      sender().close("the bag cannot be read");
    }
  }

  bool await_wanted(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    return changed_.wait(lock, stop, [this] { return is_wanted_ && !has_ended_; });
  }

  void play(const std::stop_token& stop) {
    PlayOptions options;
    options.begin = summary_.start;
    options.end = summary_.end;
    options.read_ahead_bytes = kReadAheadBytes;
    bool is_first = true;  // opening at the start of the bag, which the Player does in any case
    options.open = [this, &is_first, stop](Time begin) {
      if (!std::exchange(is_first, false)) arrive(begin, stop);
      Query query;
      query.begin = begin > summary_.start ? begin : Time::min();
      query.on_problem = [this](const Error& problem) { report_damage(problem); };
      KeyFrameReport report;
      auto source = read_from_key_frames({bag_->bag}, query, &report, session_, {stop});
      for (const auto& [topic, why] : report.missing) {
        report_damage(Error(ErrorCode::not_found,
                            fmt::format("{}: the first frames cannot be decoded: {}", topic, why)));
      }
      return source;
    };
    options.starts_paused = true;
    auto player = std::make_shared<Player>(
        std::move(options), std::make_unique<ToClient>(*this, stop), session_.clock());
    {
      std::lock_guard lock(mutex_);
      player->set_rate(rate_);
      if (from_ > summary_.start || !sought_.empty()) player->seek(from_);
      if (!is_paused_) player->resume();
      player_ = player;
    }
    player->run(stop, [this](const PlayStatus& status) { send_time(status.position); });
    std::lock_guard lock(mutex_);
    player_.reset();
    has_ended_ = sought_.empty();  // else it was sought at the last moment
    from_ = has_ended_ ? summary_.end : sought_.back().to;
  }

  /// The Player goes on from `begin`: answers the seeks, and sends the state before `begin`.
  void arrive(Time begin, const std::stop_token& stop) {
    {
      std::lock_guard lock(mutex_);
      added_.clear();
      for (Sought& each : std::exchange(sought_, {})) {
        PlaybackState answer = state_now();
        answer.now = begin;
        answer.did_seek = true;
        answer.request_id = std::move(each.request_id);
        send_state(answer);
      }
    }
    send_time(begin);
    deliver_state(begin, latched_, stop);
  }

  bool has_added() const {
    std::lock_guard lock(mutex_);
    return !added_.empty();
  }

  /// A client that subscribes to a latched topic gets its last message, as in a live system.
  void deliver_state_of_added(const std::stop_token& stop) {
    std::vector<bool> wanted(latched_.size());
    Time position;
    {
      std::lock_guard lock(mutex_);
      for (std::size_t slot : std::exchange(added_, {})) wanted[slot] = latched_[slot];
      if (!player_) return;
      position = player_->status().position;
    }
    deliver_state(position, wanted, stop);
  }

  void deliver_state(Time before, const std::vector<bool>& wanted, const std::stop_token& stop) {
    LastQuery query;
    query.slots.assign(wanted.begin(), wanted.end());
    query.time = before;
    query.on_problem = [this](const Error& problem) { report_damage(problem); };
    if (std::find(wanted.begin(), wanted.end(), true) == wanted.end()) return;
    if (before <= summary_.start) return;
    Batch state = bag_->bag->find_last(query, {stop});
    deliver_all(state, stop);
  }

  void deliver_all(const Batch& batch, const std::stop_token& stop) {
    for (const Message& message : batch.messages()) {
      std::size_t slot = message.channel->slot;
      if (!is_subscribed(slot)) continue;
      if (!sender().await_room(kMostWaitingBytes, stop)) return;
      deliver(slot, message);
    }
  }

  // --- what is sent besides messages ---

  /// What is met while the bag is played. Any thread.
  void report_damage(const Error& problem) {
    std::vector<std::string> news;
    {
      std::lock_guard lock(mutex_);
      std::size_t known = damage_.sentences().size();
      damage_.add(problem);
      news.assign(damage_.sentences().begin() + static_cast<std::ptrdiff_t>(known),
                  damage_.sentences().end());
    }
    for (const std::string& each : news) send(foxglove::Status{1, each});
  }

  void report_undefined() {
    std::string topics;
    for (const ChannelPtr& channel : *summary_.channels) {
      if (!channel) continue;
      bool is_defined =
          channel->encoding == "json" || (channel->schema && !channel->schema->language.empty());
      if (!is_defined) topics += (topics.empty() ? "" : ", ") + channel->topic;
    }
    if (topics.empty()) return;
    send(foxglove::Status{1, "the bag has no definitions for " + topics});
  }

  void send_time(Time now) {
    if (std::exchange(time_, now) == now) return;
    sender().send_binary(as_bytes(to_frame(foxglove::TimeUpdate{now})));
  }

  void send_end() {
    send_time(summary_.end);
    if (options_.has_control) send_state(state());
  }

  PlaybackState state() const {
    std::lock_guard lock(mutex_);
    return state_now();
  }

  /// With the lock held.
  PlaybackState state_now() const {
    PlaybackState made;
    made.status = has_ended_   ? PlaybackState::Status::ended
                  : is_paused_ ? PlaybackState::Status::paused
                               : PlaybackState::Status::playing;
    made.now = player_ ? player_->status().position : from_;
    made.speed = static_cast<float>(rate_);
    return made;
  }

  void send_state(const PlaybackState& made) { sender().send_binary(as_bytes(to_frame(made))); }

  OpenBagPtr bag_;
  ReplayOptions options_;
  Session session_;
  const Summary& summary_;
  std::vector<bool> latched_;  ///< by slot
  Time time_ = Time::min();    ///< the last that was sent; the thread's

  mutable std::mutex mutex_;  ///< for all below
  std::condition_variable_any changed_;
  bool is_wanted_ = false;  ///< the client has subscribed to something
  bool has_ended_ = false;
  bool is_paused_;
  double rate_;
  Time from_;                       ///< where the next Player begins
  std::shared_ptr<Player> player_;  ///< null: nothing is played
  std::vector<Sought> sought_;      ///< under way
  std::vector<std::size_t> added_;  ///< slots that were subscribed to
  DamageList damage_;               ///< that the client has been told of
  std::jthread thread_;             ///< last: it ends before the rest is gone
};

}  // namespace

std::unique_ptr<WebSocketSession> replay(OpenBagPtr bag, const ReplayOptions& options,
                                         const Session& session) {
  return std::make_unique<Replay>(std::move(bag), options, session);
}

}  // namespace kitbag::server
