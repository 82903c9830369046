#include "storage/rosbag/old/v1_2.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/cursor.h"
#include "storage/rosbag/old/run_lines.h"

// Every message repeats its topic, md5sum, type and perhaps its node, in fields of any order:
//
//     length | op=2 | topic=... | md5=... | type=... | sec=.... | nsec=.... | data length | data
//
// Parsing these fields would cost more than the rest of reading. But the headers of one channel
// differ in eight bytes only, sec and nsec. So the first header of each channel becomes a shape,
// and later headers are compared with the shapes byte by byte. Topics tend to come in turn, so the
// shape behind the last one is tried first. A bag with more than 64 channels parses the headers of
// the others.
//
// A channel is a combination of topic, md5sum, type, node and latching. Its key is these values,
// each after its length, because any of them may contain any byte.
//
// A definition may be larger than the window of the walk. A header that is cut off by the window is
// therefore judged by the fields that are there, and only then the rest is asked for: otherwise a
// damaged length would make the walk read up to 16 MiB for nothing.

namespace kitbag::rosbag {

namespace {

constexpr std::size_t kLengthBytes = sizeof(std::uint32_t);
/// Definitions are header fields, so headers may be large.
constexpr std::size_t kMaxHeaderBytes1_2 = 16 << 20;
// The format has no limits. These keep a search from work that grows with the square of the file.
constexpr std::size_t kMaxFields1_2 = 4096;
constexpr std::size_t kMaxFieldName = 4096;
/// Of the first field of a record that is searched for.
constexpr std::size_t kMaxSoughtName = 64;

/// The fields of a record that matter, as views.
struct V1_2Header {
  std::uint8_t op = 0;
  std::string_view topic, md5sum, type, definition;
  bool has_topic = false;
  std::optional<std::string_view> latching, callerid;
  std::optional<std::uint64_t> index_pos;
  std::optional<std::uint32_t> sec, nsec;
  const std::byte* sec_at = nullptr;
  const std::byte* nsec_at = nullptr;

  Time time() const { return time_of(*sec | std::uint64_t{*nsec} << 32); }
};

template <class T>
std::optional<T> number_in(ByteView value) {
  if (value.size() != sizeof(T)) return std::nullopt;
  return load_le<T>(value.data());
}

void take_field(V1_2Header& header, std::string_view name, ByteView value) {
  std::string_view text = as_text(value);
  if (name == "op") header.op = number_in<std::uint8_t>(value).value_or(0);
  if (name == "topic") {
    header.topic = text;
    header.has_topic = true;
  }
  if (name == "md5") header.md5sum = text;
  if (name == "type") header.type = text;
  if (name == "def") header.definition = text;
  if (name == "sec") {
    header.sec = number_in<std::uint32_t>(value);
    header.sec_at = value.data();
  }
  if (name == "nsec") {
    header.nsec = number_in<std::uint32_t>(value);
    header.nsec_at = value.data();
  }
  if (name == "index_pos") header.index_pos = number_in<std::uint64_t>(value);
  if (name == "latching") header.latching = text;
  if (name == "callerid") header.callerid = text;
}

/// Where the name of the field that begins `text` ends, npos if it is none; `text` may be cut.
std::size_t name_end(std::string_view text, std::size_t most) {
  std::size_t end = text.substr(0, most).find('=');
  std::string_view name = text.substr(0, std::min(end, most));
  auto is_printable = [](char c) { return c >= ' ' && c <= '~'; };
  bool is_name = end != 0 && std::all_of(name.begin(), name.end(), is_printable);
  return is_name ? end : std::string_view::npos;
}

bool is_message(const V1_2Header& header) {
  return header.op == static_cast<std::uint8_t>(Op::message);
}

/// The fields of a header of `size` bytes, of which those in `bytes` are there. Nothing if one does
/// not fit; fields that are cut off are left out.
std::optional<V1_2Header> parse_fields(ByteView bytes, std::size_t size) {
  V1_2Header header;
  Cursor cursor(bytes);
  for (std::size_t i = 0; !cursor.at_end(); ++i) {
    auto length = cursor.number<std::uint32_t>();
    if (!length) break;
    if (*length > size - cursor.position() || i == kMaxFields1_2) return std::nullopt;
    std::size_t there = std::min<std::size_t>(*length, cursor.left());
    ByteView field = *cursor.bytes(there);
    std::size_t equals = name_end(as_text(field), kMaxFieldName);
    bool is_cut = there < *length;
    if (equals == std::string_view::npos) {
      if (is_cut && there < kMaxFieldName) break;
      return std::nullopt;
    }
    if (is_cut) break;
    take_field(header, as_text(field.first(equals)), field.subspan(equals + 1));
  }
  // The first description of this version gives the file header the number of messages.
  if (is_message(header) && header.index_pos && !header.has_topic) {
    header.op = static_cast<std::uint8_t>(Op::file_header);
  }
  return header;
}

/// A message that does not say what it is, or when, is none.
bool is_sound(const V1_2Header& header) {
  if (is_message(header)) return header.has_topic && header.sec && header.nsec;
  return header.op != 0;
}

/// Fields of a key, each behind its length.
void add_to_key(std::string& key, std::string_view value) {
  auto size = static_cast<std::uint32_t>(value.size());
  key.append(reinterpret_cast<const char*>(&size), sizeof(size));
  key += value;
}

std::string_view take_from_key(std::string_view& key) {
  auto size = load_le<std::uint32_t>(as_bytes(key).data());
  std::string_view value = key.substr(sizeof(size), size);
  key.remove_prefix(sizeof(size) + size);
  return value;
}

void make_key(const V1_2Header& header, std::string& key) {
  key.clear();
  add_to_key(key, header.topic);
  add_to_key(key, header.md5sum);
  add_to_key(key, header.type);
  for (auto [name, value] :
       {std::pair("latching", header.latching), std::pair("callerid", header.callerid)}) {
    if (!value) continue;
    add_to_key(key, name);
    add_to_key(key, *value);
  }
}

/// The header in the head of a record.
ByteView header_in(ByteView head) {
  return head.subspan(kLengthBytes, head.size() - 2 * kLengthBytes);
}

}  // namespace

bool V1_2Parser::Shape::matches(const std::byte* other) const {
  constexpr std::size_t kTime = sizeof(std::uint32_t);
  auto is_same = [&](std::size_t begin, std::size_t end) {
    return std::memcmp(header.data() + begin, other + begin, end - begin) == 0;
  };
  auto [first, second] = std::minmax(sec_at, nsec_at);
  // The topic stands last in the headers of the original writers: there they differ.
  return is_same(second + kTime, header.size()) && is_same(0, first) &&
         is_same(first + kTime, second);
}

const V1_2Parser::Shape* V1_2Parser::find_shape(ByteView header, RunScratch& scratch) const {
  // Topics tend to come in turn, so the one behind the last one is tried first.
  for (std::size_t i = 0, at = scratch.last; i < shapes_.size(); ++i) {
    at = at + 1 < shapes_.size() ? at + 1 : 0;
    const Shape& shape = shapes_[at];
    if (shape.header.size() == header.size() && shape.matches(header.data())) {
      scratch.last = at;
      return &shape;
    }
  }
  return nullptr;
}

RunRecord V1_2Parser::parse(ByteView bytes, RunScratch& scratch) const {
  RunRecord record = RunRecord::needs(kLengthBytes);
  if (bytes.size() < kLengthBytes) return record;
  std::size_t size = load_le<std::uint32_t>(bytes.data());
  if (size == 0 || size > kMaxHeaderBytes1_2) return {};
  record.bytes = record.head_bytes = kLengthBytes + size + kLengthBytes;
  bool is_cut = bytes.size() < record.head_bytes;
  ByteView there = bytes.subspan(kLengthBytes, std::min(size, bytes.size() - kLengthBytes));
  const Shape* shape = is_cut ? nullptr : find_shape(there, scratch);
  if (shape) {
    record.slot = shape->slot;
    auto sec = load_le<std::uint32_t>(there.data() + shape->sec_at);
    auto nsec = load_le<std::uint32_t>(there.data() + shape->nsec_at);
    record.time = time_of(sec | std::uint64_t{nsec} << 32);
    record.kind = RunRecord::Kind::message;
  } else {
    auto header = parse_fields(there, size);
    if (!header) return {};
    if (is_cut) return record;
    if (!is_sound(*header)) return {};
    record.kind = RunRecord::Kind::other;
    if (is_message(*header)) {
      make_key(*header, scratch.key);
      record.key = scratch.key;
      record.time = header->time();
      record.kind = RunRecord::Kind::message;
    }
  }
  std::size_t data_bytes = load_le<std::uint32_t>(bytes.data() + kLengthBytes + size);
  if (record.kind == RunRecord::Kind::message && data_bytes > kMaxRunMessage) return {};
  record.bytes += data_bytes;
  return record;
}

Op V1_2Parser::op_of(ByteView head) {
  ByteView header = header_in(head);
  return static_cast<Op>(parse_fields(header, header.size())->op);
}

std::string V1_2Parser::topic_of(ByteView head) {
  ByteView header = header_in(head);
  return std::string(parse_fields(header, header.size())->topic);
}

void V1_2Parser::learn(ByteView head, std::uint32_t slot) {
  ByteView header = header_in(head);
  auto fields = parse_fields(header, header.size());
  RunScratch unused;
  if (shapes_.size() == kMostShapes || find_shape(header, unused)) return;
  shapes_.push_back({std::string(as_text(header)),
                     static_cast<std::size_t>(fields->sec_at - header.data()),
                     static_cast<std::size_t>(fields->nsec_at - header.data()), slot});
}

void V1_2Parser::note(ByteView head) {
  ByteView header = header_in(head);
  auto fields = parse_fields(header, header.size());
  auto op = static_cast<Op>(fields->op);
  if (op == Op::file_header && !has_file_header_) {
    has_file_header_ = true;
    index_pos_ = fields->index_pos.value_or(0);
  }
  if (op != Op::message_definition) return;
  std::vector<Definition>& known = by_topic_[std::string(fields->topic)];
  bool is_known = std::any_of(known.begin(), known.end(), [&](const Definition& definition) {
    return definition.md5sum == fields->md5sum && definition.type == fields->type;
  });
  if (is_known) return;
  known.push_back({std::string(fields->md5sum), std::string(fields->type),
                   std::make_shared<const std::string>(fields->definition)});
}

const std::string* V1_2Parser::find_definition(std::string_view topic, std::string_view md5sum,
                                               std::string_view type) const {
  auto find_in = [&](const std::vector<Definition>& definitions) -> const std::string* {
    for (const Definition& definition : definitions) {
      if (definition.md5sum == md5sum && definition.type == type) return definition.text.get();
    }
    return nullptr;
  };
  auto own = by_topic_.find(topic);
  const std::string* text = own == by_topic_.end() ? nullptr : find_in(own->second);
  for (auto it = by_topic_.begin(); !text && it != by_topic_.end(); ++it)
    text = find_in(it->second);
  return text;
}

std::string V1_2Parser::contradiction(const Channel& channel) const {
  auto own = by_topic_.find(channel.topic);
  auto md5sum = channel.metadata.find("md5sum");
  if (own == by_topic_.end() || md5sum == channel.metadata.end()) return {};
  if (find_definition(channel.topic, md5sum->second, channel.type())) return {};
  const Definition& definition = own->second.front();
  return fmt::format(
      "messages on {} have the type {} with the MD5 sum {}, but the definition is of {} with {}",
      channel.topic, channel.type(), md5sum->second, definition.type, definition.md5sum);
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
    channel.metadata.emplace(name, value);
  }
  return channel;
}

std::vector<Channel> V1_2Parser::silent_channels(const Channels& known) const {
  std::vector<Channel> silent;
  for (const auto& [name, definitions] : by_topic_) {
    const std::string& topic = name;  // clang 14 captures no structured binding
    auto is_on = [&](const ChannelPtr& channel) { return channel->topic == topic; };
    if (std::any_of(known.begin(), known.end(), is_on)) continue;
    for (const Definition& definition : definitions) {
      Channel channel = undefined_channel(topic, definition.md5sum, definition.type);
      channel.schema =
          std::make_shared<Schema>(Schema{definition.type, "ros1msg", *definition.text});
      silent.push_back(std::move(channel));
    }
  }
  return silent;
}

/// A record begins with the length of its header, the length of a field, and that field's name.
std::size_t V1_2Parser::find_record(ByteView bytes) const {
  constexpr std::size_t kFewest = 2 * kLengthBytes + 2;
  for (std::size_t at = 0; at + kFewest <= bytes.size(); ++at) {
    auto header = load_le<std::uint32_t>(bytes.data() + at);
    auto field = load_le<std::uint32_t>(bytes.data() + at + kLengthBytes);
    if (header > kMaxHeaderBytes1_2 || std::uint64_t{field} + kLengthBytes > header) continue;
    std::string_view text = as_text(bytes.subspan(at + 2 * kLengthBytes));
    std::size_t equals = name_end(text.substr(0, field), kMaxSoughtName);
    if (equals < text.size() && equals < field) return at;
  }
  return bytes.size();
}

}  // namespace kitbag::rosbag
