#include "kitbag/record.h"

#include <fmt/format.h>

#include <mutex>
#include <optional>
#include <utility>

#include "flow/sim_time.h"
#include "kitbag/error.h"
#include "kitbag/listen.h"
#include "kitbag/pipeline.h"
#include "kitbag/session.h"
#include "live/record/recording_sink.h"

// transport -> Feed -> stages -> run() -> RecordingSink -> split -> a file.
//
// The stages come in this order for a reason: sim_time() first, so that throttle and conditions see
// the times that are stored; throttle() before what decodes, as it is cheap and leaves less to do.
//
// Warnings come from threads of the live system. They are stored and reported on the recording's
// thread, so a caller's on_warning is called by one thread.
//
// stop() of the live source and `hurry` are different: the first lets what was received be stored,
// the second ends run() in the middle, and what was not stored counts as dropped. After a failure
// the files are completed as far as they can be: what was recorded before is worth keeping.

namespace kitbag {

struct Recorder::State {
  State(RecordOptions with, const Session& given)
      : options(std::move(with)),
        session(given.with_clock(
            forward_clock(given.clock(), [this](Duration back) { tell_jump(back); }))) {
    if (options.starts_paused) shared.moments.pause();
    Subscription wanted{options.select, options.expected,
                        [this](const Error& warning) { keep(warning); }};
    auto opened = listen(options.from, wanted, options.feed, session);
    live = opened.get();
    source = std::move(opened);
    if (options.uses_sim_time) {
      auto is_paused = [this] { return shared.moments.is_paused(); };
      source = through(std::move(source), sim_time(clock, is_paused));
    }
    if (!options.throttle.empty()) source = through(std::move(source), throttle(options.throttle));
    if (options.stages) source = options.stages(std::move(source));
    sink.emplace(options, session, shared, *live, clock);
  }

  /// Completes the files after a failure; a file that has failed fails again and stays as it is.
  /// Of a recording that has failed before the first message no file stays.
  void complete_what_is_there() {
    try {
      if (!sink->remove_empty_file()) sink->close();
    } catch (const Error&) {
      return;  // the first error is the one to report
    }
  }

  /// Nobody looks at orders any more: who waits for one returns.
  void finish() {
    {
      std::lock_guard lock(shared.mutex);
      shared.is_over = true;
    }
    shared.changed.notify_all();
  }

  /// Has run() do it. Throws Error: what it was refused for; cancelled.
  void order(std::function<void(RecordingSink&)> act, const Wait& wait) {
    auto order = std::make_shared<RecordingOrder>();
    order->act = std::move(act);
    std::unique_lock lock(shared.mutex);
    shared.orders.push_back(order);
    session.clock()->wait(lock, shared.changed, wait,
                          [&] { return order->is_done || shared.is_over; });
    if (order->error) throw Error(*order->error);
    if (order->is_done) return;
    std::erase(shared.orders, order);
    throw Error(ErrorCode::cancelled, shared.is_over ? "the recording is over"
                                                     : "the recording has not answered in time");
  }

  void require_restarts() const {
    if (!options.restarts) {
      throw Error(ErrorCode::unsupported, "this recorder cannot stop and begin again");
    }
    if (options.snapshot) {
      throw Error(ErrorCode::unsupported,
                  "messages are kept for snapshots: such a recording can be paused, not stopped");
    }
  }

  void require_snapshots() const {
    if (options.snapshot) return;
    throw Error(ErrorCode::unsupported,
                "no messages are kept in memory for snapshots, because the recording did not begin "
                "with a limit for them");
  }

  void require_splits() const {
    if (shared.can_split) return;
    throw Error(ErrorCode::unsupported,
                "the open file cannot be split: the recording writes a single file or snapshots, "
                "or has been stopped",
                options.target.path);
  }

  /// Stores a warning, to be reported on the recording's thread.
  void keep(const Error& warning) {
    std::lock_guard lock(shared.mutex);
    shared.warnings.push_back(warning);
  }

  void tell_jump(Duration back) {
    double seconds = std::chrono::duration<double>(back).count();
    keep(Error(
        ErrorCode::invalid,
        fmt::format(
            "the system clock was set back by {:.1f} s; log times continue as if it had not been",
            seconds)));
  }

  RecordOptions options;
  SharedRecording shared;
  Session session;      ///< with a clock that never runs back
  SimTimeReport clock;  ///< of a stage in `source`
  std::unique_ptr<Source> source;
  LiveSource* live = nullptr;  ///< inside `source`
  std::optional<RecordingSink> sink;
};

namespace {

/// Ends what waits for a recording when it ends.
template <class State>
struct StateFinisher {
  State& state;
  ~StateFinisher() { state.finish(); }
};

}  // namespace

Recorder::Recorder(RecordOptions options, const Session& session)
    : state_(std::make_unique<State>(std::move(options), session)) {
  state_->live->offer(*this);
}

Recorder::~Recorder() {
  state_->finish();
  state_->live = nullptr;
  state_->source.reset();  // its threads may be calling
}

RecordStatus Recorder::run(const std::stop_token& stop,
                           const std::function<void(const RecordStatus&)>& on_status) {
  State& state = *state_;
  std::stop_source hurry;
  const StateFinisher<State> finisher{state};
  state.sink->begin(on_status, stop, hurry);
  std::stop_callback on_stop(stop, [&] { state.live->stop(); });
  try {
    kitbag::run(*state.source, *state.sink, *state.session.clock(), hurry.get_token());
    if (hurry.stop_requested()) state.live->abandon();
  } catch (...) {
    state.complete_what_is_there();
    throw;
  }
  state.sink->close();
  return status();
}

RecordStatus Recorder::purge() {
  state_->sink->purge();
  return status();
}

void Recorder::pause() {
  state_->shared.moments.pause();
}

void Recorder::resume() {
  state_->shared.moments.resume();
}

void Recorder::resume(const RecordMoment& moment) {
  state_->shared.moments.resume_at(moment);
}

void Recorder::snapshot() {
  state_->require_snapshots();
  state_->shared.wants_snapshot = true;
}

std::uint64_t Recorder::snapshot(const SnapshotRequest& request, const Wait& wait) {
  state_->require_snapshots();
  auto count = std::make_shared<std::uint64_t>();
  state_->order([=](RecordingSink& sink) { *count = sink.write_snapshot(request); }, wait);
  return *count;
}

void Recorder::split() {
  state_->require_splits();
  state_->shared.wants_split = true;
}

void Recorder::split(const RecordMoment& moment) {
  state_->require_splits();
  state_->shared.moments.split_at(moment);
}

void Recorder::stop(const Wait& wait) {
  state_->require_restarts();
  state_->order([](RecordingSink& sink) { sink.stop_recording(); }, wait);
}

void Recorder::record(const std::string& path, const Wait& wait) {
  state_->require_restarts();
  state_->order([path](RecordingSink& sink) { sink.record_to(path); }, wait);
}

const RecordOptions& Recorder::options() const {
  return state_->options;
}

RecordStatus Recorder::status() const {
  std::lock_guard lock(state_->shared.mutex);
  RecordStatus status = state_->shared.status;
  status.is_paused = state_->shared.moments.is_paused();
  return status;
}

}  // namespace kitbag
