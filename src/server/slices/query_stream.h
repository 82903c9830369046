#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>

#include "kitbag/session.h"
#include "server/bags/damage_list.h"
#include "server/bags/open_bags.h"
#include "server/http/message.h"
#include "sql/print.h"

namespace kitbag::server {

/// What an SQL query may cost.
struct QueryLimits {
  Duration work = std::chrono::minutes(10);  ///< of SQLite, not of waiting for the client
  std::uint64_t bytes = UINT64_MAX;          ///< of the answer
};

/// The answer to an SQL query as a body. SQLite cannot pause between two rows that take long, so
/// the query runs on a thread of its own, which waits while the client has not taken the last
/// piece.
class QueryStream final : public BodyStream {
 public:
  QueryStream(OpenBagPtr open, std::string query, sql::AnswerFormat format, QueryLimits limits,
              const Session& session);
  ~QueryStream() override;
  QueryStream(const QueryStream&) = delete;
  QueryStream& operator=(const QueryStream&) = delete;

  /// Waits for the first piece, so that what is wrong with the query is known before the answer
  /// begins. Throws Error: invalid for the query, limit, cancelled, and what reading the bag
  /// throws.
  void begin(const std::stop_token& stop);
  bool next(std::string& text, std::stop_token stop) override;
  /// What the query has met by then that the answer does not cover.
  TextPairs trailers() const override;

 private:
  void run(const OpenBagPtr& open, const std::string& query, sql::AnswerFormat format,
           const Session& session, const std::stop_token& stop);
  void hand_over(std::string_view piece, const std::stop_token& stop);
  void wait_for_piece(std::unique_lock<std::mutex>& lock, const std::stop_token& stop);

  QueryLimits limits_;
  std::uint64_t bytes_ = 0;  ///< handed over so far
  Duration worked_{};
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::string piece_;  ///< empty: the client has it
  bool is_done_ = false;
  DamageList damage_;
  std::exception_ptr error_;
  std::jthread thread_;  ///< the last member: it uses the others
};

}  // namespace kitbag::server
