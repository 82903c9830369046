#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/buffer.h"
#include "parquet/varint.h"

namespace kitbag::parquet {

/// Writes Thrift's compact protocol, in which the metadata of Parquet are. Fields are written in
/// the order of their numbers. Source:
/// https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md
class ThriftWriter {
 public:
  enum Type : std::uint8_t {
    kTrue = 1,
    kFalse = 2,
    kByte = 3,
    kInt32 = 5,
    kInt64 = 6,
    kBinary = 8,
    kList = 9,
    kStruct = 12,
  };

  /// Appends to `out`, which must outlive this.
  explicit ThriftWriter(Buffer& out) : out_(out) {}

  /// Begins a struct: the outermost one, or an element of a list.
  void begin_struct() { last_.push_back(0); }
  /// Begins a struct that is a field.
  void begin_struct(std::int16_t id) {
    header(id, kStruct);
    begin_struct();
  }
  void end_struct() {
    put_byte(out_, 0);
    last_.pop_back();
  }
  /// A struct without fields, as unions have them that only say which one it is.
  void add_empty(std::int16_t id) {
    begin_struct(id);
    end_struct();
  }
  void add(std::int16_t id, bool value) { header(id, value ? kTrue : kFalse); }
  void add(std::int16_t id, std::int8_t value) {
    header(id, kByte);
    put_byte(out_, static_cast<std::uint8_t>(value));
  }
  void add(std::int16_t id, std::int32_t value) {
    header(id, kInt32);
    put_signed(out_, value);
  }
  void add(std::int16_t id, std::int64_t value) {
    header(id, kInt64);
    put_signed(out_, value);
  }
  void add(std::int16_t id, std::string_view value) {
    header(id, kBinary);
    element(value);
  }
  /// `count` elements follow: structs, or calls of element().
  void begin_list(std::int16_t id, Type type, std::size_t count) {
    constexpr std::size_t kMostInHeader = 14;
    header(id, kList);
    if (count <= kMostInHeader) return put_byte(out_, static_cast<std::uint8_t>(count << 4 | type));
    put_byte(out_, static_cast<std::uint8_t>(0xF0 | type));
    put_unsigned(out_, count);
  }
  void element(bool value) { put_byte(out_, value ? kTrue : kFalse); }
  void element(std::int64_t value) { put_signed(out_, value); }
  void element(std::string_view value) {
    put_unsigned(out_, value.size());
    out_.append(as_bytes(value));
  }

 private:
  void header(std::int16_t id, Type type) {
    constexpr int kMostDelta = 15;
    int delta = id - last_.back();
    last_.back() = id;
    if (delta > 0 && delta <= kMostDelta) {
      return put_byte(out_, static_cast<std::uint8_t>(delta << 4 | type));
    }
    put_byte(out_, type);
    put_signed(out_, id);
  }

  Buffer& out_;
  std::vector<std::int16_t> last_;  ///< the number of the last field of each open struct
};

}  // namespace kitbag::parquet
