#include "storage/mcap/end.h"

#include "io/file_slice.h"
#include "storage/chunked/file_window.h"
#include "storage/chunked/unfinished.h"
#include "storage/mcap/index.h"

// An append goes behind the old end of the file, and hides that end in a private record at last
// (append.cpp). Where it dies before, the old data end, summary, footer and magic stand in the
// middle of the file, and everything in front of them is whole.

namespace kitbag::mcap {

namespace {

/// Heads of message indexes stand some hundred bytes apart.
constexpr std::size_t kWindowBytes = 4 << 10;

}  // namespace

std::uint64_t end_of_bag(const ChunkFile& file) {
  std::uint64_t size = file.file().size();
  FileWindow window;
  bool is_in_summary = false;
  std::uint64_t at = kMagic.size();
  while (at + kRecordHead <= size) {
    ByteView head = window.at(file.file(), size, at, kRecordHead, kWindowBytes);
    if (head.size() < kRecordHead) return size;
    auto op = static_cast<Op>(head[0]);
    auto length = load_le<std::uint64_t>(head.data() + 1);
    if (op == Op{0} || length > size - at - kRecordHead) return size;
    at += kRecordHead + length;
    is_in_summary |= op == Op::data_end;
    if (op == Op::footer) break;
  }
  std::uint64_t end = at + kMagic.size();
  if (!is_in_summary || end >= size) return size;
  // Two files that somebody has joined are no append.
  ByteView next = window.at(file.file(), size, end, kMagic.size(), kWindowBytes);
  if (as_text(next).starts_with(kMagic)) return size;
  Tail tail = read_tail(*cut_to(file, end));
  return tail.fault || !tail.summary ? size : end;
}

std::shared_ptr<const ChunkFile> cut_to(const ChunkFile& file, std::uint64_t end) {
  auto front = std::make_shared<const FileSlice>(file.shared_file(), 0, end);
  return std::make_shared<const ChunkFile>(std::move(front), file.path(), file.checks_crc(),
                                           file.limit());
}

bool leave_unfinished(std::shared_ptr<const ChunkFile>& file, const ReadOptions& options) {
  std::uint64_t size = file->file().size();
  std::uint64_t end = end_of_bag(*file);
  if (end == size) return false;
  report(options.on_problem, unfinished_append(file->path(), end, size - end));
  file = cut_to(*file, end);
  return true;
}

}  // namespace kitbag::mcap
