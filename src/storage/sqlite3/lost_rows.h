#pragma once

#include <cstdint>
#include <vector>

#include "storage/sqlite3/message_row.h"
#include "storage/sqlite3/pages/pages.h"

// What costs single messages, in the words of readers and of `kitbag check` alike: damage that both
// find counts once.

namespace kitbag::sqlite3 {

/// Rows of the table of messages that are not messages. They are reported at the end: if all pages
/// are searched meanwhile, that search counts them with everything else that is missing.
class BadRows {
 public:
  void add(const Row& row) { rows_.push_back({row.id, row.page}); }
  void clear() { rows_.clear(); }
  /// Reports what was added since the last call.
  void report_to(const OnProblem& on_problem, const PageFile& file);

 private:
  struct BadRow {
    std::int64_t id;
    std::uint32_t page;
  };
  std::vector<BadRow> rows_;
};

/// The payload of `message` cannot be read, because of `damage`.
Error lost_payload(const Error& damage, const MessageRow& message);

/// Messages whose topic the bag does not have.
class Orphans {
 public:
  void add(const MessageRow& message);
  /// Tells what was added since the last call.
  void report_to(const OnProblem& on_problem, const PageFile& file);

 private:
  std::uint64_t count_ = 0;
  std::int64_t first_topic_id_ = 0;
};

}  // namespace kitbag::sqlite3
