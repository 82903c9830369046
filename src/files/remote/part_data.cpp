#include "files/remote/part_data.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "kitbag/error.h"
#include "kitbag/system_error.h"

// A part is kept until the store has it, since it may have to be sent again. Its memory is counted
// as a whole when it is begun. So what is granted lasts to its end, and no part has to move from
// memory to the disk. A file loses its name at once, so nothing of it is left however the process
// ends.

namespace kitbag::remote {
namespace {

constexpr std::uint64_t kGrownBytes = 1 << 20;  // beyond this, memory is taken at once

std::string temporary_folder() {
  const char* folder = std::getenv("TMPDIR");
  return folder && *folder ? folder : "/tmp";
}

SystemError failure_of(const char* what, int number, const std::string& folder) {
  std::string text = std::string("cannot ") + what +
                     " a temporary file in this folder: " + std::strerror(number) +
                     "; set TMPDIR to another one";
  return {Error(ErrorCode::io, text, folder), number};
}

}  // namespace

PartData::PartData(std::shared_ptr<PartMemory> memory, std::uint64_t most_bytes)
    : memory_(std::move(memory)), most_bytes_(most_bytes) {
  if (memory_->used_bytes.fetch_add(most_bytes) + most_bytes <= memory_->most_bytes) return;
  memory_->used_bytes -= most_bytes;
  folder_ = temporary_folder();
  std::string name = folder_ + "/kitbag_XXXXXX";
  file_ = ::mkostemp(name.data(), O_CLOEXEC);
  if (file_ < 0) {
    throw failure_of("create", errno, folder_);
  }
  ::unlink(name.c_str());
}

PartData::~PartData() {
  if (file_ < 0) {
    memory_->used_bytes -= most_bytes_;
  } else {
    ::close(file_);
  }
}

std::size_t PartData::read(std::uint64_t offset, std::span<std::byte> into) const {
  if (offset >= size_) return 0;
  into = into.first(static_cast<std::size_t>(std::min<std::uint64_t>(into.size(), size_ - offset)));
  if (file_ < 0) {
    std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(offset), into.size(), into.begin());
    return into.size();
  }
  std::size_t done = 0;
  while (done < into.size()) {
    ssize_t count =
        ::pread(file_, into.data() + done, into.size() - done, static_cast<off_t>(offset + done));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      if (count < 0) throw failure_of("read", errno, folder_);
      throw Error(ErrorCode::io, "a temporary file in this folder was cut off", folder_);
    }
    done += static_cast<std::size_t>(count);
  }
  return done;
}

void PartData::append(ByteView bytes) {
  if (bytes.size() > room_bytes()) throw Error(ErrorCode::invalid, "a part is too long");
  if (file_ < 0) {
    std::uint64_t needed = size_ + bytes.size();
    if (needed > bytes_.capacity()) {
      // The first part of a small object is never filled, so it grows with what it has. Beyond 1
      // MiB, all of it is taken, so that it is not copied each time it grows.
      bytes_.reserve(needed > kGrownBytes ? most_bytes_ : std::max(needed, 2 * size_));
    }
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  } else {
    write(size_, bytes);
  }
  size_ += bytes.size();
}

void PartData::rewrite(std::uint64_t offset, ByteView bytes) {
  if (offset > size_ || bytes.size() > size_ - offset) {
    throw Error(ErrorCode::invalid, "cannot rewrite bytes that were not written");
  }
  if (file_ >= 0) return write(offset, bytes);
  std::copy(bytes.begin(), bytes.end(), bytes_.begin() + static_cast<std::ptrdiff_t>(offset));
}

void PartData::write(std::uint64_t offset, ByteView bytes) {
  while (!bytes.empty()) {
    ssize_t count = ::pwrite(file_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      throw failure_of("write", errno, folder_);
    }
    offset += static_cast<std::uint64_t>(count);
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
}

}  // namespace kitbag::remote
