#include "parquet/run_encoder.h"

#include <algorithm>

#include "parquet/varint.h"

// Numbers are counted while they are equal, so a million levels of a column without nulls are one
// call and a few bytes. Eight or more equal numbers become a run; fewer go into groups of eight, as
// bits.
//
// Groups are whole. A run that begins within one first fills that up with its own value, and only
// what is left of it may be a run. The groups behind one another share a header, which is written
// when a run comes or all is over, because it has their number.

namespace kitbag::parquet {

void RunEncoder::begin(unsigned width) {
  out_.clear();
  groups_.clear();
  group_count_ = count_ = 0;
  open_count_ = 0;
  value_ = 0;
  width_ = width;
}

void RunEncoder::add(std::span<const std::uint8_t> values) {
  for (std::size_t i = 0; i < values.size();) {
    std::size_t begin = i;
    while (i < values.size() && values[i] == values[begin]) ++i;
    add(values[begin], i - begin);
  }
}

/// A run that begins within a group first fills that up: groups are whole.
void RunEncoder::end_run() {
  while (count_ > 0) {
    if (open_count_ == 0 && count_ >= kGroup) {
      end_groups();
      put_unsigned(out_, count_ << 1);
      for (unsigned shift = 0; shift < width_; shift += 8) {
        put_byte(out_, static_cast<std::uint8_t>(value_ >> shift));
      }
      count_ = 0;
      return;
    }
    std::size_t taken = std::min<std::uint64_t>(count_, kGroup - open_count_);
    std::fill_n(open_.begin() + static_cast<std::ptrdiff_t>(open_count_), taken, value_);
    open_count_ += taken;
    count_ -= taken;
    if (open_count_ < kGroup) continue;
    put_bits(groups_, std::span<const std::uint32_t>(open_), width_);
    ++group_count_;
    open_count_ = 0;
  }
}

void RunEncoder::end_groups() {
  if (group_count_ == 0) return;
  put_unsigned(out_, group_count_ << 1 | 1);
  out_.append(groups_.view());
  groups_.clear();
  group_count_ = 0;
}

ByteView RunEncoder::end() {
  end_run();
  if (open_count_ > 0) {  // what fills the last group up is not read
    value_ = 0;
    count_ = kGroup - open_count_;
    end_run();
  }
  end_groups();
  return out_.view();
}

}  // namespace kitbag::parquet
