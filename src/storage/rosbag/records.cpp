#include "storage/rosbag/records.h"

#include <algorithm>

#include "base/cursor.h"
#include "kitbag/error.h"

// Records are found by their fields and not only by `op`. Every kind has fields that no other kind
// has (`chunk_pos`, `index_pos`, `compression` with `size`, ...). So a flipped bit in the one byte
// of `op` does not hide a record, and kind() falls back to op() where the fields say nothing, as in
// a first draft's chunk without `size`.
//
// A message's header is parsed field by field only if it is laid out in a new way (MessageLayout in
// chunk_walk.h); in a usual bag that happens at most once a chunk.

namespace kitbag::rosbag {

std::uint64_t stored_time(Time time) {
  std::int64_t ns = to_ns(time);
  std::int64_t sec = ns / 1'000'000'000;
  if (ns < 0 || sec > UINT32_MAX) {
    throw Error(ErrorCode::unsupported,
                "a ROS 1 bag can store only times from 1970 to 2106; this message has " +
                    std::to_string(ns) + " ns");
  }
  auto nsec = static_cast<std::uint64_t>(ns - sec * 1'000'000'000);
  return static_cast<std::uint64_t>(sec) | nsec << 32;
}

std::optional<Fields> Fields::parse(ByteView header) {
  Fields fields;
  Cursor cursor(header);
  while (!cursor.at_end()) {
    auto field = cursor.sized_bytes();
    if (!field) return std::nullopt;
    std::string_view text = as_text(*field);
    std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) return std::nullopt;
    fields.fields_.emplace_back(text.substr(0, equals), field->subspan(equals + 1));
  }
  return fields;
}

std::optional<ByteView> Fields::find(std::string_view name) const {
  auto it = std::find_if(begin(), end(), [&](const Field& field) { return field.first == name; });
  if (it == end()) return std::nullopt;
  return it->second;
}

std::string_view Fields::text(std::string_view name) const {
  auto value = find(name);
  return value ? as_text(*value) : std::string_view();
}

Op Fields::kind() const {
  auto has = [&](std::string_view name) { return find(name).has_value(); };
  bool has_channel = has("conn") || has("topic");
  if (has("compression") && has("size")) return Op::chunk;
  if (has("chunk_pos")) return Op::chunk_info;
  if (has("index_pos")) return Op::file_header;
  if (has("ver") && has("count") && has_channel) return Op::index;
  if (has("time") && has_channel) return Op::message;
  if (has("conn") && has("topic")) return Op::connection;
  return static_cast<Op>(op());
}

std::optional<Record> parse_record(ByteView bytes) {
  Cursor cursor(bytes);
  auto header = cursor.sized_bytes();
  if (!header || header->empty()) return std::nullopt;
  auto data = cursor.sized_bytes();
  if (!data) return std::nullopt;
  auto fields = Fields::parse(*header);
  if (!fields) return std::nullopt;
  return Record{std::move(*fields), *data, cursor.position()};
}

void append_field(Buffer& out, std::string_view name, std::string_view value) {
  auto size = static_cast<std::uint32_t>(name.size() + 1 + value.size());
  store_le(out.extend(sizeof(size)), size);
  out.append(as_bytes(name));
  out.append(as_bytes("="));
  out.append(as_bytes(value));
}

RecordWriter::RecordWriter(Buffer& out, Op op) : out_(out), start_(out.size()) {
  out_.extend(sizeof(std::uint32_t));
  field("op", static_cast<std::uint8_t>(op));
}

RecordWriter& RecordWriter::field(std::string_view name, std::string_view value) {
  append_field(out_, name, value);
  return *this;
}

void RecordWriter::data_size(std::size_t size) {
  auto header = static_cast<std::uint32_t>(out_.size() - start_ - sizeof(std::uint32_t));
  store_le(out_.data() + start_, header);
  store_le(out_.extend(sizeof(std::uint32_t)), static_cast<std::uint32_t>(size));
}

void RecordWriter::data(ByteView bytes) {
  data_size(bytes.size());
  out_.append(bytes);
}

}  // namespace kitbag::rosbag
