#include "storage/sqlite3/stamps.h"

// The stamps of a run of messages, one after the other:
//
//     delay varint, sequence varint | delay, sequence | ...    messages first_id, first_id + 1, ...
//
// A delay is publish time minus log time. It is small and mostly negative, so its sign goes into
// the lowest bit (zigzag); as a number in two's complement it would take nine bytes each time. With
// it, a message takes about five bytes.
//
// Ids that no run covers have no stamp. The reader also remembers how far that holds, up to the
// next run: otherwise it would search the table again for every message of a bag that has few
// stamps.

namespace kitbag::sqlite3 {

namespace {

/// As record.h reads it: seven bits a byte, the most significant first; nine bytes hold eight bits
/// in the last.
void put_varint(std::vector<std::byte>& bytes, std::uint64_t value) {
  constexpr int kMost = 9;
  std::byte digits[kMost];
  int count = 0;
  if (value >> 56 != 0) {
    digits[count++] = static_cast<std::byte>(value & 0xFF);
    value >>= 8;
    while (count < kMost) {
      digits[count++] = static_cast<std::byte>((value & 0x7F) | 0x80);
      value >>= 7;
    }
  } else {
    do {
      digits[count] = static_cast<std::byte>((value & 0x7F) | (count > 0 ? 0x80 : 0));
      ++count;
      value >>= 7;
    } while (value != 0);
  }
  while (count > 0) bytes.push_back(digits[--count]);
}

}  // namespace

void StampRun::add(const Stamp& stamp) {
  auto bits = static_cast<std::uint64_t>(stamp.delay_ns);
  put_varint(bytes_, (bits << 1) ^ (stamp.delay_ns < 0 ? UINT64_MAX : 0));
  put_varint(bytes_, stamp.sequence);
  is_needed_ |= stamp.delay_ns != 0 || stamp.sequence != 0;
}

void StampRun::clear() {
  bytes_.clear();
  is_needed_ = false;
}

bool parse_stamps(ByteView bytes, std::vector<Stamp>& stamps) {
  stamps.clear();
  for (std::size_t at = 0; at < bytes.size();) {
    auto delay = take_varint(bytes, at);
    auto sequence = delay ? take_varint(bytes, at) : std::nullopt;
    if (!sequence || *sequence > UINT32_MAX) return false;
    std::uint64_t sign = (*delay & 1) != 0 ? UINT64_MAX : 0;
    stamps.push_back(
        {static_cast<std::int64_t>((*delay >> 1) ^ sign), static_cast<std::uint32_t>(*sequence)});
  }
  return true;
}

StampReader::StampReader(std::shared_ptr<const PageFile> file,
                         std::shared_ptr<const TableTree> tree)
    : file_(file), cursor_(std::move(file), std::move(tree)) {}

Stamp StampReader::of(std::int64_t id) {
  if (id < first_ || id >= behind_) load(id);
  auto at = static_cast<std::uint64_t>(id) - static_cast<std::uint64_t>(first_);
  return id >= first_ && at < stamps_.size() ? stamps_[static_cast<std::size_t>(at)] : Stamp{};
}

void StampReader::load(std::int64_t id) {
  stamps_.clear();
  Row row;
  if (cursor_.seek_last(id) && cursor_.next(row)) {
    std::vector<Column> columns;
    if (!parse_record(row.local, row.size, columns) || columns.size() < 2 ||
        columns[1].size > file_->stored_bytes()) {
      throw file_->error(ErrorCode::corrupt, row.page, "the publish times are damaged");
    }
    record_.resize(static_cast<std::size_t>(columns[1].size));
    read_payload(*file_, row, columns[1].offset, record_.span(), scratch_);
    if (!parse_stamps(record_.view(), stamps_)) {
      throw file_->error(ErrorCode::corrupt, row.page, "the publish times are damaged");
    }
    first_ = row.id;
    Row next;
    behind_ = cursor_.next(next) ? next.id : INT64_MAX;
    return;
  }
  cursor_.seek(id);
  first_ = id;
  behind_ = cursor_.next(row) ? row.id : INT64_MAX;
}

}  // namespace kitbag::sqlite3
