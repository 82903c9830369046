#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/buffer.h"
#include "base/little_endian.h"
#include "kitbag/bytes.h"
#include "kitbag/time.h"
#include "storage/writing/stored_times.h"

/// The records of a rosbag 2.0 file: `u32 header_len, header, u32 data_len, data`, where a header
/// is a run of fields `u32 field_len, name=value`. Numbers are little-endian.
/// docs/formats/rosbag-2.0.md describes them all.
namespace kitbag::rosbag {

inline constexpr std::string_view kVersionLine = "#ROSBAG V2.0\n";
/// Version 1.3 is 2.0 with topics in the place of connections; it never left its authors.
inline constexpr std::string_view kVersionLine1_3 = "#ROSBAG V1.3\n";
static_assert(kVersionLine1_3.size() == kVersionLine.size());
/// Header and data of the file header record together, however many fields it has.
inline constexpr std::size_t kFileHeaderBytes = 4096;
inline constexpr std::uint32_t kIndexVersion = 1;

/// What one record may claim; real ones are far below.
inline constexpr std::size_t kMaxHeaderBytes = 1 << 20;
inline constexpr std::size_t kMaxConnectionBytes = 64 << 20;
inline constexpr std::size_t kMaxChunkBytes = UINT32_MAX;

enum class Op : std::uint8_t {
  message_definition = 1,  ///< first drafts only
  message = 2,
  file_header = 3,
  index = 4,
  chunk = 5,
  chunk_info = 6,
  connection = 7,
};

/// One index entry of a chunk: u32 sec, u32 nsec, u32 offset of the message record.
inline constexpr std::size_t kIndexEntryBytes = 12;
/// One entry of a chunk info: u32 connection, u32 count.
inline constexpr std::size_t kCountEntryBytes = 8;

/// Nanoseconds of a stored time: sec in the low, nsec in the high half.
constexpr Time time_of(std::uint64_t stored) {
  auto sec = static_cast<std::int64_t>(stored & 0xffffffffU);
  auto nsec = static_cast<std::int64_t>(stored >> 32);
  return from_ns(sec * 1'000'000'000 + nsec);
}

/// Throws Error (unsupported) outside of kStoredTimes.
std::uint64_t stored_time(Time time);

/// Seconds have 32 bits; there is one time for a message.
inline constexpr StoredTimes kStoredTimes{
    "a ROS 1 bag", "from 1970 to 2106", Time{},
    from_ns((std::int64_t{UINT32_MAX} + 1) * 1'000'000'000 - 1), false};

/// The fields of a header or of a connection's data, as views into it.
class Fields {
 public:
  using Field = std::pair<std::string_view, ByteView>;

  /// Nothing if a field does not fit or has no '='.
  static std::optional<Fields> parse(ByteView header);

  std::optional<ByteView> find(std::string_view name) const;
  /// The field's text, or "" where it is absent.
  std::string_view text(std::string_view name) const;
  /// Nothing if it is absent or has another size.
  template <class T>
  std::optional<T> number(std::string_view name) const {
    auto value = find(name);
    if (!value || value->size() != sizeof(T)) return std::nullopt;
    return load_le<T>(value->data());
  }
  /// The record type, 0 where there is none.
  std::uint8_t op() const { return number<std::uint8_t>("op").value_or(0); }
  /// The record type by the other fields, for records whose `op` may be damaged; op() if they do
  /// not show it.
  Op kind() const;

  auto begin() const { return fields_.begin(); }
  auto end() const { return fields_.end(); }

 private:
  std::vector<Field> fields_;
};

/// A whole record as views.
struct Record {
  Fields header;
  ByteView data;
  std::size_t bytes = 0;  ///< of the record with its lengths
};

/// The record at the front of `bytes`. Nothing if it is malformed or not all there.
std::optional<Record> parse_record(ByteView bytes);

/// Puts a record together in a Buffer: its header field by field, then the data.
class RecordWriter {
 public:
  RecordWriter(Buffer& out, Op op);

  RecordWriter& field(std::string_view name, std::string_view value);
  template <std::integral T>
  RecordWriter& field(std::string_view name, T value) {
    std::byte bytes[sizeof(T)];
    store_le(bytes, value);
    return field(name, as_text(bytes));
  }
  /// Ends the header; `size` bytes of data will follow.
  void data_size(std::size_t size);
  /// Ends the header, then the data.
  void data(ByteView bytes);

 private:
  Buffer& out_;
  std::size_t start_;
};

/// Appends one field, as headers and connection data hold them.
void append_field(Buffer& out, std::string_view name, std::string_view value);

}  // namespace kitbag::rosbag
