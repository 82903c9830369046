#include <algorithm>
#include <map>

#include "base/cursor.h"
#include "storage/rosbag/records.h"
#include "storage/rosbag/run_lines.h"
#include "storage/rosbag/run_versions.h"

// Records have the shape of version 2.0 (fields in a header, then data), but each message names its
// topic, md5sum and type, and since 2010 the node that sent it and whether it was latched. A
// definition is a field of a record of its own, one a topic or, from the Python writer, one a type.
// The index at the end, where there is one, is left aside: its first entry of a topic points at the
// definition, and nothing is lost by not trusting it.

namespace kitbag::rosbag {

namespace {

/// The fields of a record that matter, as views.
struct V1_2Header {
  std::uint8_t op = 0;
  std::string_view topic, md5sum, type, definition, latching, callerid;
  bool has_latching = false;
  bool has_callerid = false;
  std::uint64_t time = 0;  ///< sec in the low, nsec in the high half
  bool is_sound = false;
};

void take_field(V1_2Header& header, std::string_view name, ByteView value) {
  std::string_view text = as_text(value);
  auto number = [&] {
    return value.size() == sizeof(std::uint32_t) ? load_le<std::uint32_t>(value.data()) : 0;
  };
  if (name == "op" && value.size() == 1) header.op = static_cast<std::uint8_t>(value[0]);
  if (name == "topic") header.topic = text;
  if (name == "md5") header.md5sum = text;
  if (name == "type") header.type = text;
  if (name == "def") header.definition = text;
  if (name == "sec") header.time |= number();
  if (name == "nsec") header.time |= std::uint64_t{number()} << 32;
  if (name == "latching") header.latching = text, header.has_latching = true;
  if (name == "callerid") header.callerid = text, header.has_callerid = true;
}

V1_2Header parse_header(ByteView bytes) {
  V1_2Header header;
  Cursor cursor(bytes);
  while (!cursor.at_end()) {
    auto field = cursor.sized_bytes();
    if (!field) return header;
    std::size_t equals = as_text(*field).find('=');
    if (equals == std::string_view::npos) return header;
    take_field(header, as_text(field->first(equals)), field->subspan(equals + 1));
  }
  header.is_sound = header.op != 0;
  return header;
}

/// Fields of a key, each behind its length in text.
void add_to_key(std::string& key, std::string_view value) {
  key += static_cast<char>(value.size());
  key += static_cast<char>(value.size() >> 8);
  key += static_cast<char>(value.size() >> 16);
  key += value;
}

std::string_view take_from_key(std::string_view& key) {
  auto byte = [&](std::size_t i) { return static_cast<unsigned char>(key[i]); };
  std::size_t size = byte(0) | std::size_t{byte(1)} << 8 | std::size_t{byte(2)} << 16;
  std::string_view value = key.substr(3, size);
  key.remove_prefix(3 + size);
  return value;
}

class V1_2Parser final : public RunParser {
 public:
  RunRecord parse(ByteView bytes, std::string& scratch) const override;
  void note(ByteView record) override;
  Channel describe(std::string_view key) const override;
  std::size_t find_record(ByteView bytes) const override;

 private:
  struct Definition {
    std::string md5sum, text;
  };
  const std::string* find_definition(std::string_view topic, std::string_view md5sum,
                                     std::string_view type) const;

  std::map<std::string, Definition, std::less<>> by_topic_;
  std::map<std::string, Definition, std::less<>> by_type_;
};

RunRecord V1_2Parser::parse(ByteView bytes, std::string& scratch) const {
  constexpr std::size_t kLength = sizeof(std::uint32_t);
  RunRecord record = RunRecord::needs(kLength);
  if (bytes.size() < kLength) return record;
  std::size_t header_bytes = load_le<std::uint32_t>(bytes.data());
  if (header_bytes == 0 || header_bytes > kMaxConnectionBytes) return {};
  record.bytes = kLength + header_bytes + kLength;
  if (bytes.size() < record.bytes) return record;
  V1_2Header header = parse_header(bytes.subspan(kLength, header_bytes));
  std::size_t size = load_le<std::uint32_t>(bytes.data() + kLength + header_bytes);
  if (!header.is_sound || size > kMaxRunMessage) return {};
  std::size_t data_at = record.bytes;
  record.bytes += size;
  if (bytes.size() < record.bytes) return record;
  record.kind = RunRecord::Kind::other;
  if (header.op != static_cast<std::uint8_t>(Op::message)) return record;

  scratch.clear();
  add_to_key(scratch, header.topic);
  add_to_key(scratch, header.md5sum);
  add_to_key(scratch, header.type);
  if (header.has_latching || header.has_callerid) {
    add_to_key(scratch, header.has_latching ? "latching" : "");
    add_to_key(scratch, header.latching);
    add_to_key(scratch, header.has_callerid ? "callerid" : "");
    add_to_key(scratch, header.callerid);
  }
  record.kind = RunRecord::Kind::message;
  record.key = scratch;
  record.time = time_of(header.time);
  record.data = bytes.subspan(data_at, size);
  return record;
}

void V1_2Parser::note(ByteView record) {
  auto parsed = parse_record(record);
  if (!parsed || parsed->header.op() != static_cast<std::uint8_t>(Op::message_definition)) return;
  const Fields& header = parsed->header;
  Definition definition{std::string(header.text("md5")), std::string(header.text("def"))};
  by_topic_.try_emplace(std::string(header.text("topic")), definition);
  by_type_.try_emplace(std::string(header.text("type")), definition);
}

const std::string* V1_2Parser::find_definition(std::string_view topic, std::string_view md5sum,
                                               std::string_view type) const {
  for (auto [table, name] : {std::pair(&by_topic_, topic), std::pair(&by_type_, type)}) {
    auto it = table->find(name);
    if (it != table->end() && it->second.md5sum == md5sum) return &it->second.text;
  }
  return nullptr;
}

Channel V1_2Parser::describe(std::string_view key) const {
  std::string_view topic = take_from_key(key);
  std::string_view md5sum = take_from_key(key);
  std::string_view type = take_from_key(key);
  Channel channel = undefined_channel(topic, md5sum, type);
  if (const std::string* text = find_definition(topic, md5sum, type)) {
    channel.schema = std::make_shared<Schema>(Schema{std::string(type), "ros1msg", *text});
  }
  while (!key.empty()) {
    std::string_view name = take_from_key(key);
    std::string_view value = take_from_key(key);
    if (!name.empty()) channel.metadata.emplace(name, value);
  }
  return channel;
}

std::size_t V1_2Parser::find_record(ByteView bytes) const {
  // A record begins with the length of its header, the length of a field, and that field's name.
  std::string scratch;
  for (std::size_t at = 1; at + 12 <= bytes.size(); ++at) {
    auto header_bytes = load_le<std::uint32_t>(bytes.data() + at);
    auto field_bytes = load_le<std::uint32_t>(bytes.data() + at + 4);
    if (header_bytes > kMaxConnectionBytes || field_bytes >= header_bytes) continue;
    auto first = static_cast<char>(bytes[at + 8]);
    if (first < 'a' || first > 'z') continue;
    auto kind = parse(bytes.subspan(at), scratch).kind;
    if (kind == RunRecord::Kind::message || kind == RunRecord::Kind::other) return at;
  }
  return bytes.size();
}

}  // namespace

Run open_v1_2(const ReadFile&, const std::string&) {
  constexpr std::string_view kFirstLine = "#ROSRECORD V1.2\n";
  return {kFirstLine.size(), std::make_unique<V1_2Parser>()};
}

}  // namespace kitbag::rosbag
