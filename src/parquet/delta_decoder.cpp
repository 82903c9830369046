#include "parquet/delta_decoder.h"

#include <algorithm>

#include "parquet/page_bytes.h"
#include "parquet/run_decoder.h"

// A block begins with its smallest difference and the widths of its parts; the parts follow. The
// last block may end early: parts behind the last value are not there, whatever their widths say.

namespace kitbag::parquet {

namespace {

constexpr std::uint64_t kMostBlock = 1 << 20;
constexpr unsigned kMostDeltaBits = 64;

[[noreturn]] void fail_deltas() {
  fail_corrupt("malformed differences in a page of a column");
}

}  // namespace

DeltaDecoder::DeltaDecoder(ByteView bytes) : bytes_(bytes) {
  block_values_ = take_unsigned(bytes_);
  std::uint64_t parts = take_unsigned(bytes_);
  count_ = left_ = take_unsigned(bytes_);
  value_ = static_cast<std::uint64_t>(take_signed(bytes_));
  if (block_values_ == 0 || block_values_ > kMostBlock || parts == 0 || parts > block_values_ ||
      block_values_ % parts != 0) {
    fail_deltas();
  }
  part_values_ = block_values_ / parts;
  if (part_values_ % 8 != 0) fail_deltas();
}

void DeltaDecoder::next_block() {
  least_ = static_cast<std::uint64_t>(take_signed(bytes_));
  std::size_t parts = block_values_ / part_values_;
  if (parts > bytes_.size()) fail_truncated();
  widths_ = bytes_.first(parts);
  bytes_ = bytes_.subspan(parts);
}

void DeltaDecoder::next_part() {
  if (widths_.empty()) next_block();
  width_ = std::to_integer<unsigned>(widths_.front());
  widths_ = widths_.subspan(1);
  if (width_ > kMostDeltaBits) fail_deltas();
  std::size_t size = part_values_ * width_ / 8;
  // Only the values that there are need to be.
  std::size_t least = (std::min(left_, part_values_) * width_ + 7) / 8;
  if (least > bytes_.size()) fail_truncated();
  bits_ = bytes_.first(std::min(size, bytes_.size()));
  bytes_ = bytes_.subspan(bits_.size());
  bit_ = 0;
  part_left_ = part_values_;
}

std::uint64_t DeltaDecoder::next() {
  if (left_ == 0) fail_truncated();
  // The first value is in the header, and no difference leads to it.
  if (is_first_) {
    is_first_ = false;
    --left_;
    return value_;
  }
  if (part_left_ == 0) next_part();
  value_ += least_ + bits_at(bits_, bit_, width_);
  bit_ += width_;
  --part_left_;
  --left_;
  return value_;
}

/// Each part is passed by its width, and no value is made.
ByteView DeltaDecoder::behind() const {
  DeltaDecoder rest = *this;
  if (rest.left_ > 0 && rest.is_first_) {
    rest.is_first_ = false;
    --rest.left_;
  }
  rest.left_ -= std::min(rest.left_, rest.part_left_);
  while (rest.left_ > 0) {
    rest.next_part();
    rest.left_ -= std::min(rest.left_, rest.part_values_);
  }
  return rest.bytes_;
}

}  // namespace kitbag::parquet
