#include "columns/column_reader.h"

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <deque>
#include <exception>
#include <utility>
#include <vector>

#include "columns/row_filler.h"
#include "columns/row_run.h"
#include "kitbag/error.h"

// One thread reads messages and makes rows of them, batch after batch. With more threads, the
// caller's reads on, and others make the rows: it gives the messages to runs, each as many as a
// batch has rows, and a run becomes a batch without being copied.
//
// Batches must be the same in both ways, but where a batch ends is not known before its messages
// have become rows: some may be left out, or the columns become too large, or there is an error. So
// a run is a guess that is right nearly always. A run whose result is something else than a full
// batch becomes the batch that the caller's thread works on, the messages of all later runs are
// read again behind it, and it is some batches until runs begin anew. For that, all runs but the
// first keep their messages; those of the first are released as soon as they are rows.
//
// The first batch is made on the caller's thread: a table with few rows costs nothing more. It
// shows how long decoding takes, too. To give messages to another thread, to read them there from
// memory that this one has written, and to fill more memory at a time costs about 100 ns a message.
// Unless decoding takes several times as long, little is gained for that (decisions/019).

namespace kitbag {

namespace {

/// Of messages that runs hold.
constexpr std::size_t kMostHeldBytes = 64 << 20;
/// A portion is worth a thread's attention with this many bytes or messages.
constexpr std::size_t kPortionBytes = 1 << 20;
constexpr std::size_t kPortionMessages = 4096;

/// Of a message, on one core, and of each byte of its row in addition: what takes less is not worth
/// other threads. Copying a large message takes less, even into memory that was never touched.
constexpr double kLeastDecodingNs = 400;
constexpr double kLeastDecodingNsPerByte = 1;
/// One in so many batches of the source is timed.
constexpr std::uint64_t kBatchesPerSample = 16;

std::int64_t thread_cpu_ns() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

class ColumnReader final : public Columns {
 public:
  ColumnReader(std::unique_ptr<Source> source, ColumnPlan plan, const ColumnsRequest& request,
               const Session& session)
      : source_(std::move(source)),
        context_(std::move(plan), request, session),
        request_(context_.request()),
        clock_(session.clock()),
        filler_(std::make_unique<RowFiller>(context_, request_.report)),
        batch_rows_(request_.first_batch_rows > 0
                        ? std::min(request_.first_batch_rows, request_.batch_rows)
                        : request_.batch_rows),
        threads_(thread_count(request_.threads)) {
    if (request_.batch_rows == 0) throw Error(ErrorCode::invalid, "a batch of 0 rows has no end");
  }

  /// Jobs that were posted may still refer to the runs, but not to what these worked with.
  ~ColumnReader() override {
    stop_runs();
    for (const auto& run : runs_) run->take_portions(), run->take_filler(), run->take_error();
  }

  void schema(ArrowSchema* out) const override { export_schema(context_.plan().table, out); }

  bool next(ArrowArray* out, const Wait& wait) override {
    out->release = nullptr;
    if (!runs_.empty() || can_begin_runs(wait)) {
      if (next_of_runs(out, wait)) return true;
    }
    return next_alone(out, wait);
  }

 private:
  bool next_alone(ArrowArray* out, const Wait& wait) {
    bool is_end = false;
    while (!is_end && !filler_->is_full(batch_rows_)) {
      throw_if_stopped(wait);
      if (!pending_.empty()) {
        add_pending();
        continue;
      }
      if (at_ < batch_.messages().size()) {
        add_read();
        continue;
      }
      is_end = !read(wait);
      if (batch_.messages().empty() && clock_->steady() >= wait.until) break;
    }
    if (filler_->rows() == 0 && is_end) return false;
    filler_->hand_over(out);
    batch_rows_ = batch_rows_ < request_.batch_rows / 2 ? batch_rows_ * 2 : request_.batch_rows;
    ++batches_;
    return true;
  }

  void add_read() {
    bool is_sample =
        threads_ > 1 && request_.threads == 0 && ++source_batches_ % kBatchesPerSample == 0;
    std::int64_t begin_ns = is_sample ? thread_cpu_ns() : 0;
    std::size_t begin = at_;
    std::uint64_t begin_bytes = filler_->bytes();
    filler_->add(std::as_const(batch_).messages(), at_, batch_rows_);
    filler_->weigh();
    if (!is_sample) return;
    sampled_ns_ += thread_cpu_ns() - begin_ns;
    sampled_messages_ += at_ - begin;
    sampled_bytes_ += filler_->bytes() - begin_bytes;
  }

  void add_pending() {
    pending_.front().fill(*filler_, batch_rows_);
    if (pending_.front().is_used_up()) pending_.pop_front();
  }

  /// Reads the next messages into `batch_`, all others of which have become rows.
  bool read(const Wait& wait) {
    batch_.clear();
    at_ = 0;
    if (source_error_) std::rethrow_exception(std::exchange(source_error_, nullptr));
    return !is_at_end_ && source_->read(batch_, wait);
  }

  bool can_begin_runs(const Wait& wait) const {
    return threads_ > 1 && wait.until == kNever && !is_at_end_ && batches_ >= first_run_at_ &&
           batch_rows_ == request_.batch_rows && pending_.empty() && filler_->rows() == 0 &&
           (request_.threads > 0 || is_decoding_slow());
  }

  bool is_decoding_slow() const {
    double least_ns = kLeastDecodingNs * static_cast<double>(sampled_messages_) +
                      kLeastDecodingNsPerByte * static_cast<double>(sampled_bytes_);
    return sampled_messages_ > 0 && static_cast<double>(sampled_ns_) >= least_ns;
  }

  /// False: the rest of the batch is for next_alone().
  bool next_of_runs(ArrowArray* out, const Wait& wait) {
    while (wait.until == kNever) {
      throw_if_stopped(wait);
      if (!runs_.empty() && runs_.front()->has_stopped()) break;
      bool is_one_complete = runs_.size() > 1 || (runs_.size() == 1 && !has_open_run_);
      if (is_one_complete && runs_.front()->is_done()) {
        if (!runs_.front()->filler().is_full(request_.batch_rows)) break;
        hand_over(out);
        return true;
      }
      if (!has_ended() && has_room()) {
        if (!give_messages(wait)) break;
      } else if (is_one_complete || (!runs_.empty() && !runs_.front()->is_done())) {
        if (!runs_.front()->help()) wait_for_runs();
      } else {
        break;
      }
    }
    give_up_runs();
    return false;
  }

  bool has_ended() const { return is_at_end_ || source_error_; }

  bool has_room() const {
    if (!has_open_run_ && runs_.size() > threads_) return false;
    std::lock_guard lock(state_->mutex);
    return state_->held_bytes < kMostHeldBytes;
  }

  /// Until a change of the first run, or until there is room for more messages.
  void wait_for_runs() {
    const RowRun& first = *runs_.front();
    bool may_give = !has_ended() && (has_open_run_ || runs_.size() <= threads_);
    std::unique_lock lock(state_->mutex);
    state_->changed.wait(lock, [&] {
      return !first.is_working() || (may_give && state_->held_bytes < kMostHeldBytes);
    });
  }

  /// Gives a batch of the source to the last run. False: this cannot be done in a run.
  bool give_messages(const Wait& wait) {
    if (at_ == batch_.messages().size() && !read_ahead(wait)) return true;
    if (at_ > 0) {
      Batch used;
      used.take_front(batch_, at_);
      at_ = 0;
    }
    if (!pool_) pool_ = shared_threads();
    if (!has_open_run_) begin_run();
    RowRun& run = *runs_.back();
    try {
      batch_.drop_if([&](const Message& message) { return !run.takes(*message.channel); });
    } catch (const Error&) {
      return false;  // it is thrown again when these messages are reached
    }
    batch_.extras.clear();
    std::size_t room = request_.batch_rows - open_messages_;
    std::size_t count = std::min(room, batch_.messages().size());
    open_.batch.take_front(batch_, count);
    open_messages_ += count;
    if (batch_.messages().empty()) open_.ends.push_back(open_.batch.messages().size());
    bool is_complete = open_messages_ == request_.batch_rows;
    if (is_complete || open_.held_bytes() >= kPortionBytes ||
        open_.batch.messages().size() >= kPortionMessages) {
      give_portion();
    }
    has_open_run_ = !is_complete;
    return true;
  }

  /// False: there are no messages.
  bool read_ahead(const Wait& wait) {
    try {
      is_at_end_ = !read(wait);
    } catch (...) {
      source_error_ = std::current_exception();
    }
    if (has_ended() && has_open_run_) give_portion();
    return !batch_.messages().empty();
  }

  void begin_run() {
    std::unique_ptr<RowFiller> filler;
    if (idle_.empty()) {
      filler = std::make_unique<RowFiller>(context_, nullptr);
    } else {
      filler = std::move(idle_.back());
      idle_.pop_back();
    }
    runs_.push_back(std::make_shared<RowRun>(std::move(filler), request_.batch_rows, state_));
    has_open_run_ = true;
    open_messages_ = 0;
    if (runs_.size() == 1) runs_.front()->make_first();
  }

  void give_portion() {
    if (!open_.batch.empty()) runs_.back()->give(std::move(open_), *pool_);
    open_ = {};
  }

  void hand_over(ArrowArray* out) {
    RowRun& run = *runs_.front();
    add_report(run.report());
    run.filler().hand_over(out);
    idle_.push_back(run.take_filler());
    runs_.pop_front();
    if (!runs_.empty()) runs_.front()->make_first();
    ++batches_;
  }

  /// The first run becomes the batch that is filled here, and all messages behind it wait.
  void give_up_runs() {
    if (has_open_run_) give_portion();
    has_open_run_ = false;
    std::exception_ptr error;
    stop_runs();
    for (bool is_first = true; !runs_.empty(); is_first = false) {
      RowRun& run = *runs_.front();
      Portions portions = run.take_portions();
      std::unique_ptr<RowFiller> filler = run.take_filler();
      std::exception_ptr own_error = run.take_error();
      if (is_first) {
        error = std::move(own_error);
        add_report(run.report());
        filler->report_to(request_.report);
        std::swap(filler, filler_);
      } else {
        for (Portion& each : portions) each.rewind();
        filler->clear();
      }
      pending_.splice(pending_.end(), portions);
      idle_.push_back(std::move(filler));
      runs_.pop_front();
    }
    first_run_at_ = batches_ + pause_batches_;
    pause_batches_ *= 2;
    if (error) std::rethrow_exception(error);
  }

  void stop_runs() {
    for (const auto& run : runs_) run->stop();
    for (const auto& run : runs_) run->wait();
  }

  void add_report(TranscodeReport& from) {
    if (request_.report) {
      for (auto& [name, topic] : from.topics) {
        TranscodeReport::Topic& to = request_.report->topics[name];
        to.skipped += topic.skipped;
        to.raw += topic.raw;
        to.replaced_texts += topic.replaced_texts;
        if (to.first_error.empty()) to.first_error = std::move(topic.first_error);
      }
    }
    from.topics.clear();
  }

  std::unique_ptr<Source> source_;
  TableContext context_;
  const ColumnsRequest& request_;
  ClockPtr clock_;
  std::unique_ptr<RowFiller> filler_;
  Batch batch_;
  std::size_t at_ = 0;        ///< the next message of `batch_`
  std::uint64_t batch_rows_;  ///< of this batch
  std::uint64_t batches_ = 0;

  unsigned threads_;
  std::shared_ptr<ThreadPool> pool_;
  std::shared_ptr<RunState> state_ = std::make_shared<RunState>();
  std::deque<std::shared_ptr<RowRun>> runs_;
  std::vector<std::unique_ptr<RowFiller>> idle_;
  bool has_open_run_ = false;        ///< the last one takes more messages
  std::uint64_t open_messages_ = 0;  ///< that it has been given
  Portion open_;                     ///< its next one
  Portions pending_;                 ///< to be read before `batch_`
  std::uint64_t source_batches_ = 0;
  std::int64_t sampled_ns_ = 0;
  std::uint64_t sampled_messages_ = 0;
  std::uint64_t sampled_bytes_ = 0;  ///< of their rows
  bool is_at_end_ = false;
  std::exception_ptr source_error_;
  std::uint64_t first_run_at_ = 1;   ///< the batch
  std::uint64_t pause_batches_ = 2;  ///< until runs begin again
};

}  // namespace

std::unique_ptr<Columns> make_column_reader(std::unique_ptr<Source> source, ColumnPlan plan,
                                            const ColumnsRequest& request, const Session& session) {
  return std::make_unique<ColumnReader>(std::move(source), std::move(plan), request, session);
}

}  // namespace kitbag
