#include "columns/row_run.h"

#include <algorithm>
#include <utility>

// One thread at a time works on a run, since its columns are filled in order; which one may change
// with each portion. The caller's thread helps where it would wait otherwise. One mutex is for all
// runs of a table: the caller waits for any of them to change, and the limit of memory is for all
// of them. It is not held while rows are made or messages are released.
//
// A new channel changes what all fillers share, so takes() first waits until nobody works on the
// run. For messages of known channels no lock is needed.

namespace kitbag {

std::size_t Portion::held_bytes() const {
  return std::max(batch.pinned(), batch.payload()) + batch.messages().size() * sizeof(Message);
}

void Portion::fill(RowFiller& filler, std::uint64_t batch_rows) {
  auto messages = std::as_const(batch).messages();
  while (at < messages.size()) {
    bool has_end = ended < ends.size();
    std::size_t end = has_end ? ends[ended] : messages.size();
    filler.add(messages.first(end), at, batch_rows);
    if (at < end) return;
    if (!has_end) continue;
    ++ended;
    filler.weigh();
    if (filler.is_full(batch_rows)) return;
  }
}

RowRun::RowRun(std::unique_ptr<RowFiller> filler, std::uint64_t batch_rows,
               std::shared_ptr<RunState> state)
    : filler_(std::move(filler)), batch_rows_(batch_rows), state_(std::move(state)) {
  filler_->report_to(&report_);
}

bool RowRun::takes(const Channel& channel) {
  if (filler_->is_known(channel)) return filler_->takes(channel);
  std::unique_lock lock(state_->mutex);
  state_->changed.wait(lock, [this] { return !is_working_; });
  return filler_->takes(channel);
}

void RowRun::give(Portion portion, ThreadPool& pool) {
  Portions given;
  given.push_back(std::move(portion));
  std::lock_guard lock(state_->mutex);
  state_->held_bytes += given.front().held_bytes();
  waiting_.splice(waiting_.end(), given);
  if (!can_work() || is_posted_) return;
  pool.post([self = shared_from_this()] { self->work(); });
  is_posted_ = true;
}

void RowRun::make_first() {
  std::unique_lock lock(state_->mutex);
  is_first_ = true;
  release(decoded_, lock);
}

bool RowRun::help() {
  std::unique_lock lock(state_->mutex);
  if (!can_work()) return false;
  work_on_next(lock);
  return true;
}

bool RowRun::is_done() const {
  std::lock_guard lock(state_->mutex);
  return !is_working_ && waiting_.empty() && !error_;
}

bool RowRun::has_stopped() const {
  std::lock_guard lock(state_->mutex);
  return !is_working_ && has_stopped_ && (error_ || !waiting_.empty());
}

void RowRun::stop() {
  std::lock_guard lock(state_->mutex);
  has_stopped_ = true;
}

void RowRun::wait() {
  std::unique_lock lock(state_->mutex);
  state_->changed.wait(lock, [this] { return !is_working_; });
}

Portions RowRun::take_portions() {
  std::lock_guard lock(state_->mutex);
  Portions all = std::move(decoded_);
  all.splice(all.end(), waiting_);
  for (const Portion& each : all) state_->held_bytes -= each.held_bytes();
  return all;
}

void RowRun::work() {
  std::unique_lock lock(state_->mutex);
  is_posted_ = false;
  while (can_work()) work_on_next(lock);
}

void RowRun::work_on_next(std::unique_lock<std::mutex>& lock) {
  Portions next;
  next.splice(next.end(), waiting_, waiting_.begin());
  is_working_ = true;
  lock.unlock();
  Portion& portion = next.front();
  std::exception_ptr error;
  try {
    portion.fill(*filler_, batch_rows_);
  } catch (...) {
    error = std::current_exception();
  }
  bool is_full = filler_->is_full(batch_rows_);
  lock.lock();
  if (error || is_full) has_stopped_ = true;
  error_ = std::move(error);
  if (!portion.is_used_up()) {
    waiting_.splice(waiting_.begin(), next);
  } else if (is_first_) {
    release(next, lock);
  } else {
    decoded_.splice(decoded_.end(), next);
  }
  is_working_ = false;
  state_->changed.notify_all();
}

/// Memory is given back while others go on.
void RowRun::release(Portions& portions, std::unique_lock<std::mutex>& lock) {
  for (const Portion& each : portions) state_->held_bytes -= each.held_bytes();
  Portions released = std::move(portions);
  lock.unlock();
  released.clear();
  lock.lock();
}

}  // namespace kitbag
