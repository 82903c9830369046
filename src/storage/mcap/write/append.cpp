#include <algorithm>

#include "base/crc32.h"
#include "storage/mcap/extras.h"
#include "storage/mcap/write/append.h"
#include "storage/writing/file_options.h"

// Appending never harms the file. The new records, a new DataEnd and a new, whole summary are
// written behind the old end. When all that is on the disk, nine bytes are rewritten: opcode and
// length of the old DataEnd become those of a private record that reaches to the old end of the
// file, so that readers step over the old summary. A program that dies before leaves a file whose
// messages are all found by reading everything, and whose old end is found by stepping over its
// records (end.h); without close() the file is cut back to what it was. The price is the size of
// the old summary. Refused: writing over the summary, which is lost when the program dies.

namespace kitbag::mcap {

bool is_dead_tail(const ReadFile& file, std::uint64_t offset, std::uint8_t op,
                  std::uint64_t bytes) {
  if (op != kDeadTailOp || bytes < kRecordHead + kTailBytes) return false;
  std::byte end[8];
  return file.read(offset + bytes - kMagic.size(), end) == sizeof(end) && as_text(end) == kMagic;
}

std::unique_ptr<Writer> append_to(const std::string& path, const WriteOptions& options,
                                  const FileSystem& files) {
  auto lock = files.lock(path, LockKind::exclusive, options.on_warning);
  auto opened = std::make_shared<const ChunkFile>(files.open(path), path, true);
  BagWriter::Old old;
  std::optional<BagIndex> index = open_by_summary(opened, old.tail, {});
  const ChunkFile& file = *opened;
  if (!index || !index->statistics) {
    throw Error(ErrorCode::unsupported,
                "the file has no complete summary, which appending requires; convert it to a new "
                "file first",
                path);
  }
  old.index = std::move(*index);
  std::uint64_t data_end = old.index.table.data_end;
  Buffer tail;
  tail.resize(static_cast<std::size_t>(file.file().size() - data_end));
  if (file.file().read(data_end, tail.span()) < tail.size()) {
    throw Error(ErrorCode::io, "another program truncated the file", path);
  }
  auto old_crc = load_le<std::uint32_t>(tail.data() + kRecordHead);
  tail.data()[0] = std::byte{kDeadTailOp};
  store_le(tail.data() + 1, std::uint64_t{tail.size() - kRecordHead});
  ByteView patch = tail.view().first(kRecordHead);
  old.patch.assign(patch.begin(), patch.end());
  old.patch_at = data_end;
  if (old_crc != 0) old.data_crc = crc32(tail.view(), old_crc);
  auto target = files.append(path, file.file().size(), std::move(lock), file_options(options));
  return std::make_unique<BagWriter>(std::move(target), path, options, std::move(old));
}

}  // namespace kitbag::mcap
