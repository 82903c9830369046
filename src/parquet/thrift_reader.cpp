#include "parquet/thrift_reader.h"

#include <limits>
#include <utility>

#include "kitbag/error.h"

// The compact protocol gives each field its number and its type. So what nobody asks for is skipped
// without being known, which is how a reader gets along with files of later versions.
//
// Footers come from anywhere. Lists and structs in one another are calls in one another here, hence
// the limit of depth. A list is believed to have no more elements than there are bytes; whoever
// keeps its elements has a multiple of the footer's size in memory, and no more.

namespace kitbag::parquet {

namespace {

/// Structs of Parquet are nested four levels deep.
constexpr unsigned kMostThriftDepth = 16;

}  // namespace

void ThriftReader::require(bool is_so) const {
  if (!is_so) throw Error(ErrorCode::corrupt, "malformed metadata of Parquet", {}, at_);
}

void ThriftReader::enter() {
  require(++depth_ <= kMostThriftDepth);
}

ByteView ThriftReader::take(std::uint64_t size) {
  if (size > bytes_.size() - at_) {
    throw Error(ErrorCode::truncated, "metadata of Parquet that are cut off", {}, at_);
  }
  ByteView taken = bytes_.subspan(at_, static_cast<std::size_t>(size));
  at_ += static_cast<std::size_t>(size);
  return taken;
}

std::uint8_t ThriftReader::next_byte() {
  return std::to_integer<std::uint8_t>(take(1).front());
}

std::uint64_t ThriftReader::next_unsigned() {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    std::uint8_t byte = next_byte();
    value |= std::uint64_t{byte & 0x7FU} << shift;
    if (byte < 0x80) return value;
  }
  require(false);
  return value;
}

std::int64_t ThriftReader::next_signed() {
  std::uint64_t bits = next_unsigned();
  return static_cast<std::int64_t>(bits >> 1 ^ (0 - (bits & 1)));
}

std::int16_t ThriftReader::next_id(std::uint8_t header, std::int16_t last) {
  int delta = header >> 4;
  std::int64_t id = delta > 0 ? last + delta : next_signed();
  require(std::in_range<std::int16_t>(id));
  return static_cast<std::int16_t>(id);
}

std::int64_t ThriftReader::integer(Type type) {
  if (type == Type::byte) return static_cast<std::int8_t>(next_byte());
  require(type == Type::int16 || type == Type::int32 || type == Type::int64);
  return next_signed();
}

std::int32_t ThriftReader::integer32(Type type) {
  std::int64_t value = integer(type);
  require(std::in_range<std::int32_t>(value));
  return static_cast<std::int32_t>(value);
}

std::string_view ThriftReader::text(Type type) {
  require(type == Type::binary);
  return as_text(take(next_unsigned()));
}

ThriftReader::ListHeader ThriftReader::list_header() {
  constexpr unsigned kLong = 15;
  std::uint8_t header = next_byte();
  std::uint64_t count = header >> 4;
  if (count == kLong) count = next_unsigned();
  // An element takes a byte at least.
  if (count > bytes_.size() - at_) {
    throw Error(ErrorCode::truncated, "metadata of Parquet that are cut off", {}, at_);
  }
  return {count, Type{static_cast<std::uint8_t>(header & 0xFU)}};
}

/// Booleans of a list take a byte each.
void ThriftReader::skip_element(Type type) {
  if (type == Type::yes || type == Type::no) {
    take(1);
  } else {
    skip(type);
  }
}

void ThriftReader::skip(Type type) {
  constexpr std::uint64_t kRealBytes = 8;
  switch (type) {
    case Type::yes:
    case Type::no:
      return;
    case Type::byte:
      take(1);
      return;
    case Type::int16:
    case Type::int32:
    case Type::int64:
      next_unsigned();
      return;
    case Type::real:
      take(kRealBytes);
      return;
    case Type::binary:
      take(next_unsigned());
      return;
    case Type::list:
    case Type::set: {
      enter();
      auto [count, of] = list_header();
      for (std::uint64_t i = 0; i < count; ++i) skip_element(of);
      --depth_;
      return;
    }
    case Type::structure:
      return read_struct([&](int, Type each) { skip(each); });
    case Type::map: {
      std::uint64_t count = next_unsigned();
      if (count == 0) return;
      enter();
      std::uint8_t types = next_byte();
      require(count <= bytes_.size() - at_);
      for (std::uint64_t i = 0; i < count; ++i) {
        skip_element(Type{static_cast<std::uint8_t>(types >> 4)});
        skip_element(Type{static_cast<std::uint8_t>(types & 0xFU)});
      }
      --depth_;
      return;
    }
  }
  require(false);
}

}  // namespace kitbag::parquet
