#include "codec/positional/row_program.h"

#include <algorithm>
#include <array>
#include <concepts>
#include <string_view>

#include "base/little_endian.h"

// Runs the steps: row_compiler.cpp explains them. The payload is not trusted: a step that moves on
// checks that enough bytes are left, and a load lies in a block that has been checked. The depth of
// loops and frames is that of the type, which the compiler has limited. Nothing is allocated but
// what columns need to grow.

namespace kitbag::positional {

using arrow::Column;

namespace {

template <bool kSwap, std::integral T>
T load(const std::byte* from) {
  T value = load_le<T>(from);
  if constexpr (!kSwap || sizeof(T) == 1) {
    return value;
  } else if constexpr (sizeof(T) == 2) {
    return __builtin_bswap16(value);
  } else if constexpr (sizeof(T) == 4) {
    return __builtin_bswap32(value);
  } else {
    return __builtin_bswap64(value);
  }
}

template <bool kSwap>
std::int64_t load_time(const std::byte* from, std::uint32_t signs) {
  auto number = [&](std::size_t offset, bool is_signed) -> std::int64_t {
    auto bits = load<kSwap, std::uint32_t>(from + offset);
    return is_signed ? std::int64_t{static_cast<std::int32_t>(bits)} : std::int64_t{bits};
  };
  constexpr std::int64_t kNanoseconds = 1'000'000'000;
  return number(0, (signs & kSecondsSigned) != 0) * kNanoseconds +
         number(4, (signs & kNanosecondsSigned) != 0);
}

/// A number of `bytes` bytes.
template <bool kSwap>
std::int64_t load_integer(const std::byte* from, std::uint32_t bytes, bool is_signed) {
  switch (bytes) {
    case 1: {
      auto bits = load<kSwap, std::uint8_t>(from);
      return is_signed ? std::int64_t{static_cast<std::int8_t>(bits)} : std::int64_t{bits};
    }
    case 2: {
      auto bits = load<kSwap, std::uint16_t>(from);
      return is_signed ? std::int64_t{static_cast<std::int16_t>(bits)} : std::int64_t{bits};
    }
    case 4: {
      auto bits = load<kSwap, std::uint32_t>(from);
      return is_signed ? std::int64_t{static_cast<std::int32_t>(bits)} : std::int64_t{bits};
    }
    default:
      return static_cast<std::int64_t>(load<kSwap, std::uint64_t>(from));
  }
}

template <std::unsigned_integral T>
void put_swapped(Column& column, ByteView values) {
  for (std::size_t at = 0; at < values.size(); at += sizeof(T)) {
    column.add(load<true, T>(values.data() + at));
  }
}

template <bool kSwap>
void put_packed(Column& column, ByteView values, std::uint32_t bytes) {
  if constexpr (kSwap) {
    if (bytes == 2) return put_swapped<std::uint16_t>(column, values);
    if (bytes == 4) return put_swapped<std::uint32_t>(column, values);
    if (bytes == 8) return put_swapped<std::uint64_t>(column, values);
  }
  column.add_packed(values);
}

}  // namespace

template <bool kSwap>
bool RowProgram::run(ByteView payload) const {
  const std::byte* const begin = payload.data();
  const std::byte* at = begin;
  const std::byte* end = begin + payload.size();
  const std::byte* block = begin;
  ByteView value;
  std::uint64_t count = 0;
  // Not cleared for each message: only what was pushed is read.
  std::array<std::uint64_t, kMostDepth> loops;          // elements to come, those around first
  std::array<const std::byte*, kMostDepth> outer_ends;  // likewise
  std::size_t loop_depth = 0;
  std::size_t enter_depth = 0;
  auto left = [&] { return static_cast<std::size_t>(end - at); };
  auto align = [&](std::size_t to) {
    std::size_t past = static_cast<std::size_t>(at - begin) % to;
    std::size_t padding = past > 0 ? to - past : 0;
    if (padding > left()) return false;
    at += padding;
    return true;
  };
  auto read_u32 = [&](std::uint32_t& number) {
    if (left() < sizeof number) return false;
    number = load<kSwap, std::uint32_t>(at);
    at += sizeof number;
    return true;
  };

  for (std::size_t next = 0; next < steps_.size();) {
    const Step& step = steps_[next++];
    switch (step.op) {
      case Op::block:
        if (step.a > left()) return false;
        block = at;
        at += step.a;
        break;
      case Op::load_1:
        step.column->add(load<kSwap, std::uint8_t>(block + step.a));
        break;
      case Op::load_2:
        step.column->add(load<kSwap, std::uint16_t>(block + step.a));
        break;
      case Op::load_4:
        step.column->add(load<kSwap, std::uint32_t>(block + step.a));
        break;
      case Op::load_8:
        step.column->add(load<kSwap, std::uint64_t>(block + step.a));
        break;
      case Op::load_bit:
        step.column->add_bit(block[step.a] != std::byte{0});
        break;
      case Op::load_time:
        step.column->add(load_time<kSwap>(block + step.a, step.b));
        break;
      case Op::check_value: {
        const auto& known = values_[step.index];
        bool is_signed = (step.b & kSigned) != 0;
        auto number = load_integer<kSwap>(block + step.a, step.b & 0xff, is_signed);
        if (!std::binary_search(known.begin(), known.end(), number)) return false;
        break;
      }
      case Op::align:
        if (!align(step.a)) return false;
        break;
      case Op::read_text: {
        std::uint32_t size = 0;
        if (!read_u32(size) || size > left()) return false;
        value = {at, size};
        at += size;
        break;
      }
      case Op::put_text: {
        std::string_view text = as_text(value);
        if (rules_.has_nul && text.ends_with('\0')) text.remove_suffix(1);
        step.column->add_text(text);
        break;
      }
      // Checked before a column hears of it: a count may claim 4 billion elements.
      case Op::read_count: {
        std::uint32_t number = 0;
        if (!read_u32(number) || number > left() / step.a) return false;
        count = number;
        break;
      }
      case Op::set_count:
        count = step.a;
        break;
      case Op::begin_list:
        step.column->begin_list(count);
        break;
      case Op::take_elements: {
        // A list without elements has no padding behind its count.
        if (count > 0 && step.a > 1 && !align(step.a)) return false;
        if (count > left() / step.b) return false;
        value = {at, static_cast<std::size_t>(count) * step.b};
        at += value.size();
        break;
      }
      case Op::put_packed:
        put_packed<kSwap>(*step.column, value, step.a);
        break;
      case Op::put_bytes:
        step.column->add_bytes(value);
        break;
      case Op::element:
        if (step.a < count) {
          block = value.data() + std::size_t{step.a} * step.b;
        } else {
          next = step.index;
        }
        break;
      case Op::loop:
        if (count == 0) {
          next = step.index;
        } else {
          loops[loop_depth++] = count;
        }
        break;
      case Op::next:
        if (--loops[loop_depth - 1] > 0) {
          next = step.index;
        } else {
          --loop_depth;
        }
        break;
      case Op::enter: {
        std::uint32_t size = 0;
        if (!read_u32(size) || size > left()) return false;
        outer_ends[enter_depth++] = end;
        end = at + size;
        break;
      }
      // A later version of the type may have more fields behind those that are known.
      case Op::leave:
        at = end;
        end = outer_ends[--enter_depth];
        break;
      case Op::skip_delimited: {
        std::uint32_t size = 0;
        if (!read_u32(size) || size > left()) return false;
        at += size;
        break;
      }
      case Op::optional:
        if (left() == 0) return false;
        if (*at++ == std::byte{0}) next = step.index;
        break;
      case Op::jump:
        next = step.index;
        break;
      case Op::add_parent:
        step.column->add_parent();
        break;
      case Op::add_null:
        step.column->add_null();
        break;
      case Op::add_nulls:
        add_nulls(*step.target);
        break;
    }
  }
  return true;
}

bool RowProgram::run(ByteView payload, bool is_big_endian) const {
  return is_big_endian ? run<true>(payload) : run<false>(payload);
}

}  // namespace kitbag::positional
