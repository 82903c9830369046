#include "storage/rosbag/recovery/search.h"

#include <algorithm>
#include <cstring>

// The seven bytes `04 00 00 00 "op="` begin the op field of every record, and are rare elsewhere.
// They are found by memmem(). But they stand anywhere in a header, and the header begins before
// them:
//
//     header length | length, "conn=..." | 04 00 00 00 "op=" . | length, "time=..." | data length
//     ^ sought                             ^ found
//
// So each of the 256 bytes before is tried as the begin: the header's length must reach behind the
// op field, the lengths of the fields must lead exactly to it and exactly to the end, and the
// record must be plausible as its kind. What passes all of this and is no record of the bag is most
// likely the record of a bag that is stored in a message.
//
// The work at one place is bounded (256 begins, 64 fields), so garbage cannot make a search
// quadratic. memmem() is used because these bytes are far apart: it skips payloads at memory speed.

namespace kitbag::rosbag {

namespace {

/// The `op` field: its length, its name, and behind these the op itself.
constexpr std::string_view kOpField("\x04\0\0\0op=", 7);
/// How far behind the begin of its header an `op` field is looked for; chunk infos of the original
/// writer have 57 bytes before it.
constexpr std::size_t kMaxBeforeOp = 256;
constexpr std::size_t kLength = sizeof(std::uint32_t);
/// Headers that are searched for are shorter: real ones take 30 to 300 bytes.
constexpr std::size_t kMaxSoughtHeader = 2048;
/// Where a header is known to begin it may hold a definition.
constexpr std::size_t kMaxKnownHeader = 64 << 10;
/// No record has this many fields; it limits the work of a search at one place.
constexpr std::size_t kMaxSoughtFields = 64;

template <class T>
bool has(const Fields& header, std::string_view name) {
  return header.number<T>(name).has_value();
}

bool names_channel(const Fields& header) {
  return has<std::uint32_t>(header, "conn") || has<std::uint32_t>(header, "id") ||
         header.find("topic").has_value();
}

bool is_plausible_chunk(const Fields& header) {
  auto is_known = [](const Fields::Field& field) {
    return field.first == "op" || field.first == "compression" || field.first == "size";
  };
  auto size = header.find("size");
  if (size && size->size() != sizeof(std::uint32_t)) return false;
  if (std::all_of(header.begin(), header.end(), is_known)) return true;
  // It may have more, if what must be there leaves no doubt.
  std::string_view compression = header.text("compression");
  return size && (compression == "none" || compression == "lz4" || compression == "bz2");
}

bool is_plausible_index(const Fields& header, std::uint64_t data_size) {
  auto count = header.number<std::uint32_t>("count");
  return count && header.number<std::uint32_t>("ver") == kIndexVersion && names_channel(header) &&
         data_size == std::uint64_t{*count} * kIndexEntryBytes;
}

bool is_plausible_chunk_info(const Fields& header, std::uint64_t data_size) {
  auto count = header.number<std::uint32_t>("count");
  // Version 1.3 had topics where 2.0 has connections of 4 bytes.
  return count && header.number<std::uint32_t>("ver") == kIndexVersion &&
         has<std::uint64_t>(header, "chunk_pos") &&
         data_size >= std::uint64_t{*count} * kCountEntryBytes && data_size <= kMaxConnectionBytes;
}

/// Whether the fields that begin at `at` of `bytes` lead exactly to `target`.
bool leads_to(ByteView bytes, std::size_t at, std::size_t target) {
  for (std::size_t fields = 0; at < target && fields < kMaxSoughtFields; ++fields) {
    if (at + kLength > bytes.size()) return false;
    at += kLength + load_le<std::uint32_t>(bytes.data() + at);
  }
  return at == target;
}

}  // namespace

bool is_structural(Op op) {
  switch (op) {
    case Op::file_header:
    case Op::index:
    case Op::chunk:
    case Op::chunk_info:
      return true;
    default:
      return false;
  }
}

bool is_plausible(const Fields& header, std::uint64_t data_size) {
  switch (header.kind()) {
    case Op::message_definition:
      return header.find("topic") && header.find("type") && data_size <= kMaxConnectionBytes;
    case Op::message:
      return (has<std::uint32_t>(header, "conn") || header.find("topic")) &&
             has<std::uint64_t>(header, "time") && data_size <= kMaxChunkBytes;
    case Op::file_header:
      return has<std::uint64_t>(header, "index_pos") && data_size <= kMaxConnectionBytes;
    case Op::index:
      return is_plausible_index(header, data_size);
    case Op::chunk:
      return is_plausible_chunk(header);
    case Op::chunk_info:
      return is_plausible_chunk_info(header, data_size);
    case Op::connection:
      return names_channel(header) && data_size <= kMaxConnectionBytes;
  }
  return false;
}

/// The bytes from `from` on: `at_least` this many, or as many as there are before the end.
ByteView RecordSearch::window(std::uint64_t from, std::size_t at_least) {
  if (from >= end_) return {};
  auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(at_least, end_ - from));
  if (!holds(from, wanted)) {
    auto size = std::min<std::uint64_t>(end_ - from, std::max(window_bytes_, at_least));
    window_.resize(static_cast<std::size_t>(size));
    window_.resize(file_.read(from, window_.span()));
    start_ = from;
  }
  return window_.view().subspan(static_cast<std::size_t>(from - start_));
}

std::uint64_t RecordSearch::find_bytes(std::uint64_t from, std::string_view bytes) {
  for (;;) {
    ByteView here = window(from, bytes.size());
    if (here.size() < bytes.size()) return end_;
    const void* found = memmem(here.data(), here.size(), bytes.data(), bytes.size());
    if (found) {
      return from + static_cast<std::uint64_t>(static_cast<const std::byte*>(found) - here.data());
    }
    from += here.size() - bytes.size() + 1;
  }
}

ByteView RecordSearch::bytes(std::uint64_t offset, std::size_t count) {
  ByteView here = window(offset, count);
  return here.first(std::min(count, here.size()));
}

std::optional<RecordHead> RecordSearch::head_at(std::uint64_t offset) {
  ByteView length = bytes(offset, kLength);
  if (length.size() < kLength) return std::nullopt;
  std::size_t size = load_le<std::uint32_t>(length.data());
  if (size <= kOpField.size() || size > kMaxKnownHeader) return std::nullopt;
  ByteView all = bytes(offset, kLength + size + kLength);
  if (all.size() < kLength + size + kLength) return std::nullopt;
  if (!leads_to(all, kLength, kLength + size)) return std::nullopt;
  auto header = Fields::parse(all.subspan(kLength, size));
  auto data_size = load_le<std::uint32_t>(all.data() + kLength + size);
  if (!header || !is_plausible(*header, data_size)) return std::nullopt;
  return RecordHead{offset, std::move(*header), offset + all.size(), data_size};
}

std::uint64_t RecordSearch::find_record(std::uint64_t from) {
  return find_header(from).offset;
}

std::uint64_t RecordSearch::find_structure(std::uint64_t from) {
  Found found = find_header(from);
  while (found.offset < end_ && !is_structural(found.op)) found = find_header(found.offset + 1);
  return found.offset;
}

RecordSearch::Found RecordSearch::find_header(std::uint64_t from) {
  for (std::uint64_t at = from;;) {
    std::uint64_t op_field = find_bytes(at, kOpField);
    if (op_field == end_) return {end_, Op::message};
    if (auto found = header_around(op_field, from)) return *found;
    at = op_field + 1;
  }
}

/// The plausible header whose `op` field begins at `op_field`, and which does not begin before
/// `from`.
std::optional<RecordSearch::Found> RecordSearch::header_around(std::uint64_t op_field,
                                                               std::uint64_t from) {
  std::uint64_t before = std::min<std::uint64_t>(kMaxBeforeOp + kLength, op_field - from);
  auto op_at = static_cast<std::size_t>(before);
  ByteView bytes = window(op_field - before, op_at + kMaxSoughtHeader + kLength);
  for (std::size_t back = 0; back + kLength <= op_at; ++back) {
    std::size_t header_at = op_at - back;
    std::size_t size = load_le<std::uint32_t>(bytes.data() + header_at - kLength);
    if (size < back + kOpField.size() + 1 || size > kMaxSoughtHeader) continue;
    if (header_at + size + kLength > bytes.size() || !leads_to(bytes, header_at, op_at)) continue;
    if (!leads_to(bytes, header_at, header_at + size)) continue;
    auto header = Fields::parse(bytes.subspan(header_at, size));
    std::uint64_t data_size = load_le<std::uint32_t>(bytes.data() + header_at + size);
    if (!header || !is_plausible(*header, data_size)) continue;
    return Found{op_field - back - kLength, header->kind()};
  }
  return std::nullopt;
}

}  // namespace kitbag::rosbag
