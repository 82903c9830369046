#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <new>
#include <thread>

#include "cli/options/idle_options.h"
#include "cli/options/inputs.h"
#include "cli/options/jobs.h"
#include "cli/terminal/json.h"
#include "cli/terminal/output.h"
#include "cli/terminal/print.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/signals.h"
#include "cli/terminal/terminal_line.h"
#include "cli/verbs.h"
#include "kitbag/rewrite.h"
#include "kitbag/text.h"
#include "kitbag/video.h"

// A job writes one bag. One job alone is the command: its failure is thrown, and its progress is a
// bar. Of many jobs each one ends with a line of its own, whatever becomes of the others, and a sum
// at the end; the progress is how many are done. Jobs share nothing but the session, and what they
// say, which is said under one lock.
//
// The order at the end of a job matters: what a pipe holds behind its messages is read, the target
// is closed, which makes it appear, and only then the damage is reported. The exit code of
// damage is 1 although the target is there, since messages may be missing in it.

namespace kitbag::cli {
namespace {

[[noreturn]] void throw_interrupted(const Job& job, const Target& target) {
  std::string text = job.target.append           ? "interrupted; nothing was appended"
                     : job.target.is_in_place    ? "interrupted; the bag was not changed"
                     : target.files().size() > 1 ? "interrupted; none of the files was written"
                                                 : "interrupted; the bag was not written";
  throw Error(ErrorCode::cancelled, text, target.files().empty() ? job.target.path : target.name());
}

/// A name that is made of an input's may have no extension that says its format.
void choose_format(TargetOptions& target, const Bag& bag, const Session& session) {
  const Summary& summary = bag.summary();
  if (target.write.member_format.empty()) target.write.member_format = summary.member_format;
  if (!target.write.format.empty()) return;
  try {
    static_cast<void>(session.format_for(target.path));
  } catch (const Error&) {
    target.write.format = summary.format;
  }
}

/// The topics of which not all messages are kept, by names and globs.
std::vector<std::string> topics_of(const PayloadOptions& payload) {
  std::vector<std::string> topics;
  for (const Every& every : payload.every) topics.push_back(every.topics);
  for (const Throttle& throttle : payload.throttle) topics.push_back(throttle.topics);
  return topics;
}

/// A pipe cannot be read backwards.
void miss_frames_of_pipe(const Channels& channels, const Session& session, KeyFrameReport& report) {
  for (const ChannelPtr& channel : channels) {
    if (!channel || !has_video(*channel, session)) continue;
    report.missing.emplace(channel->topic,
                           "those before the start cannot be read from a pipe; save the bag to a "
                           "file first");
  }
}

/// What several jobs have in common.
struct Many {
  bool are_many = false;
  bool is_parallel = false;
};

Converted convert_one(const ConvertArguments& arguments, Job job, Many many,
                      const Context& context) {
  SteadyTime start = context.clock.steady();
  Converted result;
  PayloadStages stages(arguments.payload, context);
  const char* recursive = arguments.output.is_each() ? "-r" : "--output-dir DIR and -r";
  Inputs inputs(job.inputs, arguments.reading, context, {.recursive = recursive});
  if (!arguments.output.folder.empty()) {
    choose_format(job.target, *inputs.bags().front(), context.session);
  }
  const std::string about = many.are_many ? job.inputs.front() + ": " : "";
  Query query = make_query(arguments.select, inputs.bags(), about);
  std::uint64_t count = query.count;
  // A bag counts before a condition is seen; then the stages count.
  if (arguments.payload.selects()) query.count = UINT64_MAX;
  require_topics(topics_of(arguments.payload), inputs.bags());
  const bool has_key_frames = arguments.select.with_key_frames;
  auto read = has_key_frames ? inputs.read_from_key_frames(query, result.key_frames, context)
                             : inputs.read(query);
  auto source = renamed(std::move(read), arguments.renames, inputs);
  warn_of_mixed_types(arguments.renames, query.select, inputs, about);
  if (!many.is_parallel) {
    source = watched(std::move(source), expected_messages(query, inputs.bags()), context);
  }
  source = stages.add_to(std::move(source), count);
  Target target(job.target, context);
  result.inputs = job.inputs;
  result.totals = run(*source, target.sink(), context.clock, context.stop);
  if (context.stop.stop_requested()) throw_interrupted(job, target);
  // A file gives what it holds beside messages at once, a pipe as it comes.
  Batch rest;
  rest.channels = source->channels();
  rest.extras = inputs.read_remaining_extras(context.stop);
  stages.change_extras(rest);
  if (!rest.extras.empty()) target.sink().write(std::move(rest));
  target.close();
  result.channels = source->channels();
  source.reset();  // erases the progress bar
  result.name = target.name();
  result.files = target.files();
  result.size_bytes = target.size_bytes();
  if (job.target.is_in_place) result.original = original_path(job.target.path);
  result.taken = context.clock.steady() - start;
  result.code = inputs.warn();
  warn_of_idle_chunk_sizes(job.target.write.topic_chunks, *result.channels, about);
  stages.warn(about);
  bool had_messages = inputs.has_stream() || expected_messages(query, inputs.bags()) > 0;
  if (!arguments.payload.where.empty() && result.totals.messages == 0 && count > 0 &&
      had_messages) {
    print_warning(about + "no message meets the condition");
  }
  if (has_key_frames && inputs.has_stream() && query.begin != Time::min()) {
    miss_frames_of_pipe(*result.channels, context.session, result.key_frames);
  }
  warn_of(result.key_frames, about);
  return result;
}

std::string line_of(const Converted& result) {
  std::string line = fmt::format(
      "{}: {}, {} on disk, {:.2f} s", result.name, describe(result.totals, result.channels),
      format_size(result.size_bytes), std::chrono::duration<double>(result.taken).count());
  if (std::uint64_t frames = result.key_frames.frames; frames > 0) {
    line += fmt::format("; {} of videos from before the start", counted(frames, "frame"));
  }
  if (!result.original.empty()) line += fmt::format("; the original is {}", result.original);
  return line;
}

void print_result(const ConvertArguments& arguments, const Converted& result,
                  const Context& context) {
  if (result.name == "-") return;  // which the bag itself has gone to
  if (arguments.output.as_json) return context.out.write(converted_json(result) + "\n");
  context.out.make_status();
  context.out.line("{}", line_of(result));
}

/// What is said of many jobs, from any of their threads.
class JobsReport {
 public:
  JobsReport(const ConvertArguments& arguments, std::size_t jobs, const Context& context)
      : arguments_(arguments), jobs_(jobs), context_(context), start_(context.clock.steady()) {}

  void add(const Converted& result) {
    std::lock_guard lock(mutex_);
    code_ = std::max(code_, result.code);
    sum_.messages += result.totals.messages;
    size_bytes_ += result.size_bytes;
    ++done_;
    line_.erase();
    print_result(arguments_, result, context_);
    context_.out.flush();
    draw();
  }

  void add_failure(const Job& job, const std::string& text) {
    std::lock_guard lock(mutex_);
    code_ = kFailed;
    ++failed_;
    line_.erase();
    print_error(text);
    if (arguments_.output.as_json) {
      context_.out.write(failed_json(job.inputs, job.target.path, text) + "\n");
      context_.out.flush();
    }
    draw();
  }

  /// Ctrl-C: what is left is not begun.
  void add_interruption() { is_interrupted_ = true; }

  /// From any thread, at any time.
  std::string interruption() const {
    return fmt::format("interrupted; {} of {} written", done_.load(), counted(jobs_, "bag"));
  }

  int finish(Duration taken) {
    line_.erase();
    std::string sum = fmt::format("{}: {} written", counted(jobs_, "bag"), grouped(done_.load()));
    if (failed_ > 0) sum += fmt::format(", {} failed", grouped(failed_));
    if (std::size_t left = jobs_ - done_ - failed_; left > 0) {
      sum += fmt::format(", {} not begun or not completed", grouped(left));
    }
    sum += fmt::format("; {}, {} on disk, {:.2f} s", counted(sum_.messages, "message"),
                       format_size(size_bytes_), std::chrono::duration<double>(taken).count());
    if (!arguments_.output.as_json) {
      context_.out.make_status();
      context_.out.line("{}", sum);
    }
    if (is_interrupted_) {
      throw Error(ErrorCode::cancelled, interruption());
    }
    return code_;
  }

 private:
  void draw() {
    if (!line_.is_watched() || arguments_.output.jobs < 2) return;
    double share = static_cast<double>(done_ + failed_) / static_cast<double>(jobs_);
    line_.draw({.share = share,
                .parts = {{fmt::format("{} of {}", done_.load() + failed_, counted(jobs_, "bag"))},
                          {time_left(context_.clock.steady() - start_, share)}}});
  }

  const ConvertArguments& arguments_;
  std::size_t jobs_;
  const Context& context_;
  SteadyTime start_;
  std::mutex mutex_;
  TerminalLine line_;
  int code_ = kDone;
  Totals sum_;
  std::uint64_t size_bytes_ = 0;
  std::atomic<std::size_t> done_ = 0;
  std::size_t failed_ = 0;
  std::atomic<bool> is_interrupted_ = false;
};

/// The threads of the readers and writers of one job; jobs share the processors.
unsigned share_of(unsigned threads, unsigned jobs) {
  return threads > 0 ? threads : std::max(1U, std::thread::hardware_concurrency() / jobs);
}

int convert_each(const ConvertArguments& arguments, std::vector<Job> jobs, const Context& context) {
  SteadyTime start = context.clock.steady();
  std::vector<std::string> inputs;
  inputs.reserve(jobs.size());
  for (const Job& job : jobs) inputs.push_back(job.inputs.front());
  // Without this, each of -j jobs would start a thread for each processor.
  ConvertArguments shared = arguments;
  unsigned threads = arguments.output.jobs;
  if (threads > 1) {
    shared.reading.threads = share_of(shared.reading.threads, threads);
    for (Job& job : jobs) {
      job.target.write.threads = share_of(job.target.write.threads, threads);
    }
  }
  JobsReport report(arguments, jobs.size(), context);
  Many many{.are_many = true, .is_parallel = threads > 1};
  // A job may be busy with one chunk when Ctrl-C comes, and the process be left; the sum is said
  // all the same.
  LastWords sum(context.signals, [&report] { return report.interruption(); });
  run_jobs(jobs.size(), threads, [&](std::size_t i) {
    const Job& job = jobs[i];
    if (context.stop.stop_requested()) return report.add_interruption();
    try {
      check_target(job.target, inputs, context.session);
      report.add(convert_one(shared, job, many, context));
    } catch (const Error& error) {
      if (context.stop.stop_requested()) return report.add_interruption();
      report.add_failure(job, error_text(error));
    } catch (const std::bad_alloc&) {
      report.add_failure(job, job.inputs.front() + ": out of memory");
    } catch (const std::exception& error) {
      report.add_failure(job, fmt::format("{}: {}", job.inputs.front(), error.what()));
    }
  });
  return report.finish(context.clock.steady() - start);
}

}  // namespace

int convert(const ConvertArguments& arguments, const Context& context) {
  auto jobs = plan_jobs(arguments.output, arguments.inputs, arguments.target, context);
  if (jobs.size() > 1 || arguments.output.is_recursive) {
    return convert_each(arguments, std::move(jobs), context);
  }
  int code = kDone;
  for (const Job& job : jobs) {  // none: only originals were named
    check_target(job.target, job.inputs, context.session);
    Converted result = convert_one(arguments, job, {}, context);
    print_result(arguments, result, context);
    code = result.code;
  }
  return code;
}

}  // namespace kitbag::cli
