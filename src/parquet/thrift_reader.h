#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "kitbag/bytes.h"

namespace kitbag::parquet {

/// Reads structs in Thrift's compact protocol. What ThriftWriter says of the protocol holds here.
///
///   reader.read_struct([&](int id, Type type) {
///     if (id == 1) value.rows = reader.integer(type);
///     else reader.skip(type);
///   });
///
/// Lengths and counts are compared with the bytes that are left before they are believed. Every
/// function throws Error: truncated where the bytes end too early, corrupt where they make no
/// sense. The offset of the Error is that in the bytes.
class ThriftReader {
 public:
  /// The types of the protocol that structs of Parquet have.
  enum class Type : std::uint8_t {
    yes = 1,
    no = 2,
    byte = 3,
    int16 = 4,
    int32 = 5,
    int64 = 6,
    real = 7,
    binary = 8,
    list = 9,
    set = 10,
    map = 11,
    structure = 12,
  };

  /// `bytes` must outlive this.
  explicit ThriftReader(ByteView bytes) : bytes_(bytes) {}

  /// Returns how many bytes were read.
  std::size_t position() const { return at_; }

  /// Calls `field(id, type)` for each field of the struct that begins here; it reads the value or
  /// skips it.
  template <class OnField>
  void read_struct(OnField field) {
    enter();
    std::int16_t id = 0;
    for (;;) {
      std::uint8_t header = next_byte();
      if (header == 0) break;
      id = next_id(header, id);
      field(int{id}, Type{static_cast<std::uint8_t>(header & 0xFU)});
    }
    --depth_;
  }
  /// The same for a field that must be a struct.
  template <class OnField>
  void read_struct(Type type, OnField field) {
    require(type == Type::structure);
    read_struct(field);
  }
  /// Calls `element(type)` for each element of a field that must be a list.
  template <class OnElement>
  void read_list(Type type, OnElement element) {
    require(type == Type::list);
    auto [count, of] = list_header();
    for (std::uint64_t i = 0; i < count; ++i) element(of);
  }

  bool boolean(Type type) const {
    require(type == Type::yes || type == Type::no);
    return type == Type::yes;
  }
  /// Of any width.
  std::int64_t integer(Type type);
  /// An integer that must fit in 32 bits.
  std::int32_t integer32(Type type);
  /// Valid as long as the bytes.
  std::string_view text(Type type);

  void skip(Type type);

 private:
  struct ListHeader {
    std::uint64_t count;
    Type of;
  };

  void enter();
  void require(bool is_so) const;
  std::uint8_t next_byte();
  std::int16_t next_id(std::uint8_t header, std::int16_t last);
  std::uint64_t next_unsigned();
  std::int64_t next_signed();
  ListHeader list_header();
  void skip_element(Type type);
  ByteView take(std::uint64_t size);

  ByteView bytes_;
  std::size_t at_ = 0;
  unsigned depth_ = 0;
};

}  // namespace kitbag::parquet
