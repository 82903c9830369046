#include "io/local/pipe_file.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

// To recognise a format, the first bytes are read before somebody reads the bag. A pipe cannot go
// back, so its first 4 KiB are kept and given again. They are taken only as far as they are asked
// for: waiting for more than a small bag has would last until its writer closes the pipe.

namespace kitbag {

/// Reads on until `into` is full or the pipe ends.
std::size_t PipeFile::take(std::span<std::byte> into) const {
  std::size_t done = 0;
  while (done < into.size()) {
    ssize_t count = ::read(file_.get(), into.data() + done, into.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw system_error("read", errno, path_);
    if (count == 0) break;
    done += static_cast<std::size_t>(count);
  }
  position_ += done;
  return done;
}

std::size_t PipeFile::read(std::uint64_t offset, std::span<std::byte> into) const {
  if (position_ < kHeadBytes && offset < kHeadBytes) {
    std::size_t before = head_.size();
    std::uint64_t wanted = std::min<std::uint64_t>(kHeadBytes, offset + into.size());
    if (wanted > before) {
      head_.resize(static_cast<std::size_t>(wanted));
      head_.resize(before + take(std::span(head_).subspan(before)));
    }
  }
  std::size_t done = 0;
  if (offset < head_.size()) {
    auto kept = std::span(head_).subspan(static_cast<std::size_t>(offset));
    done = std::min(kept.size(), into.size());
    std::copy_n(kept.begin(), done, into.begin());
    offset += done;
  }
  if (done == into.size()) return done;
  if (offset < position_) {
    throw Error(ErrorCode::invalid, "a pipe can be read only once; save it to a file first", path_,
                offset);
  }
  std::array<std::byte, 4096> passed_over;
  while (position_ < offset) {
    auto count = std::min<std::uint64_t>(passed_over.size(), offset - position_);
    if (take(std::span(passed_over).first(static_cast<std::size_t>(count))) < count) return done;
  }
  return done + take(into.subspan(done));
}

}  // namespace kitbag
