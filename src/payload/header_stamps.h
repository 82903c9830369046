#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "kitbag/error.h"
#include "kitbag/message.h"
#include "kitbag/session.h"

namespace kitbag {

/// Reads `header.stamp` of messages of any channels of one source. One thread.
class HeaderStamps {
 public:
  /// `on_problem` is called with the first message, or definition, that cannot be decoded, and may
  /// be empty.
  HeaderStamps(Session session, OnProblem on_problem);
  ~HeaderStamps();

  /// The stamp of `message`. Absent: its type has none, it was not set (zero), or the message
  /// cannot be decoded. Throws Error that is final (is_final()).
  std::optional<Time> of(const Message& message);

 private:
  class Taker;
  class Reader;

  /// Null: messages of the channel have no stamp.
  Reader* reader_of(const Channel& channel);
  void report_once(const Error& error);

  Session session_;
  OnProblem on_problem_;
  bool has_reported_ = false;
  std::vector<bool> are_known_;                   ///< by slot
  std::vector<std::unique_ptr<Reader>> readers_;  ///< by slot
};

}  // namespace kitbag
