#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "codec/cdr/encapsulation.h"
#include "kitbag/bytes.h"
#include "kitbag/error.h"
#include "kitbag/type.h"

// Alignment is what CDR is about: each number begins at a multiple of its size (XCDR2: of 4 at the
// most), counted from behind the encapsulation header or from the beginning of a member that has a
// header of its own.

namespace kitbag::cdr {

/// A member in a parameter list.
struct Member {
  std::uint32_t id;
  std::size_t begin;
  std::size_t end;
};

/// Reads the bytes of a payload: numbers at their alignment, and the headers that frame other
/// values. `kSwap`: numbers are big-endian. All throw Error (truncated) if the payload ends.
template <bool kSwap>
class Reader {
 public:
  Reader(ByteView payload, bool is_version_2)
      : data_(payload.data()),
        end_(payload.size()),
        is_version_2_(is_version_2),
        most_alignment_(is_version_2 ? 4 : 8) {}

  std::size_t position() const { return at_; }
  void go_to(std::size_t position) { at_ = position; }
  /// The bytes that are left of the payload, or of what is being read of it.
  std::size_t left() const { return end_ - at_; }
  ByteView rest() const { return {data_ + at_, left()}; }

  [[noreturn]] void fail(const std::string& what) const {
    throw Error(ErrorCode::truncated, what, {}, at_);
  }

  void align(std::size_t to) {
    std::size_t past = (at_ - origin_) % std::min(to, most_alignment_);
    if (past > 0) take(std::min(to, most_alignment_) - past);
  }

  bool is_aligned(std::size_t to) const {
    return (at_ - origin_) % std::min(to, most_alignment_) == 0;
  }

  const std::byte* take(std::size_t bytes) {
    require(bytes);
    return data_ + std::exchange(at_, at_ + bytes);
  }

  template <class T>
  T number() {
    align(sizeof(T));
    std::array<std::byte, sizeof(T)> bytes;
    std::memcpy(bytes.data(), take(sizeof(T)), sizeof(T));
    if constexpr (kSwap) std::reverse(bytes.begin(), bytes.end());
    T value;
    std::memcpy(&value, bytes.data(), sizeof(T));
    return value;
  }

  /// The value of an integer, a boolean or an enumeration.
  std::int64_t integer(const Type& type) {
    switch (type.kind == Kind::enumeration ? type.base : type.kind) {
      case Kind::int8:
        return number<std::int8_t>();
      case Kind::int16:
        return number<std::int16_t>();
      case Kind::uint16:
      case Kind::wide_char:
        return number<std::uint16_t>();
      case Kind::int32:
        return number<std::int32_t>();
      case Kind::uint32:
        return number<std::uint32_t>();
      case Kind::int64:
      case Kind::uint64:
        return number<std::int64_t>();
      default:
        return number<std::uint8_t>();
    }
  }

  /// Reads a u32 and ends the payload that many bytes later, until leave_delimited(). Returns the
  /// argument for that call.
  std::size_t enter_delimited() {
    auto size = number<std::uint32_t>();
    require(size);
    return std::exchange(end_, at_ + size);
  }
  /// Continues after these bytes.
  void leave_delimited(std::size_t outer_end) {
    at_ = end_;
    end_ = outer_end;
  }

  /// Restricts `read` to the member. In XCDR1, alignment is counted from its beginning.
  template <class Read>
  void within(const Member& member, Read read) {
    std::size_t end = std::exchange(end_, member.end);
    std::size_t origin = origin_;
    at_ = member.begin;
    if (!is_version_2_) origin_ = at_;
    read();
    origin_ = origin;
    end_ = end;
  }

  /// A parameter of XCDR1; nothing at the end of their list.
  std::optional<Member> parameter() {
    align(4);
    auto head = number<std::uint16_t>();
    std::uint32_t size = number<std::uint16_t>();
    std::uint32_t id = head & kIdMask;
    if (id == kSentinelId) return std::nullopt;
    if (id == kExtendedId) {
      id = number<std::uint32_t>();
      size = number<std::uint32_t>();
    }
    require(size);
    return Member{id, at_, at_ + size};
  }

  /// All members of a structure, by id.
  std::vector<Member> members() {
    std::vector<Member> found;
    auto add = [&](const Member& each) {
      found.push_back(each);
      at_ = each.end;
    };
    if (is_version_2_) {
      while (left() >= sizeof(std::uint32_t)) add(member());
    } else {
      while (auto next = parameter()) add(*next);
    }
    auto by_id = [](const Member& one, const Member& other) { return one.id < other.id; };
    if (!std::is_sorted(found.begin(), found.end(), by_id)) {
      std::stable_sort(found.begin(), found.end(), by_id);
    }
    return found;
  }

 private:
  void require(std::uint64_t bytes) const {
    if (bytes > left()) fail(fmt::format("{} bytes are missing from the payload", bytes - left()));
  }

  /// A member of XCDR2 (XTypes 1.3, 7.4.3.4.2).
  Member member() {
    auto head = number<std::uint32_t>();
    std::uint32_t code = (head >> 28) & 7;
    std::uint64_t size = std::uint64_t{1} << code;
    if (code >= 4) {
      std::size_t before = at_;
      size = number<std::uint32_t>();
      if (code == 6) size *= 4;
      if (code == 7) size *= 8;
      if (code >= 5) {  // the length is the value's own first number too
        size += sizeof(std::uint32_t);
        at_ = before;
        align(4);
      }
    }
    require(size);
    return {head & 0x0fffffff, at_, at_ + static_cast<std::size_t>(size)};
  }

  const std::byte* data_;
  std::size_t end_;
  std::size_t at_ = Encapsulation::kBytes;
  std::size_t origin_ = Encapsulation::kBytes;  ///< of alignment
  bool is_version_2_;
  std::size_t most_alignment_;
};

}  // namespace kitbag::cdr
