#include "storage/sqlite3/lost_rows.h"

#include <fmt/format.h>

#include <utility>

namespace kitbag::sqlite3 {

void BadRows::report_to(const OnProblem& on_problem, const PageFile& file) {
  for (const BadRow& row : std::exchange(rows_, {})) {
    report(on_problem,
           file.error(ErrorCode::corrupt, row.page, fmt::format("row {} is not a message", row.id),
                      Loss{.messages = 1}));
  }
}

Error lost_payload(const Error& damage, const MessageRow& message) {
  return {damage.code(), fmt::format("message {}: {}", message.row.id, damage.message()),
          damage.file(), damage.offset(), Loss{.messages = 1}};
}

void Orphans::add(const MessageRow& message) {
  if (count_++ == 0) first_topic_id_ = message.topic_id;
}

void Orphans::report_to(const OnProblem& on_problem, const PageFile& file) {
  if (count_ == 0) return;
  std::uint64_t lost = std::exchange(count_, 0);
  report(on_problem,
         Error(ErrorCode::corrupt,
               fmt::format("{} messages belong to no topic of the bag; the first one's topic has "
                           "the id {}",
                           lost, first_topic_id_),
               file.path(), Error::kNoOffset, Loss{.messages = lost}));
}

}  // namespace kitbag::sqlite3
