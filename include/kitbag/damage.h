#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "kitbag/error.h"

namespace kitbag {

/// The damage of a bag, collected while the bag is opened and read, and what it has cost. Damage at
/// one place counts once, even if both a scan and a later read report it. One thread at a time.
class KITBAG_API Damage {
 public:
  /// Adds a problem, as passed to OnProblem. Returns true if it is new.
  bool add(const Error& problem);

  /// Returns the problems in the order in which they were found; only the first kMostListed.
  const std::vector<Error>& problems() const { return problems_; }
  /// Returns the number of all problems.
  std::uint64_t count() const { return problems_.size() + unlisted_; }
  /// Returns the number of places where messages or bytes are lost, or may be.
  std::uint64_t losses() const { return losses_; }
  /// Returns the number of places where nothing is known to be lost, but the bag's index does not
  /// match the content: a Loss with no bytes and no messages.
  std::uint64_t differences() const { return differences_; }
  /// Returns whether something is or may be lost: losses() or differences().
  bool is_costly() const { return losses_ + differences_ > 0; }
  /// Returns the first of problems() that has a Loss, or else the first one. There must be a
  /// problem.
  const Error& worst() const;
  /// Returns the number of messages that are known to be lost.
  std::uint64_t lost_messages() const { return lost_messages_; }
  /// Returns false if more messages than lost_messages() may be lost.
  bool is_exact() const { return is_exact_; }
  /// Returns the number of bytes in the file in which nothing intact was found.
  std::uint64_t lost_bytes() const { return lost_bytes_; }
  /// Returns the sum of the log times that the losses span, as far as it is known.
  Duration lost_time() const { return lost_time_; }

  /// The most problems that are listed: enough to recognize repeated ones, with bounded memory.
  static constexpr std::size_t kMostListed = 10'000;

 private:
  void add(const Loss& loss);

  std::vector<Error> problems_;
  std::set<std::tuple<std::string, std::uint64_t, std::string>> seen_;  ///< file, offset, sentence
  std::uint64_t unlisted_ = 0;
  std::uint64_t losses_ = 0;
  std::uint64_t differences_ = 0;
  std::uint64_t lost_messages_ = 0;
  bool is_exact_ = true;
  std::uint64_t lost_bytes_ = 0;
  Duration lost_time_{};
};

}  // namespace kitbag
