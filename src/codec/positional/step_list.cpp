#include "codec/positional/step_list.h"

#include <algorithm>
#include <utility>

// Fields of fixed size that follow one another form a block, a step whose size grows while they are
// added; their loads have offsets in it. What has an unknown size ends it.
//
// How much padding stands before a number depends on its position, and that is known to the
// compiler only modulo `known_`: modulo 8 at the beginning, modulo 4 behind a count, not at all
// behind a text. If that is enough, padding is bytes of the block and costs nothing when the steps
// run. If it is not, a step aligns and a new block begins, but behind that step the position is
// known again, so a text is followed by one such step and not by one for each number.
//
// Two ways lead to the step behind a jump, so the position is forgotten there, and at the beginning
// of a loop too.
//
// A jump may lead behind the last step that is kept. That ends the run, as it should: nothing
// behind is wanted. The last block ends with its last load, since a payload need not have the bytes
// behind it for the row to be complete.

namespace kitbag::positional {

namespace {

using Op = StepList::Op;
using Step = StepList::Step;

constexpr std::size_t kMostSteps = 10'000;

bool is_load(Op op) {
  return op >= Op::load_1 && op <= Op::check_value;
}

/// Op::add_null is not among them: it fills parts of a structure that has them as children, and
/// stands in front of the add_parent of that structure.
bool fills(Op op) {
  return is_load(op) || op == Op::put_text || op == Op::put_packed || op == Op::put_bytes ||
         op == Op::begin_list || op == Op::add_parent || op == Op::add_nulls;
}

std::uint32_t load_bytes(const Step& step) {
  switch (step.op) {
    case Op::load_1:
    case Op::load_bit:
      return 1;
    case Op::load_2:
      return 2;
    case Op::load_4:
      return 4;
    case Op::check_value:
      return step.b & ~kSigned;
    default:
      return 8;
  }
}

}  // namespace

std::size_t StepList::emit(Step step) {
  if (steps_.size() >= kMostSteps) throw NotSupported();
  steps_.push_back(step);
  if (fills(step.op)) needed_ = here();
  return steps_.size() - 1;
}

void StepList::jump_here(std::size_t step) {
  steps_[step].index = here();
  forget_position();
}

void StepList::forget_position(std::size_t known) {
  block_ = kNone;
  known_ = known;
  at_ = 0;
}

void StepList::extend(std::uint64_t bytes) {
  if (block_ == kNone) block_ = emit({Op::block});
  std::uint64_t size = steps_[block_].a + bytes;
  if (size > kMostBlockBytes) throw NotSupported();
  steps_[block_].a = static_cast<std::uint32_t>(size);
  at_ = (at_ + bytes) % known_;
}

void StepList::align(std::size_t bytes) {
  std::size_t to = std::min(bytes, most_alignment_);
  if (to <= 1) return;
  if (known_ >= to) {
    std::size_t past = at_ % to;
    if (past > 0) extend(to - past);
    return;
  }
  emit({Op::align, static_cast<std::uint32_t>(to)});
  forget_position(to);
}

std::uint32_t StepList::room(std::uint64_t bytes, std::size_t alignment) {
  align(alignment);
  if (block_ == kNone) block_ = emit({Op::block});
  std::uint32_t offset = steps_[block_].a;
  extend(bytes);
  return offset;
}

std::vector<Step> StepList::take() {
  steps_.resize(needed_);
  std::size_t first = steps_.size();
  while (first > 0 && (is_load(steps_[first - 1].op) || steps_[first - 1].op == Op::add_parent)) {
    --first;
  }
  if (first > 0 && steps_[first - 1].op == Op::block) {
    std::uint32_t used = 0;
    for (std::size_t i = first; i < steps_.size(); ++i) {
      if (is_load(steps_[i].op)) used = std::max(used, steps_[i].a + load_bytes(steps_[i]));
    }
    steps_[first - 1].a = used;
  }
  return std::move(steps_);
}

}  // namespace kitbag::positional
