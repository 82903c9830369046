#pragma once

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

#include "kitbag/error.h"
#include "server/http/message.h"

namespace kitbag::server {

/// What several clients ask for at the same time is done once: the first one does it, on its own
/// thread, and the others wait for its result. When all of them have gone, it is stopped; who comes
/// after that waits until it has ended, and begins anew. Any thread.
template <class Result>
class SharedWork {
 public:
  using Work = std::function<Result(const std::stop_token& stop)>;

  /// More clients than `max_clients` at the same time are refused, so that they cannot keep all
  /// threads of the server busy.
  explicit SharedWork(std::size_t max_clients = SIZE_MAX) : max_clients_(max_clients) {}

  /// The result of the work of that key. `stop` is requested when this client has gone. Throws
  /// Refusal (503) for one client too many, Error (cancelled), and what `work` throws.
  Result get(const std::string& key, const Work& work, const std::stop_token& stop) {
    std::shared_ptr<Running> running;
    bool is_first = false;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, stop, [&] {
        auto known = running_.find(key);
        return known == running_.end() || known->second->clients > 0;
      });
      throw_if_stopped({stop});
      if (clients_ >= max_clients_) {
        throw Refusal(503, "too many files are being made; try again later");
      }
      auto [place, is_new] = running_.try_emplace(key);
      if (is_new) place->second = std::make_shared<Running>();
      is_first = is_new;
      running = place->second;
      ++running->clients;
      ++clients_;
    }
    std::stop_callback leaving(stop, [&] { leave(*running); });
    if (is_first) run(key, work, *running);
    std::unique_lock lock(mutex_);
    changed_.wait(lock, stop, [&] { return running->is_done; });
    --clients_;
    if (!running->is_done) throw Error(ErrorCode::cancelled, "the client has gone");
    if (running->error) std::rethrow_exception(running->error);
    return *running->result;
  }

 private:
  struct Running {
    std::stop_source stop;
    std::size_t clients = 0;  ///< that have not gone
    bool is_done = false;
    std::optional<Result> result;
    std::exception_ptr error;
  };

  void run(const std::string& key, const Work& work, Running& running) {
    std::optional<Result> result;
    std::exception_ptr error;
    try {
      result = work(running.stop.get_token());
    } catch (...) {
      error = std::current_exception();
    }
    std::lock_guard lock(mutex_);
    running.result = std::move(result);
    running.error = error;
    running.is_done = true;
    running_.erase(key);
    changed_.notify_all();
  }

  void leave(Running& running) {
    {
      std::lock_guard lock(mutex_);
      if (--running.clients > 0) return;
    }
    running.stop.request_stop();  // which may call anything
  }

  std::size_t max_clients_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::map<std::string, std::shared_ptr<Running>> running_;
  std::size_t clients_ = 0;  ///< of all
};

}  // namespace kitbag::server
