#include "io/output/buffered_output.h"

#include <limits.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

// Small pieces are copied into a buffer of 256 KiB, because a system call for each would cost more
// than the copy. From 64 KiB on the copy costs more than the call. Then the buffer and the pieces
// go to the system together by writev(2), from where they lie, so the order stays and nothing is
// copied twice.
//
// writev(2) may write less than all, at any byte. PieceQueue continues there; a piece that is
// written in part is given again with its rest. Up to 64 pieces are given at once.

namespace kitbag {
namespace {

constexpr std::size_t kGatherBytes = 256 * 1024;
constexpr std::size_t kStraightBytes = 64 * 1024;  // from here on a copy costs more than a call

// Pieces as writev(2) takes them, some at a time; steps forward by what was written.
class PieceQueue {
 public:
  explicit PieceQueue(std::span<const ByteView> pieces) : pieces_(pieces) { skip_empty(); }

  bool empty() const { return pieces_.empty(); }

  std::span<iovec> next() {
    std::size_t count = 0;
    std::size_t skipped = done_;
    for (ByteView piece : pieces_.first(std::min(pieces_.size(), vectors_.size()))) {
      // writev only reads through this pointer; the type serves readv too.
      vectors_[count].iov_base = const_cast<std::byte*>(piece.data() + skipped);
      vectors_[count].iov_len = piece.size() - skipped;
      skipped = 0;
      ++count;
    }
    return std::span(vectors_).first(count);
  }

  void advance(std::size_t count) {
    done_ += count;
    while (!pieces_.empty() && done_ >= pieces_.front().size()) {
      done_ -= pieces_.front().size();
      pieces_ = pieces_.subspan(1);
    }
  }

 private:
  void skip_empty() { advance(0); }

  std::span<const ByteView> pieces_;
  std::size_t done_ = 0;  // of the first piece
  std::array<iovec, 64> vectors_;
};
static_assert(64 <= IOV_MAX);

}  // namespace

BufferedOutput::BufferedOutput(Descriptor file, std::string path, std::uint64_t size)
    : file_(std::move(file)), path_(std::move(path)), written_(size) {
  buffer_.reserve(kGatherBytes);
}

void BufferedOutput::append(std::span<const ByteView> pieces) {
  std::size_t total = total_bytes(pieces);
  if (total >= kStraightBytes) {
    std::vector<ByteView> all{buffer_.view()};
    all.insert(all.end(), pieces.begin(), pieces.end());
    write_straight(all);
    return;
  }
  if (buffer_.size() + total > kGatherBytes) flush();
  for (ByteView piece : pieces) buffer_.append(piece);
}

void BufferedOutput::write_straight(std::span<const ByteView> pieces) {
  PieceQueue queue(pieces);
  while (!queue.empty()) {
    auto vectors = queue.next();
    ssize_t count = ::writev(file_.get(), vectors.data(), static_cast<int>(vectors.size()));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw system_error("write", errno, path_);
    queue.advance(static_cast<std::size_t>(count));
  }
  written_ += total_bytes(pieces);
  buffer_.clear();
}

void BufferedOutput::flush() {
  ByteView gathered = buffer_.view();
  if (!gathered.empty()) write_straight(std::span(&gathered, 1));
}

void BufferedOutput::rewrite(std::uint64_t offset, ByteView bytes) {
  check_rewrite(offset, bytes.size(), size(), path_);
  if (offset < written_) {
    auto part = bytes.first(std::min<std::uint64_t>(bytes.size(), written_ - offset));
    int number = write_at(file_.get(), offset, part);
    if (number != 0) throw system_error("write", number, path_, offset);
    bytes = bytes.subspan(part.size());
    offset += part.size();
  }
  if (!bytes.empty()) {
    std::memcpy(buffer_.data() + (offset - written_), bytes.data(), bytes.size());
  }
}

void BufferedOutput::sync() {
  flush();
  if (::fdatasync(file_.get()) != 0) throw system_error("write to the disk", errno, path_);
}

void BufferedOutput::settle() {
  flush();
  if (::fsync(file_.get()) != 0) throw system_error("write to the disk", errno, path_);
}

void BufferedOutput::close() {
  flush();
  if (int number = file_.close()) throw system_error("close the file", number, path_);
}

}  // namespace kitbag
