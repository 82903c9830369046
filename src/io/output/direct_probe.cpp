#include "io/output/direct_probe.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <utility>

#include "io/output/buffered_output.h"
#include "io/output/direct_output.h"

// Whether a file can be written directly is decided by doing it. The page in which the file ends is
// read, and written back as it is, by the ring and if that fails by pwrite(2). This shows whether
// the file system accepts O_DIRECT, whether the alignment is right, and whether io_uring is
// permitted. Nothing of the file's content changes; only its length grows to the page, and that is
// cut off again.
//
// The page that was read is then the beginning of the first block, so an append continues in it.
//
// With a limit on the size of files (RLIMIT_FSIZE), the last page could lie beyond it although the
// file's bytes do not, and the signal for that ends the process. Such files are written buffered.

namespace kitbag {
namespace {

/// What addresses, sizes and offsets must be multiples of; 0: the file cannot be written directly.
std::size_t direct_alignment(int file) {
  constexpr std::size_t kPageBytes = 4096;
  struct statx status {};
  int result = ::statx(file, "", AT_EMPTY_PATH, STATX_DIOALIGN, &status);
  bool is_declared = result == 0 && (status.stx_mask & STATX_DIOALIGN) != 0;  // since Linux 6.1
  if (!is_declared) return kPageBytes;
  if (status.stx_dio_offset_align == 0) return 0;
  return std::max<std::size_t>({kPageBytes, status.stx_dio_mem_align, status.stx_dio_offset_align});
}

struct ProbedWriter {
  std::unique_ptr<BlockWriter> writer;  ///< null: it cannot
  std::string_view kind;
};

/// A file about to be written directly: its last page, not full, is in the first block.
struct ProbePage {
  const Blocks& blocks;
  std::size_t alignment;
  std::uint64_t offset;
};

/// Whole pages never go beyond a limit that the file's bytes keep.
bool keeps_limit(const ProbePage& page) {
  std::uint64_t limit = file_size_limit();
  if (limit == INT64_MAX) return true;
  return limit % page.alignment == 0 && page.offset + page.alignment <= limit;
}

/// Writes the page in which the file ends, as it is; nothing but the file's length changes.
ProbedWriter probe_writer(std::unique_ptr<BlockWriter> writer, std::string_view kind,
                          const ProbePage& page) {
  if (!writer) return {};
  writer->submit({0, page.blocks[0], page.alignment, page.offset});
  auto end = writer->finished(true);
  if (!end || end->error != 0) return {};
  return {std::move(writer), kind};
}

ProbedWriter find_writer(int file, const ProbePage& page, const DirectLimits& limits) {
  auto count = static_cast<unsigned>(page.blocks.count());
  ProbedWriter found;
  if (limits.may_use_ring) {
    found = probe_writer(make_ring_writer(file, page.blocks.all(), count), "io_uring", page);
  }
  if (!found.writer && limits.may_use_thread) {
    found = probe_writer(make_thread_writer(file), "pwrite", page);
  }
  return found;
}

void undo_probe(int file, std::uint64_t size, const std::string& path) {
  int number = set_direct(file, false);
  if (number == 0 && ::ftruncate(file, static_cast<off_t>(size)) != 0) number = errno;
  if (number != 0) throw system_error("write", number, path);
}

}  // namespace

std::unique_ptr<Output> make_direct_output(Descriptor file, std::string path, std::uint64_t size,
                                           const DirectLimits& limits) {
  std::size_t alignment = direct_alignment(file.get());
  if (std::has_single_bit(alignment) && limits.block_bytes % alignment == 0) {
    Blocks blocks(limits.blocks, limits.block_bytes);
    ProbePage page{blocks, alignment, size - size % alignment};
    auto rest = static_cast<std::size_t>(size - page.offset);
    if (read_at(file.get(), page.offset, blocks.all().first(rest), path) < rest) {
      throw Error(ErrorCode::io, "another program truncated the file", path, page.offset);
    }
    ProbedWriter found;
    if (keeps_limit(page) && set_direct(file.get(), true) == 0) {
      found = find_writer(file.get(), page, limits);
    }
    if (found.writer) {
      return std::make_unique<DirectOutput>(std::move(file), std::move(path), size, alignment,
                                            limits.most_ahead_bytes, std::move(blocks),
                                            std::move(found.writer), found.kind);
    }
    undo_probe(file.get(), size, path);
  }
  return std::make_unique<BufferedOutput>(std::move(file), std::move(path), size);
}

}  // namespace kitbag
