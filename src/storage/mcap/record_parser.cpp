#include "storage/mcap/record_parser.h"

#include <algorithm>

// What makes bytes a record, for those who have lost their way. A length is believed if the lengths
// inside the content fit into it: the names of a channel, the data of a chunk or an attachment, the
// entries of a message index. Records without data are parsed as a whole if they have up to 1 MiB;
// of chunks and attachments only the head is. DataEnd and Footer have one possible length.
//
// A message says nothing about its own length except that it has 22 bytes before the payload.
// Therefore a search believes only two records in a row (RunParser::chain()).
//
// find_record() must be fast, as it looks at every byte behind damage. It asks for an opcode that
// the specification knows and for three zero bytes at the top of the length: random bytes pass
// about once in 300 MB. Headers (01) stand only at the begin of a file, and private opcodes could
// be any byte, so neither is searched for.

namespace kitbag::mcap {

namespace {

/// A record whose content is believed to be no larger, when it has no lengths to compare.
constexpr std::uint64_t kMostBelieved = std::uint64_t{1} << 48;
/// Heads that are not all within this are passed on unseen.
constexpr std::uint64_t kMostLookedAt = 1 << 20;

RunRecord other(std::uint64_t bytes, std::uint64_t head_bytes) {
  RunRecord record;
  record.kind = RunRecord::Kind::other;
  record.bytes = bytes;
  record.head_bytes = static_cast<std::size_t>(std::min(bytes, head_bytes));
  return record;
}

/// What the content of a record says about its size; the known fields may be followed by others.
bool has_sound_content(Op op, ByteView content) {
  switch (op) {
    case Op::header:
      return parse_header(content).has_value();
    case Op::schema:
      return parse_schema(content).has_value();
    case Op::channel:
      return parse_channel(content).has_value();
    case Op::metadata:
      return parse_metadata(content).has_value();
    case Op::chunk_index:
      return parse_chunk_index(content).has_value();
    case Op::attachment_index:
      return parse_attachment_index(content).has_value();
    case Op::statistics:
      return parse_statistics(content).has_value();
    case Op::metadata_index:
      return parse_metadata_index(content).has_value();
    case Op::summary_offset:
      return parse_summary_offset(content).has_value();
    default:
      return true;
  }
}

RunRecord parse_message(ByteView bytes, std::uint64_t size) {
  constexpr std::size_t kFrame = kRecordHead + MessageHead::kBytes;
  if (size < MessageHead::kBytes) return {};
  if (bytes.size() < kFrame) return RunRecord::needs(kFrame);
  MessageHead head = MessageHead::load(bytes.data() + kRecordHead);
  RunRecord record;
  record.kind = RunRecord::Kind::message;
  record.bytes = kRecordHead + size;
  record.head_bytes = kFrame;
  record.slot = head.channel_id;
  record.time = time_of(head.log_time);
  return record;
}

/// Chunks and attachments: a head in front of data. `Head` says how much there must be.
template <class Parse, class DataSize>
RunRecord parse_with_data(ByteView bytes, std::uint64_t size, Parse&& parse, DataSize&& data_size) {
  constexpr std::size_t kEnough = 256;
  ByteView content = bytes.subspan(kRecordHead);
  content = content.first(static_cast<std::size_t>(std::min<std::uint64_t>(content.size(), size)));
  auto head = parse(content);
  if (!head) {
    bool is_all = content.size() == size || content.size() >= kMostLookedAt;
    if (is_all) return {};
    std::uint64_t wanted = std::max<std::uint64_t>(kEnough, 2 * content.size());
    return RunRecord::needs(kRecordHead + std::min(size, wanted));
  }
  std::uint64_t room = size - head->bytes;
  if (data_size(*head) > room) return {};
  return other(kRecordHead + size, kRecordHead + head->bytes);
}

RunRecord parse_message_index(ByteView bytes, std::uint64_t size) {
  constexpr std::size_t kHead = sizeof(std::uint16_t) + sizeof(std::uint32_t);
  if (size < kHead) return {};
  if (bytes.size() < kRecordHead + kHead) return RunRecord::needs(kRecordHead + kHead);
  auto length = load_le<std::uint32_t>(bytes.data() + kRecordHead + sizeof(std::uint16_t));
  if (length > size - kHead || length % MessageIndex::kEntryBytes != 0) return {};
  return other(kRecordHead + size, kRecordHead);
}

}  // namespace

RunRecord RecordParser::parse(ByteView bytes, RunScratch&) const {
  auto op = std::to_integer<std::uint8_t>(bytes[0]);
  if (op == 0) return {};
  if (bytes.size() < kRecordHead) return RunRecord::needs(kRecordHead);
  auto size = load_le<std::uint64_t>(&bytes[1]);
  if (size > kMostBelieved) return {};
  switch (static_cast<Op>(op)) {
    case Op::message:
      return parse_message(bytes, size);
    case Op::chunk:
      return parse_with_data(bytes, size, parse_chunk_head,
                             [](const ChunkHead& head) { return head.records_size; });
    case Op::attachment:
      return parse_with_data(bytes, size, parse_attachment_head, [](const AttachmentHead& head) {
        return head.data_size > kMostBelieved ? head.data_size : head.data_size + 4;
      });
    case Op::message_index:
      return parse_message_index(bytes, size);
    case Op::footer:
      return size == kFooterBytes ? other(kRecordHead + size, kRecordHead) : RunRecord();
    case Op::data_end:
      return size == sizeof(std::uint32_t) ? other(kRecordHead + size, kRecordHead + size)
                                           : RunRecord();
    default:
      break;
  }
  bool is_known = op <= static_cast<std::uint8_t>(Op::data_end);
  if (!is_known) return other(kRecordHead + size, kRecordHead);
  if (size > kMaxDefinitionBytes) return {};
  if (size <= kMostLookedAt - kRecordHead) {
    if (bytes.size() < kRecordHead + size) return RunRecord::needs(kRecordHead + size);
    ByteView content = bytes.subspan(kRecordHead, static_cast<std::size_t>(size));
    if (!has_sound_content(static_cast<Op>(op), content)) return {};
  }
  return other(kRecordHead + size, kRecordHead + size);
}

/// An opcode that the specification has, and a size that is not absurd.
std::size_t RecordParser::find_record(ByteView bytes) const {
  constexpr std::size_t kSizeHighAt = 6;  // its upper three bytes: none is larger than 1 TiB
  for (std::size_t at = 0; at + kRecordHead <= bytes.size(); ++at) {
    auto op = std::to_integer<std::uint8_t>(bytes[at]);
    if (op < 0x02 || op > 0x0F) continue;
    bool is_sane = (bytes[at + kSizeHighAt] | bytes[at + kSizeHighAt + 1] |
                    bytes[at + kSizeHighAt + 2]) == std::byte{};
    if (is_sane) return at;
  }
  return bytes.size();
}

}  // namespace kitbag::mcap
