#include "export/video/output.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <utility>

#include "kitbag/error.h"

// libavformat calls these functions from C, so no exception leaves them: the first one is kept, and
// its call fails. Whoever called libavformat calls rethrow() then.

namespace kitbag::libav {
namespace {

constexpr int kBufferBytes = 64 << 10;

#if LIBAVFORMAT_VERSION_MAJOR < 61
using WrittenBytes = std::uint8_t*;
#else
using WrittenBytes = const std::uint8_t*;
#endif

}  // namespace

Output::Output(WriteFile& file) : file_(&file), position_(file.size()) {
  open(true);
}

Output::Output(BytesOut out) : out_(std::move(out)) {
  open(false);
}

Output::~Output() {
  if (context_) av_freep(&context_->buffer);
  avio_context_free(&context_);
}

void Output::open(bool is_seekable) {
  auto write = [](void* self, WrittenBytes data, int size) {
    auto& output = *static_cast<Output*>(self);
    if (output.error_) return AVERROR(EIO);
    try {
      output.write(std::as_bytes(std::span(data, static_cast<std::size_t>(size))));
      return size;
    } catch (...) {
      output.error_ = std::current_exception();
      return AVERROR(EIO);
    }
  };
  auto seek = [](void* self, std::int64_t offset, int whence) {
    auto& output = *static_cast<Output*>(self);
    std::int64_t place = output.seek(offset, whence);
    if (place >= 0 && whence != AVSEEK_SIZE) output.position_ = static_cast<std::uint64_t>(place);
    return place;
  };
  auto* buffer = static_cast<unsigned char*>(av_malloc(kBufferBytes));
  if (buffer) {
    context_ = avio_alloc_context(buffer, kBufferBytes, 1, this, nullptr, write,
                                  is_seekable ? +seek : nullptr);
  }
  if (!context_) {
    av_free(buffer);
    throw Error(ErrorCode::limit, "there is no memory to write the video");
  }
}

void Output::rethrow() const {
  if (error_) std::rethrow_exception(error_);
}

void Output::write(ByteView bytes) {
  written_bytes_ += bytes.size();
  if (!file_) return out_(bytes);
  // libavformat has gone back, to sizes or an index. What reaches further than the end is appended.
  if (std::uint64_t size = file_->size(); position_ < size) {
    auto again = static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), size - position_));
    file_->rewrite(position_, bytes.first(again));
    position_ += again;
    written_bytes_ -= again;
    bytes = bytes.subspan(again);
  }
  if (bytes.empty()) return;
  file_->append(bytes);
  position_ += bytes.size();
}

/// Below 0: an error of libav.
std::int64_t Output::seek(std::int64_t offset, int whence) const {
  if (!file_) return AVERROR(ESPIPE);
  auto size = static_cast<std::int64_t>(file_->size());
  whence &= ~AVSEEK_FORCE;
  if (whence == AVSEEK_SIZE) return size;
  if (whence == SEEK_CUR) offset += static_cast<std::int64_t>(position_);
  if (whence == SEEK_END) offset += size;
  return offset < 0 || offset > size ? AVERROR(EINVAL) : offset;
}

}  // namespace kitbag::libav
