#include <fmt/format.h>

#include <atomic>
#include <condition_variable>
#include <exception>
#include <iceoryx_posh/internal/popo/building_blocks/condition_listener.hpp>
#include <iceoryx_posh/internal/roudi/service_registry.hpp>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "kitbag/session.h"
#include "transport/iceoryx/intake.h"
#include "transport/iceoryx/runtime.h"
#include "transport/iceoryx/transport.h"

// One thread waits on a condition of iceoryx for anything that comes: messages, descriptions, and
// RouDi's list of what is offered, by which new names are found. A subscriber by name alone would
// hear nothing of what it does not expect.
//
// While push() waits for room in the feed, nothing is taken. The queues of iceoryx then lose their
// oldest messages, or with full=wait keep the senders waiting that want that. Payloads are copied:
// RouDi has few large chunks, and what a recording holds would be missing to the senders.
//
// A name that is offered no more keeps its port, as it may come again, until there are many.

namespace kitbag::iceoryx_transport {

namespace {

using iox::popo::SubscriberPortUser;

constexpr std::uint64_t kHistory = iox::MAX_PUBLISHER_HISTORY;
/// A stop and the end of RouDi are looked for as often.
constexpr std::uint64_t kWaitMs = 50;
constexpr Duration kLookForRoudi = std::chrono::milliseconds(100);
/// How long the caller waits for RouDi before it goes on.
constexpr Duration kFirstWait = std::chrono::milliseconds(800);
/// Passes over the queues after a stop.
constexpr int kMostPasses = 4;
/// Ports whose names are offered no more are given back above so many.
constexpr std::size_t kManyPorts = iox::MAX_SUBSCRIBERS / 4;

/// RouDi's list of what is offered.
class Offers {
 public:
  Offers(iox::popo::SubscriberPortData* data, iox::popo::ConditionVariableData& condition)
      : port_(data) {
    port_.setConditionVariable(condition, 0);
  }
  ~Offers() {
    port_.unsetConditionVariable();
    port_.unsubscribe();
    port_.destroy();
  }
  Offers(const Offers&) = delete;
  Offers& operator=(const Offers&) = delete;

  /// Those that are offered now. Absent: no change since the last call.
  std::optional<std::set<Name>> changed() {
    std::optional<std::set<Name>> names;
    while (true) {
      auto chunk = port_.tryGetChunk();
      if (chunk.has_error()) return names;
      names.emplace();
      const auto& registry =
          *static_cast<const iox::roudi::ServiceRegistry*>((*chunk)->userPayload());
      registry.forEach([&](const iox::roudi::ServiceRegistry::ServiceDescriptionEntry& entry) {
        const auto& service = entry.serviceDescription;
        Name name{service.getServiceIDString().c_str(), service.getInstanceIDString().c_str(),
                  service.getEventIDString().c_str()};
        if (entry.publisherCount > 0 && !is_internal(name)) names->insert(std::move(name));
      });
      port_.releaseChunk(*chunk);
    }
  }

 private:
  SubscriberPortUser port_;
};

iox::popo::SubscriberOptions options_of(std::uint64_t queue, std::uint64_t history, bool waits) {
  iox::popo::SubscriberOptions options;
  options.queueCapacity = queue;
  options.historyRequest = history;
  if (waits) options.queueFullPolicy = iox::popo::QueueFullPolicy::BLOCK_PRODUCER;
  return options;
}

/// How far the thread has come.
class Progress {
 public:
  /// It listens.
  void begin() { set(is_begun_, nullptr); }
  /// It uses nothing of its subscriber any more. `error` is why it has never listened.
  void end(std::exception_ptr error) { set(has_ended_, std::move(error)); }

  /// Waits for the begin; after a while it goes on without. Throws why there is none.
  void await_begin() {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, kFirstWait, [this] { return is_begun_ || has_ended_; });
    if (error_) std::rethrow_exception(error_);
  }
  void await_end() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return has_ended_; });
  }

 private:
  void set(bool& flag, std::exception_ptr error) {
    std::lock_guard lock(mutex_);
    flag = true;
    error_ = std::move(error);
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_begun_ = false;
  bool has_ended_ = false;
  std::exception_ptr error_;
};

/// The side of the thread. It outlives the subscriber where the library has ended the thread.
class Listening {
 public:
  Listening(const Endpoint& endpoint, const Subscription& wanted, Feed& feed,
            const Session& session)
      : endpoint_(endpoint),
        feed_(feed),
        session_(session),
        intake_(endpoint, wanted, session, feed) {}

  /// From any thread.
  void stop() {
    is_stopped_ = true;
    stop_.request_stop();
  }

  /// Those that are offered, and those that messages or descriptions came on. From any thread.
  std::vector<LiveTopic> topics() const {
    std::vector<LiveTopic> all = intake_.rest().topics();
    std::set<std::string> known;
    for (const LiveTopic& each : all) known.insert(each.topic);
    std::lock_guard lock(mutex_);
    for (const auto& [name, topic] : offered_) {
      if (intake_.is_described(name) || !known.insert(topic).second) continue;
      all.push_back({topic, {}, {}, {}});
    }
    return all;
  }

  /// The thread. Gives the error with which it has never listened; others are the feed's.
  std::exception_ptr run(Progress& progress) {
    OnFatal on_fatal([&](const std::string& why) {
      auto error = std::make_exception_ptr(Error(ErrorCode::io, why, endpoint_.shown));
      feed_.fail(error);
      progress.end(nullptr);
    });
    std::exception_ptr error;
    bool is_begun = false;
    try {
      begin();
      is_begun = true;
      progress.begin();
      listen();
      intake_.rest().finish();
    } catch (...) {
      // A stop before the begin is an end like others.
      if (!is_stopped_ || is_begun) error = std::current_exception();
    }
    give_all_back();
    if (error) {
      feed_.fail(error);
    } else {
      feed_.close();
    }
    return is_begun ? nullptr : error;
  }

 private:
  template <class Result>
  Result ask(const std::function<Result(Runtime&)>& what) {
    return runtime_->within<Result>(kRoudiPatience, stop_.get_token(), endpoint_.shown,
                                    [runtime = runtime_, what] { return what(*runtime); });
  }
  iox::popo::SubscriberPortData* subscribe(const Name& name,
                                           const iox::popo::SubscriberOptions& options) {
    return ask<iox::popo::SubscriberPortData*>(
        [name, options](Runtime& runtime) { return runtime.subscriber(name, options); });
  }

  void begin() {
    runtime_ = Runtime::join(endpoint_.shown, stop_.get_token());
    condition_ = ask<iox::popo::ConditionVariableData*>(
        [](Runtime& runtime) { return runtime.condition(); });
    offers_ = std::make_unique<Offers>(
        subscribe({"ServiceDiscovery", "RouDi_ID", "ServiceRegistry"}, options_of(1, 1, false)),
        *condition_);
  }

  void listen() {
    iox::popo::ConditionListener listener(*condition_);
    SteadyTime looked = clock_.steady();
    bool is_more = false;
    while (!is_stopped_) {
      if (!is_more) listener.timedWait(iox::units::Duration::fromMilliseconds(kWaitMs));
      try {
        follow_offers();
      } catch (const Error& error) {
        if (error.code() != ErrorCode::cancelled) throw;
        break;
      }
      is_more = take();
      if (clock_.steady() - looked < kLookForRoudi) continue;
      looked = clock_.steady();
      std::string failure = runtime_->failure();
      if (failure.empty()) continue;
      intake_.rest().finish();
      throw Error(ErrorCode::io, failure + "; what was received until then is recorded",
                  endpoint_.shown);
    }
    // What has come before the stop: no more than the queues hold, as senders may go on.
    for (int i = 0; i < kMostPasses && take(); ++i) {
    }
  }

  /// True: there is more.
  bool take() {
    bool has_ended = false;
    for (auto& [name, port] : descriptions_) has_ended = intake_.describe(*port) || has_ended;
    bool is_more = intake_.take(ports_);
    intake_.rest().tick();
    if (has_ended && endpoint_.is_once) is_stopped_ = true;
    return is_more;
  }

  void follow_offers() {
    auto names = offers_->changed();
    if (!names) return;
    std::map<Name, std::string> offered;
    for (const Name& name : *names) {
      if (is_of_descriptions(name)) {
        add(descriptions_, name, {}, false);
        continue;
      }
      auto topic = topic_of(endpoint_.prefix, name);
      if (!topic) continue;
      add(ports_, name, *topic, endpoint_.holds_back);
      offered.emplace(name, std::move(*topic));
    }
    give_back(descriptions_, *names, 0);
    give_back(ports_, *names, kManyPorts);
    std::lock_guard lock(mutex_);
    offered_ = std::move(offered);
  }

  void add(Intake::Ports& ports, const Name& name, const std::string& topic, bool waits) {
    if (ports.contains(name)) return;
    std::uint64_t queue = iox::MAX_SUBSCRIBER_QUEUE_CAPACITY;
    auto* data = subscribe(name, options_of(queue, kHistory, waits));
    ports.emplace(name, std::make_unique<HeardPort>(topic, data, *condition_));
  }

  static void give_back(Intake::Ports& ports, const std::set<Name>& names, std::size_t above) {
    std::erase_if(ports, [&](const auto& each) {
      return ports.size() > above && !names.contains(each.first) && each.second->is_empty();
    });
  }

  /// What RouDi gave is not touched if RouDi may have given it to others since.
  void give_all_back() {
    if (!runtime_) return;
    if (!runtime_->failure().empty()) {
      [[maybe_unused]] Offers* left = offers_.release();
      for (Intake::Ports* ports : {&ports_, &descriptions_}) {
        for (auto& [name, port] : *ports) [[maybe_unused]] HeardPort* leaked = port.release();
      }
      return;
    }
    ports_.clear();
    descriptions_.clear();
    offers_.reset();
    if (condition_) condition_->m_toBeDestroyed = true;
  }

  Endpoint endpoint_;
  Feed& feed_;
  Session session_;
  Clock& clock_ = *session_.clock();
  std::shared_ptr<Runtime> runtime_;
  std::atomic<bool> is_stopped_ = false;
  std::stop_source stop_;  ///< of what RouDi is asked for
  mutable std::mutex mutex_;
  std::map<Name, std::string> offered_;  ///< their topics; with the lock
  // Of the thread:
  Intake intake_;  ///< but for its topics
  iox::popo::ConditionVariableData* condition_ = nullptr;
  std::unique_ptr<Offers> offers_;
  Intake::Ports ports_;
  Intake::Ports descriptions_;
};

class IceoryxSubscriber final : public Subscriber {
 public:
  explicit IceoryxSubscriber(std::shared_ptr<Listening> listening)
      : listening_(std::move(listening)) {
    std::thread([listening = listening_, progress = progress_]() mutable {
      std::exception_ptr error = listening->run(*progress);
      listening.reset();  // also the runtime, before the process may end
      progress->end(error);
    }).detach();
    try {
      progress_->await_begin();
    } catch (...) {
      progress_->await_end();
      throw;
    }
  }
  ~IceoryxSubscriber() override {
    listening_->stop();
    progress_->await_end();
  }

  void stop() override { listening_->stop(); }
  std::optional<std::vector<LiveTopic>> topics() const override { return listening_->topics(); }

 private:
  std::shared_ptr<Listening> listening_;
  std::shared_ptr<Progress> progress_ = std::make_shared<Progress>();
};

}  // namespace

std::unique_ptr<Subscriber> subscribe(const Location& location, const Subscription& wanted,
                                      Feed& feed, const Session& session) {
  return std::make_unique<IceoryxSubscriber>(
      std::make_shared<Listening>(Endpoint::of(location), wanted, feed, session));
}

}  // namespace kitbag::iceoryx_transport
