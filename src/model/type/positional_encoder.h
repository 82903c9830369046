#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/little_endian.h"
#include "kitbag/codec.h"
#include "kitbag/error.h"

namespace kitbag {

/// The common part of encodings that identify fields by position only: numbers are little-endian
/// and as wide as their type, and a sequence begins with a count of four bytes. `Derived` has the
/// rest of an Encoder, and:
///
///   static constexpr const char* kName;   // what errors call the encoding
///   std::byte* room(std::size_t bytes);   // for a number of this size
template <class Derived>
class PositionalEncoder : public Encoder {
 public:
  ByteView end() final { return arena_->end(); }

  void begin_array(const Type& type, std::size_t count) final {
    if (type.kind == Kind::sequence) return put_count(count);
    if (count != type.length) {
      throw Error(ErrorCode::corrupt,
                  fmt::format("{} elements for an array of {}", count, type.length));
    }
  }
  void end_array() final {}

  void boolean(const Type&, bool value) final {
    *arena_->extend(1) = value ? std::byte{1} : std::byte{0};
  }
  void integer(const Type& type, std::int64_t value) final {
    unsigned_integer(type, static_cast<std::uint64_t>(value));
  }
  void unsigned_integer(const Type& type, std::uint64_t value) final {
    // Little-endian: the low bytes come first, whatever the width.
    std::memcpy(derived().room(type.least_bytes), &value, type.least_bytes);
  }
  void real(const Type& type, double value) final {
    if (type.kind == Kind::float32) {
      auto narrow = static_cast<float>(value);
      std::memcpy(derived().room(sizeof narrow), &narrow, sizeof narrow);
    } else {
      std::memcpy(derived().room(sizeof value), &value, sizeof value);
    }
  }

 protected:
  void open(Arena& arena) {
    arena_ = &arena;
    arena.begin();
  }

  void put_count(std::size_t count) {
    if (count > UINT32_MAX) {
      throw Error(ErrorCode::unsupported,
                  fmt::format("{} does not support lists of {} elements", Derived::kName, count));
    }
    store_le(derived().room(sizeof(std::uint32_t)), static_cast<std::uint32_t>(count));
  }

  Arena* arena_ = nullptr;

 private:
  Derived& derived() { return static_cast<Derived&>(*this); }
};

}  // namespace kitbag
