#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kitbag/error.h"

namespace kitbag {

/// The damage of a bag, collected while it is opened and read, and what it has cost. The same
/// place, which a scan and the reading after it may both meet, counts once.
class KITBAG_API Damage {
 public:
  /// Takes what on_problem is given. True: it is news.
  bool add(const Error& problem);

  /// In the order in which they were found; the first kMostListed of them.
  const std::vector<Error>& problems() const { return problems_; }
  /// All of them.
  std::uint64_t count() const { return problems_.size() + unlisted_; }
  /// Places where messages are lost.
  std::uint64_t losses() const { return losses_; }
  /// Places where nothing is known to be lost, but the bag's index promised something else than was
  /// there: a Loss of no bytes and no messages.
  std::uint64_t differences() const { return differences_; }
  /// Something is lost, or may be: losses() or differences().
  bool is_costly() const { return losses_ + differences_ > 0; }
  /// The first of problems() that has a Loss, or the first of all. There must be one.
  const Error& worst() const;
  /// Messages that are known to be lost.
  std::uint64_t lost_messages() const { return lost_messages_; }
  /// False: more may be lost than lost_messages().
  bool is_exact() const { return is_exact_; }
  /// Bytes of the file in which nothing whole was found.
  std::uint64_t lost_bytes() const { return lost_bytes_; }
  /// Log time that the losses span, where it is known, all together.
  Duration lost_time() const { return lost_time_; }

  /// Enough to tell old problems from new ones, not enough to fill the memory.
  static constexpr std::size_t kMostListed = 10'000;

 private:
  void add(const Loss& loss);

  std::vector<Error> problems_;
  std::set<std::pair<std::uint64_t, std::string>> seen_;  ///< offset and sentence
  std::uint64_t unlisted_ = 0;
  std::uint64_t losses_ = 0;
  std::uint64_t differences_ = 0;
  std::uint64_t lost_messages_ = 0;
  bool is_exact_ = true;
  std::uint64_t lost_bytes_ = 0;
  Duration lost_time_{};
};

}  // namespace kitbag
