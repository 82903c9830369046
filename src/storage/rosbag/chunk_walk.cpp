#include "storage/rosbag/chunk_walk.h"

// Nearly every message header has 38 bytes and differs from the others in twelve of them:
//
//     09 00 00 00 "conn=" u32 | 04 00 00 00 "op=" 02 | 0d 00 00 00 "time=" u64
//     13 bytes                  8 bytes                17 bytes
//
// The template is five words with a mask that hides the two numbers; the last word overlaps the
// fourth one, since 38 is not a multiple of 8. A header that matches needs no parsing at all:
// connection and time are read from their places. One that does not match is parsed, and if it has
// just these three fields in another order, it becomes the template.

namespace kitbag::rosbag {

namespace {

std::byte* put_field(std::byte* to, std::string_view name_and_equals, std::size_t value_bytes) {
  to = store_le(to, static_cast<std::uint32_t>(name_and_equals.size() + value_bytes));
  std::memcpy(to, name_and_equals.data(), name_and_equals.size());
  return to + name_and_equals.size();
}

/// A number under its name, or under the one it had in the first drafts.
std::optional<std::uint64_t> number_or_draft(const Fields& fields, std::string_view name,
                                             std::string_view draft_name) {
  auto value = fields.number<std::uint64_t>(name);
  return value ? value : fields.number<std::uint64_t>(draft_name);
}

}  // namespace

void MessageLayout::learn(std::size_t conn, std::size_t op, std::size_t time) {
  std::byte fixed[kHeaderBytes] = {};
  std::byte mask[kHeaderBytes];
  std::memset(mask, 0xff, sizeof(mask));
  connection_at_ = static_cast<std::size_t>(put_field(fixed + conn, "conn=", 4) - fixed);
  std::memset(mask + connection_at_, 0, 4);
  *put_field(fixed + op, "op=", 1) = static_cast<std::byte>(Op::message);
  time_at_ = static_cast<std::size_t>(put_field(fixed + time, "time=", 8) - fixed);
  std::memset(mask + time_at_, 0, 8);
  for (std::size_t i = 0; i < kWords; ++i) {
    std::size_t at = i < kWords - 1 ? i * 8 : kHeaderBytes - 8;
    fixed_[i] = load_le<std::uint64_t>(fixed + at);
    mask_[i] = load_le<std::uint64_t>(mask + at);
  }
}

void MessageLayout::learn(const std::byte* header, const Fields& fields) {
  if (!fields.find("conn")) return;
  auto value_at = [&](std::string_view name) {
    return static_cast<std::size_t>(fields.find(name)->data() - header);
  };
  auto end = fields.end() - fields.begin();
  std::size_t conn = value_at("conn");
  std::size_t time = value_at("time");
  std::size_t op = value_at("op");
  bool plain = end == 3 && std::max({conn + 4, time + 8, op + 1}) == kHeaderBytes;
  if (plain) learn(conn - 9, op - 7, time - 9);
}

MessageLayout::Header MessageLayout::header(std::uint32_t connection, std::uint64_t time) const {
  Header bytes;
  for (std::size_t i = 0; i < kWords; ++i) {
    std::size_t at = i < kWords - 1 ? i * 8 : kHeaderBytes - 8;
    store_le(bytes.data() + at, fixed_[i]);
  }
  store_le(bytes.data() + connection_at_, connection);
  store_le(bytes.data() + time_at_, time);
  return bytes;
}

std::optional<IndexRecord> parse_index_record(const Record& record) {
  if (record.header.kind() != Op::index) return std::nullopt;
  auto version = record.header.number<std::uint32_t>("ver");
  auto connection = record.header.number<std::uint32_t>("conn");
  auto count = record.header.number<std::uint32_t>("count");
  if (version != kIndexVersion || !connection || !count) return std::nullopt;
  if (record.data.size() != std::uint64_t{*count} * kIndexEntryBytes) return std::nullopt;
  return IndexRecord{*connection, record.data};
}

std::optional<ChunkInfo> parse_chunk_info(const Record& record) {
  const Fields& header = record.header;
  auto offset = header.number<std::uint64_t>("chunk_pos");
  auto start = number_or_draft(header, "start_time", "start");
  auto end = number_or_draft(header, "end_time", "end");
  auto count = header.number<std::uint32_t>("count");
  if (header.number<std::uint32_t>("ver") != kIndexVersion || !offset || !start || !end || !count) {
    return std::nullopt;
  }
  if (record.data.size() != std::uint64_t{*count} * kCountEntryBytes) return std::nullopt;
  return ChunkInfo{*offset, time_of(*start), time_of(*end), record.data};
}

}  // namespace kitbag::rosbag
