#include "flow.h"

#include <pybind11/functional.h>
#include <pybind11/stl.h>

#include <mutex>
#include <optional>
#include <stop_token>

#include "bag.h"
#include "kitbag/pipeline.h"
#include "kitbag/play.h"
#include "kitbag/record.h"
#include "kitbag/text.h"
#include "kitbag/transcode.h"
#include "message_progress.h"
#include "writer.h"

// What takes long: it works on a thread of its own (interruptibly()), while signals are heeded and
// the program's own function is called with the progress about ten times a second. What that
// raises, a KeyboardInterrupt for example, ends the work: a conversion leaves its target as it was;
// a recording completes its file first.

namespace kitbag::python {

namespace {

py::dict convert(const Bags& bags, const std::string& target, const py::dict& options,
                 const Wanted& wanted, const std::string& encoding, const std::string& on_error,
                 const py::object& progress) {
  auto problems = std::make_shared<Problems>();
  WriteOptions how = write_options(options, problems);
  TranscodeReport of_condition;
  TranscodeReport of_encoding;
  OnError on_error_given = on_error_of(on_error);
  MessageProgress told(progress, messages_in(bags));
  auto work = [&](const std::stop_token& stop) {
    auto source = bags.read(wanted, &of_condition);
    if (!encoding.empty()) {
      source = through(
          std::move(source),
          transcode({.encoding = encoding, .on_error = on_error_given, .report = &of_encoding},
                    session()));
    }
    source = told.watched(std::move(source));
    auto writer = session().create(target, how);
    Totals done = run(*source, *writer, *session().clock(), stop);
    throw_if_stopped({.stop = stop});
    writer->close();
    return done;
  };
  Totals totals = interruptibly(work, [&](std::stop_source&) { told.tell(); });
  bags.problems()->warn();
  problems->warn();
  warn_of_losses(of_condition);
  warn_of_losses(of_encoding);
  told.tell_end(totals.messages);
  py::dict result;
  result["messages"] = totals.messages;
  result["bytes"] = totals.bytes;
  return result;
}

py::dict status_dict(const RecordStatus& status) {
  py::dict all;
  all["messages"] = status.messages;
  all["bytes"] = status.bytes;
  all["elapsed_ns"] = status.elapsed.count();
  all["topics"] = status.topics;
  py::list files;
  for (const std::string& file : status.files) files.append(str(file));
  all["files"] = files;
  py::dict dropped;
  for (const auto& [topic, count] : status.dropped) dropped[str(topic)] = count;
  all["dropped"] = dropped;
  all["ended"] = str(status.ended);
  return all;
}

py::dict status_dict(const PlayStatus& status) {
  py::dict all;
  all["messages"] = status.messages;
  all["bytes"] = status.bytes;
  all["position"] = to_ns(status.position);
  all["late_messages"] = status.late_messages;
  all["worst_lateness_ns"] = status.worst_lateness.count();
  return all;
}

/// What recording or playing says of itself, for the program's function: it is called on the thread
/// that has called us, also while the work waits.
template <class Status>
class Progress {
 public:
  explicit Progress(py::object function) : function_(std::move(function)) {}

  /// From the thread that works.
  void put(const Status& status) {
    std::lock_guard lock(mutex_);
    last_ = status;
  }

  /// Calls the function with what is new; if it returns False, the work is to end.
  void tell(std::stop_source& stop) {
    std::optional<Status> news;
    {
      std::lock_guard lock(mutex_);
      news.swap(last_);
    }
    if (!news || function_.is_none()) return;
    if (function_(status_dict(*news)).is(py::bool_(false))) stop.request_stop();
  }

 private:
  py::object function_;
  std::mutex mutex_;
  std::optional<Status> last_;
};

py::dict record(std::vector<std::string> from, const std::string& target, const py::dict& options,
                const Selection& select, const std::optional<std::string>& duration,
                std::optional<std::uint64_t> limit, const py::object& progress) {
  auto problems = std::make_shared<Problems>();
  RecordOptions how;
  how.from = std::move(from);
  how.select = select;
  how.target.path = target;
  how.target.write = write_options(options, problems);
  if (duration) how.duration = parse_duration(*duration);
  how.limit = limit;
  how.on_warning = Problems::collector(problems);
  Progress<RecordStatus> told(progress);
  RecordStatus status = interruptibly(
      [&](const std::stop_token& stop) {
        Recorder recorder(how, session());
        return recorder.run(stop, [&](const RecordStatus& now) { told.put(now); });
      },
      [&](std::stop_source& stop) { told.tell(stop); });
  problems->warn();
  return status_dict(status);
}

py::dict play(const Bags& bags, const std::string& to, const Wanted& wanted, double rate,
              bool loops, const py::object& progress) {
  auto problems = std::make_shared<Problems>();
  Progress<PlayStatus> told(progress);
  PlayOptions how;
  how.rate = rate;
  how.loops = loops;
  auto [first, last] = bags.times(wanted);
  how.begin = first;
  how.end = last;
  TranscodeReport report;
  auto work = [&](const std::stop_token& stop) {
    auto encodings = session().encodings_of(to);
    how.open = [&, encodings](Time begin) {
      Wanted part = wanted;
      if (begin > how.begin) part.start = to_ns(begin);
      auto source = bags.read(part, &report);
      if (encodings.empty()) return source;
      return through(std::move(source), transcode({.encoding = std::string(encodings.front()),
                                                   .on_error = OnError::raw},
                                                  session()));
    };
    try {
      Player player(how, session().publish(to, {stop, Problems::collector(problems)}),
                    session().clock());
      return player.run(stop, [&](const PlayStatus& now) { told.put(now); });
    } catch (const Error& error) {  // stopped while it waited for a subscriber
      if (error.code() != ErrorCode::cancelled || !stop.stop_requested()) throw;
      return PlayStatus{};
    }
  };
  PlayStatus status = interruptibly(work, [&](std::stop_source& stop) { told.tell(stop); });
  problems->warn();
  return status_dict(status);
}

}  // namespace

void add_flows(py::module_& module) {
  module.def("_convert", &convert, py::arg("bags"), py::arg("target"), py::arg("options"),
             py::arg("wanted"), py::arg("encoding"), py::arg("on_error"), py::arg("progress"));
  module.def(
      "_record",
      [](std::vector<std::string> from, const std::string& target, const py::dict& options,
         std::vector<std::string> topics, std::vector<std::string> exclude,
         const std::optional<std::string>& duration, std::optional<std::uint64_t> limit,
         const py::object& progress) {
        return record(std::move(from), target, options,
                      {.topics = std::move(topics), .exclude = std::move(exclude)}, duration, limit,
                      progress);
      },
      py::arg("from"), py::arg("target"), py::arg("options"), py::arg("topics"), py::arg("exclude"),
      py::arg("duration"), py::arg("limit"), py::arg("progress"));
  module.def("_play", &play, py::arg("bags"), py::arg("to"), py::arg("wanted"), py::arg("rate"),
             py::arg("loops"), py::arg("progress"));
}

}  // namespace kitbag::python
