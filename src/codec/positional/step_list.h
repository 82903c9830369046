#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "codec/positional/row_program.h"

namespace kitbag::positional {

/// Thrown if a payload takes more than steps.
struct NotSupported {};

/// The most bytes of a block.
inline constexpr std::uint64_t kMostBlockBytes = 1 << 30;

/// The steps of a program while they are written, and what is known of the position in the payload
/// behind them.
class StepList {
 public:
  using Op = RowProgram::Op;
  using Step = RowProgram::Step;

  explicit StepList(std::size_t most_alignment) : most_alignment_(most_alignment) {}

  /// Returns the index of the step. Throws NotSupported: too many.
  std::size_t emit(Step step);
  /// The index of the next step.
  std::uint32_t here() const { return static_cast<std::uint32_t>(steps_.size()); }
  /// Lets `step` jump to the next one, whose position is not known.
  void jump_here(std::size_t step);
  /// Of a loop whose steps begin with `body` and end here: if one of them fills a column, all are
  /// needed.
  void end_loop(std::uint32_t body) {
    if (needed_ > body) needed_ = here();
  }
  /// From here on the position is known modulo `known` only, where it is 0.
  void forget_position(std::size_t known = 1);
  /// Aligns to what numbers of `bytes` bytes are aligned to.
  void align(std::size_t bytes);
  /// Makes room for `bytes` bytes in the block, and returns their offset in it.
  std::uint32_t room(std::uint64_t bytes, std::size_t alignment);
  /// Returns the steps, without those behind the last one that fills a column.
  std::vector<Step> take();

 private:
  static constexpr std::size_t kNone = SIZE_MAX;

  void extend(std::uint64_t bytes);

  std::size_t most_alignment_;
  std::vector<Step> steps_;
  std::size_t needed_ = 0;     ///< steps up to the last one that fills a column
  std::size_t block_ = kNone;  ///< the step that grows by what follows
  // The position is `at_` modulo `known_`. A payload begins aligned.
  std::size_t known_ = 8;
  std::size_t at_ = 0;
};

}  // namespace kitbag::positional
