#include "codec/ros1/encoder.h"

#include <fmt/format.h>

#include <cstring>

#include "base/little_endian.h"
#include "codec/ros1/decoder.h"
#include "kitbag/error.h"

namespace kitbag::ros1 {

Encoder::Encoder(const TypePtr& type) : type_(type) {
  require_ros1(*type_);
}

void Encoder::begin(Arena& arena) {
  arena_ = &arena;
  arena.begin();
}

void Encoder::count(std::size_t count) {
  if (count > UINT32_MAX) {
    throw Error(ErrorCode::unsupported,
                fmt::format("ROS 1 does not support lists of {} elements", count));
  }
  store_le(arena_->extend(sizeof(std::uint32_t)), static_cast<std::uint32_t>(count));
}

void Encoder::begin_array(const Type& type, std::size_t count) {
  if (type.kind == Kind::sequence) return this->count(count);
  if (count != type.length) {
    throw Error(ErrorCode::corrupt,
                fmt::format("{} elements for an array of {}", count, type.length));
  }
}

void Encoder::boolean(const Type&, bool value) {
  *arena_->extend(1) = value ? std::byte{1} : std::byte{0};
}

void Encoder::integer(const Type& type, std::int64_t value) {
  unsigned_integer(type, static_cast<std::uint64_t>(value));
}

void Encoder::unsigned_integer(const Type& type, std::uint64_t value) {
  // Little-endian: the low bytes come first, whatever the width.
  std::memcpy(arena_->extend(type.least_bytes), &value, type.least_bytes);
}

void Encoder::real(const Type& type, double value) {
  if (type.kind == Kind::float32) {
    auto narrow = static_cast<float>(value);
    std::memcpy(arena_->extend(sizeof narrow), &narrow, sizeof narrow);
  } else {
    std::memcpy(arena_->extend(sizeof value), &value, sizeof value);
  }
}

void Encoder::text(const Type&, std::string_view value) {
  count(value.size());
  arena_->put(as_bytes(value));
}

void Encoder::nothing(const Type& type) {
  throw Error(ErrorCode::unsupported,
              fmt::format("ROS 1 cannot omit a value of type {}", type_name(type)));
}

void Encoder::packed(const Type&, ByteView bytes) {
  arena_->put(bytes);
}

}  // namespace kitbag::ros1
