#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "kitbag/bag.h"
#include "kitbag/session.h"
#include "kitbag/stream.h"
#include "kitbag/time.h"
#include "kitbag/transport.h"

// A Player sends the messages of bags to a live system, each at its time. The application decides
// what is played by a function that opens a source at a given time; the Player calls it at the
// beginning, for each round and for each seek.
//
//   PlayOptions options;
//   options.open = [&](Time begin) { return read(bags, {.begin = begin}); };
//   options.begin = bags.front()->summary().start;
//   options.end = bags.front()->summary().end;
//   Player player(options, session.publish("ros2://"), session.clock());
//   player.run(stop);
//
// All deadlines derive from one clock and the first message, so a late message does not delay the
// following ones and the timing does not drift. Messages are read ahead on another thread.

namespace kitbag {

/// Messages on /clock with the current position.
struct PlayedClock {
  double hz = 0;                  ///< messages per second, at most 10,000; zero: none
  std::string encoding = "ros1";  ///< or "cdr"
};

/// A file among those that are played.
struct PlayedFile {
  std::string path = {};  ///< where it is
  Time begin{};           ///< the time of its first message
};

/// What is played, and how.
struct PlayOptions {
  /// Opens the messages to play, from `begin` on, in time order. Called for each round and each
  /// seek, by the constructor and on the thread of run().
  std::function<std::unique_ptr<Source>(Time begin)> open = {};
  Time begin{};                        ///< where a round begins
  Time end{};                          ///< about where a round ends; seek() goes no further
  TimeField by = TimeField::log_time;  ///< the time by which messages are played
  /// Seconds of the bag per second of the clock, from Player::kLeastRate to Player::kMostRate.
  double rate = 1;
  bool loops = false;  ///< true: begins another round at the end
  /// True: pauses at the end, so that subscribers that come later get what is latched; a seek plays
  /// on. Has no effect if it loops.
  bool stays_at_end = false;
  Duration delay{};                                   ///< wait before the first message
  bool starts_paused = false;                         ///< latched messages are sent anyway
  std::optional<Duration> skip_empty = std::nullopt;  ///< longer gaps are skipped
  std::vector<std::string> until_topics = {};         ///< pause after a message on one of these
  std::size_t read_ahead_bytes = 64 << 20;            ///< as in read_ahead()
  bool awaits_subscribers = false;  ///< true: begins when the published topics have subscribers
  PlayedClock clock = {};           ///< while paused, it is still published, with the same time
  /// False: `open` can be called only once, so there is no seek().
  bool is_seekable = true;
  /// The files that messages come from, ordered by `begin`. The player calls Publisher::tell() when
  /// it goes on to the next one. Empty: it does not.
  std::vector<PlayedFile> files = {};
  /// Requested by stop(). Given to the publisher too (Publication::stop), it ends its waits.
  std::stop_source stop = {};
};

/// A part of what is played, for Player::play().
struct PlayedPart {
  std::optional<Time> begin = std::nullopt;  ///< absent: it goes on from where it is
  std::optional<Time> end = std::nullopt;    ///< absent: the end of the bags
};

/// Returns the files that `bags`, opened from `paths`, consist of, for PlayOptions::files: also
/// those of directories, if their metadata has the times. Empty if there is one.
KITBAG_API std::vector<PlayedFile> played_files(const std::vector<std::string>& paths,
                                                std::span<const BagPtr> bags,
                                                const Session& session);

/// The state of a Player.
struct PlayStatus {
  std::uint64_t messages = 0;       ///< sent so far
  std::uint64_t bytes = 0;          ///< of their payload
  Time position{};                  ///< in the bag
  double rate = 1;                  ///< as in PlayOptions::rate
  bool is_paused = false;           ///< see Player::pause()
  std::uint64_t rounds = 0;         ///< rounds begun
  std::uint64_t late_messages = 0;  ///< sent more than a millisecond late
  Duration worst_lateness{};        ///< the longest delay of a message so far
};

/// Plays bags into a live system. The same bags give the same sequence of messages every time.
/// State (kState) is sent at once and before anything else.
class KITBAG_API Player {
 public:
  /// The limits of a rate.
  static constexpr double kLeastRate = 1e-6;
  static constexpr double kMostRate = 1e9;  ///< the greatest

  /// Opens the source and starts reading ahead. Throws Error (invalid) for a rate outside of
  /// kLeastRate to kMostRate or a clock that cannot be published, and what `options.open` throws.
  Player(PlayOptions options, std::unique_ptr<Publisher> publisher, ClockPtr clock);
  ~Player();

  /// Plays until the end, unless it stays there, or until `stop` is requested, then closes the
  /// publisher. `on_status` is called ten times a second, on this thread. Call it once. Throws
  /// Error.
  PlayStatus run(const std::stop_token& stop,
                 const std::function<void(const PlayStatus&)>& on_status = {});

  // From any thread:

  /// Stops sending until resume(). No effect if already paused.
  void pause();
  /// Continues from where it was paused. No effect if not paused.
  void resume();
  /// Changes the rate. Throws Error (invalid) as the constructor does.
  void set_rate(double rate);
  /// Continues from `to`, or from the nearest time between `begin` and `end`. Throws Error
  /// (unsupported) if the bags are not seekable.
  void seek(Time to);
  /// Continues from `part.begin`, also if paused, and pauses after the messages whose time is
  /// `part.end`. A seek() forgets that end. Throws Error as seek() does.
  void play(const PlayedPart& part);
  /// While paused: sends the next `count` messages at once. Throws Error (invalid) if not paused.
  void burst(std::uint64_t count);
  /// The same, and waits until they have been sent; returns how many were: fewer if the bags or
  /// `wait` ended first, or somebody resumed.
  std::uint64_t burst(std::uint64_t count, const Wait& wait);
  /// Ends run(), as its `stop` does.
  void stop();
  /// Returns what it was given.
  const PlayOptions& options() const;
  /// Returns the current state.
  PlayStatus status() const;

 private:
  struct KITBAG_PRIVATE State;
  std::unique_ptr<State> state_;
};

}  // namespace kitbag
