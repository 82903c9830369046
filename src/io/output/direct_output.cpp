#include "io/output/direct_output.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

// One stream of bytes, cut into blocks of 1 MiB wherever the stream happens to be:
//
//   file   |  on the disk  | under way | under way | current block | allocated ahead, zeros |
//                                                  ^ start_        ^ size()
//
// The cut knows nothing of chunks and records, so nothing is padded in the format and everything is
// aligned; the price is one copy into the block, which is far cheaper than the page cache's copy
// into memory that was never touched. Appending copies; a full block is handed to the writer and
// the next free one becomes current, waiting for one only when all are under way.
//
// Allocating ahead (fallocate without KEEP_SIZE) keeps the file's length and extents still while
// blocks are written; on ext4 each write would otherwise extend the file under its lock, on kernel
// threads that fight for it. The steps grow with the file, and close() cuts off what is left.
//
// A flush writes the current block as far as it is filled, padded with zeros to the page; that page
// is written again when more has come. Two writes of one page must not be under way at once, and
// after a flush the bytes must be in the file: so it waits for its writes.
//
// What is to be rewritten is patched in the current block, or, behind it, through the page cache
// with O_DIRECT off for the moment and nothing under way; the kernel does the reading and merging
// of the page. Refused: a second descriptor for that; it needs the file's name or /proc, and
// neither need lead to the file any more.

namespace kitbag {
namespace {

constexpr unsigned kNoBlock = UINT32_MAX;

template <class T>
T rounded_down(T value, std::size_t alignment) {
  return value - value % alignment;
}

std::size_t rounded_up(std::size_t value, std::size_t alignment) {
  return rounded_down(value + alignment - 1, alignment);
}

}  // namespace

DirectOutput::DirectOutput(Descriptor file, std::string path, std::uint64_t size,
                           std::size_t alignment, std::uint64_t most_ahead_bytes, Blocks blocks,
                           std::unique_ptr<BlockWriter> writer, std::string_view kind)
    : file_(std::move(file)),
      path_(std::move(path)),
      alignment_(alignment),
      most_ahead_bytes_(most_ahead_bytes),
      kind_(kind),
      begin_(rounded_down(size, alignment)),
      start_(begin_),
      filled_(static_cast<std::size_t>(size - begin_)),
      written_(filled_),
      allocated_(begin_),
      blocks_(std::move(blocks)),
      writer_(std::move(writer)) {
  for (auto block = static_cast<unsigned>(blocks_.count()); block-- > 1;) free_.push_back(block);
}

void DirectOutput::append(std::span<const ByteView> pieces) {
  for (ByteView piece : pieces) append(piece);
}

void DirectOutput::append(ByteView bytes) {
  while (!bytes.empty()) {
    std::size_t part = std::min(bytes.size(), blocks_.block_bytes() - filled_);
    std::memcpy(blocks_[current_] + filled_, bytes.data(), part);
    filled_ += part;
    bytes = bytes.subspan(part);
    if (filled_ == blocks_.block_bytes()) hand_over();
  }
}

/// Sends the current block, which ends with a page, on its way and takes the next one.
void DirectOutput::hand_over() {
  begin_write();
  start_ += filled_;
  filled_ = 0;
  written_ = 0;
  current_ = kNoBlock;  // it is free when its write has ended
  while (take(writer_->finished(false))) continue;
  while (free_.empty()) take(writer_->finished(true));
  current_ = free_.back();
  free_.pop_back();
}

/// Begins to write what the current block has and the file has not.
void DirectOutput::begin_write() {
  std::byte* block = blocks_[current_];
  std::size_t from = rounded_down(written_, alignment_);
  std::size_t to = rounded_up(filled_, alignment_);
  std::memset(block + filled_, 0, to - filled_);
  allocate_ahead(start_ + to);
  turn_direct(true);
  has_tail_ = true;
  written_ = filled_;
  writer_->submit({current_, block + from, to - from, start_ + from});
}

/// Sees to it that the file reaches to `end` and some way on.
void DirectOutput::allocate_ahead(std::uint64_t end) {
  if (!allocates_ || end <= allocated_) return;
  std::uint64_t ahead = std::min(end - begin_, most_ahead_bytes_);
  std::uint64_t target = std::min(end + ahead, file_size_limit());
  if (target <= allocated_) return;
  has_tail_ = true;
  int result = 0;
  do {
    result = ::fallocate(file_.get(), 0, static_cast<off_t>(allocated_),
                         static_cast<off_t>(target - allocated_));
  } while (result != 0 && errno == EINTR);
  // A file system that cannot, or a disk with less than that left: the writes will see.
  allocates_ = result == 0;
  allocated_ = target;
}

/// Notes the end of a write; false if there is none.
bool DirectOutput::take(std::optional<BlockEnd> end) {
  if (!end) return false;
  if (end->block != current_) free_.push_back(end->block);
  if (end->error != 0) throw system_error("write", end->error, path_);
  return true;
}

void DirectOutput::drain() {
  while (take(writer_->finished(true))) continue;
}

void DirectOutput::flush() {
  if (written_ < filled_) begin_write();
  drain();
}

void DirectOutput::rewrite(std::uint64_t offset, ByteView bytes) {
  check_rewrite(offset, bytes.size(), size(), path_);
  if (offset < start_) {
    auto part = bytes.first(std::min<std::uint64_t>(bytes.size(), start_ - offset));
    rewrite_on_disk(offset, part);
    bytes = bytes.subspan(part.size());
    offset += part.size();
  }
  if (bytes.empty()) return;
  auto place = static_cast<std::size_t>(offset - start_);
  std::memcpy(blocks_[current_] + place, bytes.data(), bytes.size());
  written_ = std::min(written_, place);
}

void DirectOutput::rewrite_on_disk(std::uint64_t offset, ByteView bytes) {
  drain();
  turn_direct(false);
  int number = write_at(file_.get(), offset, bytes);
  if (number != 0) throw system_error("write", number, path_, offset);
}

void DirectOutput::turn_direct(bool is_direct) {
  if (is_direct_ == is_direct) return;
  int number = set_direct(file_.get(), is_direct);
  if (number != 0) throw system_error("switch between direct and buffered writing", number, path_);
  is_direct_ = is_direct;
}

void DirectOutput::sync() {
  flush();
  if (::fdatasync(file_.get()) != 0) throw system_error("write to the disk", errno, path_);
}

void DirectOutput::settle() {
  cut_to_size();
  turn_direct(false);
  if (::fsync(file_.get()) != 0) throw system_error("write to the disk", errno, path_);
}

void DirectOutput::close() {
  cut_to_size();
  writer_.reset();
  if (int number = file_.close()) throw system_error("close the file", number, path_);
}

/// flush(), and the file is as long as size().
void DirectOutput::cut_to_size() {
  flush();
  if (!has_tail_) return;
  if (::ftruncate(file_.get(), static_cast<off_t>(size())) != 0) {
    throw system_error("truncate the file to its length", errno, path_);
  }
  has_tail_ = false;
  allocated_ = size();
}

void DirectOutput::abandon() noexcept {
  if (!writer_) return;
  while (writer_->finished(true)) continue;
  if (is_direct_ && set_direct(file_.get(), false) == 0) is_direct_ = false;
}

}  // namespace kitbag
