#pragma once

#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>

#include "kitbag/time.h"

namespace kitbag::broker {

/// The result of `call`, which a library makes wait where no stop reaches it: for a name server, or
/// for an answer. It runs on a thread of its own. Absent: a stop was requested, or `patience` was
/// over; the call then goes on alone, and what it returns is destroyed there. So it must own all
/// that it uses. Throws what `call` throws.
template <class Result>
std::optional<Result> result_within(Duration patience, const std::stop_token& stop,
                                    std::function<Result()> call) {
  struct State {
    std::mutex mutex;
    std::condition_variable_any changed;
    bool is_done = false;
    std::optional<Result> result;
    std::exception_ptr error;
  };
  auto state = std::make_shared<State>();
  std::thread([state, call = std::move(call)] {
    std::optional<Result> result;
    std::exception_ptr error;
    try {
      result = call();
    } catch (...) {
      error = std::current_exception();
    }
    std::lock_guard lock(state->mutex);
    state->result = std::move(result);
    state->error = error;
    state->is_done = true;
    state->changed.notify_all();
  }).detach();
  std::unique_lock lock(state->mutex);
  bool is_done = state->changed.wait_for(lock, stop, patience, [&state] { return state->is_done; });
  if (!is_done) return std::nullopt;
  if (state->error) std::rethrow_exception(state->error);
  return std::move(state->result);
}

}  // namespace kitbag::broker
