#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include "base/path.h"
#include "kitbag/text.h"
#include "kitbag/upload.h"
#include "live/upload/transfer.h"
#include "live/upload/upload_journal.h"
#include "live/upload/upload_queue.h"

// What is uploaded is decided by comparing with the target, so there is no state that could be
// wrong after a power loss; a journal in the folder spares the comparison of files that were
// compared before.
//
// One thread sends one file after the other. After a failure it waits, each time twice as long, and
// goes on with the next file, so that one that cannot be read does not keep the others back. It
// never gives up: a robot without a network for days records on, and nothing that waits is deleted.
//
// The thread may be held for long in a call of a file system whose network is silent. So status()
// and all others only take the lock, which is never held while a file is asked for anything.

namespace kitbag {
namespace {

constexpr std::chrono::seconds kFirstRetry{1};
constexpr std::chrono::seconds kLongestRetry{300};
/// How long the beginning waits for the target's first answer.
constexpr std::chrono::seconds kPatience{5};
/// Between two writes of the journal while there is more to upload.
constexpr std::chrono::seconds kJournalPeriod{10};

Duration delay_after(int failures) {
  return std::min<Duration>(kFirstRetry * (1 << std::min(failures - 1, 10)), kLongestRetry);
}

/// It does not pass by itself: the caller must change something.
bool is_refusal(const Error& error) {
  switch (error.code()) {
    case ErrorCode::invalid:
    case ErrorCode::not_found:
    case ErrorCode::unsupported:
    case ErrorCode::locked:
      return true;
    default:
      return false;
  }
}

}  // namespace

struct Uploader::State {
  State(const UploadOptions& options, const Session& given)
      : session(given),
        clock(given.clock()),
        transfer({options.target, upload_names(options)}, options.bytes_per_second, given,
                 [this](const Error& report) { tell(report); }) {}

  void tell(const Error& report) {
    std::lock_guard lock(mutex);
    reports.push_back(report);
  }

  void work(const std::stop_token& stop);
  void check(const std::stop_token& stop);
  void upload(UploadQueue::Item& item, const std::stop_token& stop);
  void settle(UploadQueue::Item& item, const std::stop_token& stop);
  UploadJournal& journal_of(const std::string& folder);
  void save_journals();
  void forget_gone_files();

  // With the lock held:
  void fail(const std::string& why);
  void succeed();

  Session session;
  ClockPtr clock;
  Transfer transfer;                              ///< of the thread
  std::map<std::string, UploadJournal> journals;  ///< of the thread; by folder
  SteadyTime next_save = SteadyTime::min();       ///< of the thread
  std::size_t most_verified = 1024;               ///< of the thread; then it looks for gone files

  mutable std::mutex mutex;
  std::condition_variable_any changed;
  UploadQueue queue;
  std::map<std::string, FileStatus> verified;  ///< by path
  bool is_checked = false;
  std::optional<Error> refusal;  ///< of the first check
  bool is_late = false;          ///< it has begun without an answer
  bool is_finishing = false;
  bool is_woken = false;
  int failures = 0;  ///< in a row
  SteadyTime next_try = SteadyTime::min();
  std::optional<SteadyTime> failing_since;
  std::uint64_t sent = 0;  ///< of the current file
  UploadStatus counts;
  std::vector<Error> reports;
  std::vector<UploadedFile> uploaded;
  std::jthread thread;  ///< last: it ends before what it uses
};

void Uploader::State::fail(const std::string& why) {
  ++failures;
  next_try = clock->steady() + delay_after(failures);
  counts.failure = why;
  counts.current.clear();
  sent = 0;
}

void Uploader::State::succeed() {
  failures = 0;
  counts.failure.clear();
  if (failing_since) {
    Duration lasted = clock->steady() - *failing_since;
    reports.emplace_back(ErrorCode::remark,
                         fmt::format("uploads go on, after {}", format_duration(lasted)));
  }
  failing_since.reset();
  is_late = false;
}

/// The lock is not held. What the target says now decides whether a recording begins at all.
void Uploader::State::check(const std::stop_token& stop) {
  std::optional<Error> failure;
  try {
    transfer.check();
  } catch (const Error& error) {
    failure = error;
  } catch (const std::exception& error) {
    failure = Error(ErrorCode::io, error.what());
  }
  if (stop.stop_requested()) return;
  std::lock_guard lock(mutex);
  is_checked = true;
  if (!failure) {
    if (is_late) succeed();
  } else if (is_refusal(*failure) && !is_late) {
    refusal = failure;
  } else {
    bool is_told = failing_since && !is_refusal(*failure);
    if (!failing_since) failing_since = clock->steady();
    fail(failure->what());
    if (!is_told) {
      reports.emplace_back(
          failure->code(),
          fmt::format("uploads fail: {}; kitbag tries again until they succeed", failure->what()));
    }
  }
  changed.notify_all();
}

void Uploader::State::work(const std::stop_token& stop) {
  check(stop);
  std::unique_lock lock(mutex);
  while (!stop.stop_requested()) {
    changed.notify_all();
    UploadQueue::Item* item = queue.first();
    SteadyTime now = clock->steady();
    // Files are looked at for the journal, which may take long, so without the lock; add() may come
    // in.
    if (!item || now >= next_save) {
      lock.unlock();
      save_journals();
      next_save = now + kJournalPeriod;
      lock.lock();
      if (!item && queue.first()) continue;
    }
    if (!item || now < next_try) {
      clock->wait(lock, changed, {stop, item ? next_try : kNever}, [this] { return is_woken; });
      is_woken = false;
      continue;
    }
    counts.current = item->path;
    sent = 0;
    lock.unlock();
    settle(*item, stop);
    lock.lock();
  }
  lock.unlock();
  save_journals();
}

/// The lock is not held; the item stays, since only this thread removes items.
void Uploader::State::settle(UploadQueue::Item& item, const std::stop_token& stop) {
  std::optional<Error> failure;
  try {
    upload(item, stop);
    return;
  } catch (const Error& error) {
    failure = error;
  } catch (const std::exception& error) {  // no memory
    failure = Error(ErrorCode::io, error.what());
  }
  if (stop.stop_requested()) return;
  std::lock_guard lock(mutex);
  fail(failure->what());
  // An error of the file itself is reported once for each file, one of the target once until
  // uploads succeed again.
  bool is_source = failure->file() == item.path;
  if (is_source) {
    if (!std::exchange(item.was_told, true)) {
      reports.emplace_back(failure->code(), "cannot be uploaded: " + failure->message(), item.path);
    }
  } else if (!failing_since) {
    failing_since = clock->steady();
    reports.emplace_back(
        failure->code(),
        fmt::format("uploads fail: {}; files that wait: {}; kitbag tries again until they succeed",
                    failure->what(), queue.files()));
  }
  queue.put_last(&item);
}

void Uploader::State::upload(UploadQueue::Item& item, const std::stop_token& stop) {
  const UploadFile& file = item.file;
  auto local = session.file_system(item.path)->status(item.path);
  if (!local || !local->is_regular) {
    std::lock_guard lock(mutex);
    reports.emplace_back(ErrorCode::not_found, "was removed before it was uploaded", item.path);
    counts.current.clear();
    queue.remove(&item);
    return;
  }
  UploadJournal& journal = journal_of(file.folder);
  std::string pattern = transfer.place();
  // The same name may lead elsewhere by now, and what was there may have been removed.
  std::string known = journal.find(file.name, *local, pattern);
  bool is_known = !known.empty() && transfer.is_there(known, local->size_bytes);
  UploadedFile done;
  if (!is_known) {
    auto on_sent = [this](std::uint64_t bytes) {
      std::lock_guard lock(mutex);
      sent = bytes;
    };
    done = transfer.bring(file, *local, on_sent, stop);
    journal.put(file.name, *local, pattern, done.target);
  }
  std::lock_guard lock(mutex);
  verified[item.path] = *local;
  if (!is_known) {
    ++(done.was_there ? counts.found_files : counts.uploaded_files);
    if (!done.was_there) counts.uploaded_bytes += done.bytes;
    uploaded.push_back(std::move(done));
    succeed();
  }
  counts.current.clear();
  sent = 0;
  queue.remove(&item);
}

UploadJournal& Uploader::State::journal_of(const std::string& folder) {
  auto found = journals.find(folder);
  if (found != journals.end()) return found->second;
  return journals.emplace(folder, UploadJournal(session.file_system(folder), folder)).first->second;
}

void Uploader::State::save_journals() {
  for (auto& [folder, journal] : journals) journal.save();
  forget_gone_files();
}

/// Recordings go on for months, and files that were uploaded are deleted.
void Uploader::State::forget_gone_files() {
  std::vector<std::string> paths;
  {
    std::lock_guard lock(mutex);
    if (verified.size() < most_verified) return;
    for (const auto& [path, status] : verified) paths.push_back(path);
  }
  std::erase_if(paths, [this](const std::string& path) {
    try {
      return session.file_system(path)->status(path).has_value();
    } catch (const Error&) {
      return true;
    }
  });
  std::lock_guard lock(mutex);
  for (const std::string& path : paths) verified.erase(path);
  most_verified = 2 * verified.size() + 1024;
}

Uploader::Uploader(UploadOptions options, const Session& session)
    : state_(std::make_unique<State>(options, session)) {
  State& state = *state_;
  state.thread = std::jthread([&state](const std::stop_token& stop) { state.work(stop); });
  std::unique_lock lock(state.mutex);
  Wait wait{{}, state.clock->steady() + kPatience};
  if (!state.clock->wait(lock, state.changed, wait, [&] { return state.is_checked; })) {
    state.is_late = true;
    state.failing_since = state.clock->steady();
    state.counts.failure = "the target does not answer";
    state.reports.emplace_back(
        ErrorCode::io, "the target of uploads does not answer yet; kitbag goes on without it",
        state.transfer.names().fixed_part());
  }
  if (state.refusal) throw Error(*state.refusal);
}

Uploader::~Uploader() = default;

void Uploader::add(const UploadFile& file) {
  std::string path = join(file.folder, file.name);
  auto there = state_->session.file_system(path)->status(path);
  std::lock_guard lock(state_->mutex);
  auto known = state_->verified.find(path);
  if (known != state_->verified.end() && there && known->second == *there) return;
  if (!state_->queue.add(file, path, there ? there->size_bytes : 0)) return;
  state_->is_woken = true;
  state_->changed.notify_all();
}

bool Uploader::is_uploaded(const std::string& path) const {
  FileStatus known;
  {
    std::lock_guard lock(state_->mutex);
    auto found = state_->verified.find(path);
    if (found == state_->verified.end()) return false;
    known = found->second;
  }
  return state_->session.file_system(path)->status(path) == known;
}

UploadStatus Uploader::status() const {
  std::lock_guard lock(state_->mutex);
  UploadStatus status = state_->counts;
  status.waiting_files = state_->queue.files();
  status.waiting_bytes = state_->queue.bytes() - std::min(state_->sent, state_->queue.bytes());
  if (state_->failing_since) status.failing = state_->clock->steady() - *state_->failing_since;
  return status;
}

bool Uploader::finish(const Wait& wait) {
  std::unique_lock lock(state_->mutex);
  if (!std::exchange(state_->is_finishing, true)) {
    // The end does not wait for the rest of a delay of minutes: one attempt is made at once.
    state_->next_try = SteadyTime::min();
    state_->is_woken = true;
    state_->changed.notify_all();
  }
  return state_->clock->wait(lock, state_->changed, wait, [this] { return state_->queue.empty(); });
}

std::vector<Error> Uploader::take_reports() {
  std::lock_guard lock(state_->mutex);
  return std::exchange(state_->reports, {});
}

std::vector<UploadedFile> Uploader::take_uploaded() {
  std::lock_guard lock(state_->mutex);
  return std::exchange(state_->uploaded, {});
}

}  // namespace kitbag
