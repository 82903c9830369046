#include "server/slices/query_stream.h"

#include <algorithm>
#include <utility>

#include "kitbag/error.h"
#include "server/api/served.h"
#include "sql/database.h"

// Two threads and one piece between them:
//
//   query's thread        rows -> text -> hand_over(), waits until piece_ is empty
//   connection's thread   next() takes piece_, waits until there is another or it is the end
//
// The first piece is awaited before the answer begins, because only then can an error still be a
// status. The limit on time counts how long next() waits, which is how long SQLite works; while the
// client is slow, SQLite waits and nothing is counted. `thread_` is the last member: its
// destruction requests a stop, which SQLite's progress handler and hand_over() see, and joins.

namespace kitbag::server {
namespace {

/// A condition variable cannot wait for all times that a Duration can be.
constexpr Duration kLongestWait = std::chrono::hours(24);

}  // namespace

QueryStream::QueryStream(OpenBagPtr open, std::string query, sql::AnswerFormat format,
                         QueryLimits limits, const Session& session)
    : limits_(limits),
      thread_([this, open = std::move(open), query = std::move(query), format,
               session](const std::stop_token& stop) { run(open, query, format, session, stop); }) {
}

QueryStream::~QueryStream() = default;

void QueryStream::run(const OpenBagPtr& open, const std::string& query, sql::AnswerFormat format,
                      const Session& session, const std::stop_token& stop) {
  std::exception_ptr error;
  try {
    auto set = std::make_shared<sql::BagSet>();
    set->session = session;
    set->bags.push_back({open->entry->name, open->bag});
    set->stop = stop;
    set->is_for_strangers = true;
    auto add = [this](const Error& problem) {
      std::lock_guard lock(mutex_);
      damage_.add(problem);
    };
    set->on_problem = add;
    sql::Database database(set);
    auto answer = database.query(query);
    print(*answer, format, {[&](std::string_view piece) { hand_over(piece, stop); }});
  } catch (...) {
    error = std::current_exception();
  }
  std::lock_guard lock(mutex_);
  error_ = error;
  is_done_ = true;
  changed_.notify_all();
}

void QueryStream::hand_over(std::string_view piece, const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, stop, [&] { return piece_.empty(); });
  throw_if_stopped({stop});
  piece_ = piece;
  changed_.notify_all();
}

void QueryStream::wait_for_piece(std::unique_lock<std::mutex>& lock, const std::stop_token& stop) {
  auto begin = std::chrono::steady_clock::now();
  Duration left = std::min(limits_.work - worked_, kLongestWait);
  bool has_come = changed_.wait_for(lock, stop, left, [&] { return !piece_.empty() || is_done_; });
  worked_ += std::chrono::steady_clock::now() - begin;
  if (has_come) return;
  thread_.request_stop();
  throw_if_stopped({stop});
  throw Error(ErrorCode::limit, "the query takes longer than is allowed");
}

void QueryStream::begin(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  wait_for_piece(lock, stop);
  if (piece_.empty() && error_) std::rethrow_exception(error_);
}

bool QueryStream::next(std::string& text, std::stop_token stop) {
  std::unique_lock lock(mutex_);
  wait_for_piece(lock, stop);
  if (piece_.empty() && error_) std::rethrow_exception(error_);
  bytes_ += piece_.size();
  if (bytes_ > limits_.bytes) throw Error(ErrorCode::limit, "the answer is too large");
  text += std::exchange(piece_, {});
  changed_.notify_all();
  return !is_done_ || error_;
}

TextPairs QueryStream::trailers() const {
  std::lock_guard lock(mutex_);
  if (damage_.sentences().empty()) return {};
  return {{kDamageHeader, json_list(damage_.sentences())}};
}

}  // namespace kitbag::server
