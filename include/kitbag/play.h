#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "kitbag/bag.h"
#include "kitbag/stream.h"
#include "kitbag/time.h"
#include "kitbag/transport.h"

namespace kitbag {

/// Messages on /clock that tell where a playing is.
struct PlayedClock {
  double hz = 0;                  ///< zero: none
  std::string encoding = "ros1";  ///< or "cdr"
};

struct PlayOptions {
  /// What is played, from `begin` on, in the order of time; asked anew for every round and seek.
  std::function<std::unique_ptr<Source>(Time begin)> open = {};
  Time begin{};  ///< where a round begins
  Time end{};    ///< about where it ends: seeking goes no further
  TimeField by = TimeField::log_time;
  double rate = 1;  ///< seconds of the bag in one of the clock; above zero
  bool loops = false;
  Duration delay{};                                   ///< before the first message
  bool starts_paused = false;                         ///< what is latched is sent all the same
  std::optional<Duration> skip_empty = std::nullopt;  ///< gaps longer than this are left out
  std::vector<std::string> until_topics = {};         ///< behind a message on one of these: pause
  std::size_t read_ahead_bytes = 64 << 20;
  bool awaits_subscribers = false;  ///< begins when somebody listens
  PlayedClock clock = {};           ///< goes on, and stands still, while playing is paused
};

/// How a playing stands.
struct PlayStatus {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;  ///< of their payload
  Time position{};          ///< in the bag
  double rate = 1;
  bool is_paused = false;
  std::uint64_t rounds = 0;         ///< begun
  std::uint64_t late_messages = 0;  ///< more than a millisecond behind their time
  Duration worst_lateness{};
};

/// Plays bags into a live system. Deadlines come from one clock: what is late delays nothing behind
/// it, and there is no drift. The same bags give the same sequence every time. State (kState) comes
/// at once, and before anything else.
class KITBAG_API Player {
 public:
  static constexpr double kLeastRate = 1e-6;
  static constexpr double kMostRate = 1e9;

  /// Throws Error (invalid) for a rate that is none.
  Player(PlayOptions options, std::unique_ptr<Publisher> publisher, ClockPtr clock);
  ~Player();

  /// Plays until the end or `stop`, and closes the publisher. `on_status` is called ten times a
  /// second, on this thread. Throws Error.
  PlayStatus run(const std::stop_token& stop,
                 const std::function<void(const PlayStatus&)>& on_status = {});

  // From any thread:

  void pause();
  void resume();
  /// Throws Error (invalid).
  void set_rate(double rate);
  /// Goes on from there, or the nearest place that is played.
  void seek(Time to);
  /// While it is paused: sends the next `count` messages at once.
  void burst(std::uint64_t count);
  PlayStatus status() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kitbag
