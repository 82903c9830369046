#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <iceoryx_posh/internal/popo/building_blocks/condition_variable_data.hpp>
#include <iceoryx_posh/internal/popo/ports/publisher_port_user.hpp>
#include <iceoryx_posh/internal/popo/ports/subscriber_port_user.hpp>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>

#include "kitbag/error.h"
#include "kitbag/time.h"
#include "transport/iceoryx/endpoint.h"

namespace kitbag::iceoryx_transport {

class Posh;

/// How long RouDi may take for an answer.
inline constexpr Duration kRoudiPatience = std::chrono::seconds(10);

/// The part of this process in the system of iceoryx, of which there is one. From any thread.
class Runtime : public std::enable_shared_from_this<Runtime> {
 public:
  /// The one that is there, or a new one, which joins RouDi. `shown` is named in errors. Throws
  /// Error: io if there is no RouDi or it does not answer, cancelled after a stop.
  static std::shared_ptr<Runtime> join(const std::string& shown, const std::stop_token& stop);
  ~Runtime();
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  /// Why it is of no use any more: RouDi has ended, has removed this process or does not answer, or
  /// the library has given up. What RouDi gave must not be touched then. Empty: all is well.
  std::string failure() const;
  /// Throws Error (io) if there is a failure.
  void check(const std::string& shown) const;

  /// These ask RouDi. They throw Error: io if RouDi refuses or does not answer.
  iox::popo::PublisherPortData* publisher(const Name& name,
                                          const iox::popo::PublisherOptions& options);
  iox::popo::SubscriberPortData* subscriber(const Name& name,
                                            const iox::popo::SubscriberOptions& options);
  iox::popo::ConditionVariableData* condition();

  /// Does `call` on a thread of its own, because the library may wait in it, or end the thread,
  /// where no stop reaches it. If the call is left alone, it goes on with what it owns. Throws what
  /// it throws, and Error: cancelled after a stop, io if there is a failure() or patience is over.
  template <class Result>
  Result within(Duration patience, const std::stop_token& stop, const std::string& shown,
                std::function<Result()> call) const {
    auto is_failed = [this] { return failure(); };
    return run<Result>(patience, stop, shown, is_failed, std::move(call));
  }

 private:
  Runtime() = default;
  bool is_answered() const;

  /// How long a call has to end by itself after a failure.
  static constexpr Duration kLook = std::chrono::milliseconds(100);

  template <class Result>
  static Result run(Duration patience, const std::stop_token& stop, const std::string& shown,
                    const std::function<std::string()>& failure, std::function<Result()> call) {
    struct State {
      std::mutex mutex;
      std::condition_variable_any changed;
      bool is_done = false;
      std::optional<Result> result;
      std::exception_ptr error;
    };
    auto state = std::make_shared<State>();
    std::thread([state, call = std::move(call)]() mutable {
      std::optional<Result> result;
      std::exception_ptr error;
      try {
        result = call();
      } catch (...) {
        error = std::current_exception();
      }
      call = nullptr;  // what it owns ends before its caller goes on
      std::lock_guard lock(state->mutex);
      state->result = std::move(result);
      state->error = error;
      state->is_done = true;
      state->changed.notify_all();
    }).detach();
    std::unique_lock lock(state->mutex);
    auto is_done = [&state] { return state->is_done; };
    SteadyTime began = std::chrono::steady_clock::now();
    std::string why;
    while (!state->changed.wait_for(lock, stop, kLook, is_done)) {
      if (stop.stop_requested()) {
        throw Error(ErrorCode::cancelled, "stopped while waiting for subscribers or for RouDi",
                    shown);
      }
      if (!why.empty()) throw Error(ErrorCode::io, why, shown);
      why = failure();
      if (std::chrono::steady_clock::now() - began >= patience) {
        throw Error(ErrorCode::io, "RouDi does not answer; restart iox-roudi", shown);
      }
    }
    if (state->error) std::rethrow_exception(state->error);
    return std::move(*state->result);
  }

  Posh* posh_ = nullptr;
  std::string roudi_;  ///< what tells its socket from that of another RouDi
  struct Asking;
  std::shared_ptr<Asking> asking_;
};

/// Says what to do if the library ends this thread, while the object is there: the thread does not
/// return from `what`, nor go on after it.
class OnFatal {
 public:
  explicit OnFatal(std::function<void(const std::string& why)> what);
  ~OnFatal();
  OnFatal(const OnFatal&) = delete;
  OnFatal& operator=(const OnFatal&) = delete;

 private:
  std::function<void(const std::string& why)> what_;
};

/// iceoryx's own form of a name.
iox::capro::ServiceDescription service_of(const Name& name);

}  // namespace kitbag::iceoryx_transport
