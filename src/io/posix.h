#pragma once

#include <span>
#include <string>
#include <utility>

#include "kitbag/bytes.h"
#include "kitbag/error.h"
#include "kitbag/system_error.h"

namespace kitbag {

/// A file descriptor that is closed when its owner goes.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor();

  int get() const { return number_; }
  explicit operator bool() const { return number_ >= 0; }
  /// Closes it now; 0 or the errno of close().
  int close();

 private:
  int number_ = -1;
};

/// open(2) with O_CLOEXEC, again when interrupted; empty and errno set when refused.
Descriptor open_descriptor(const std::string& path, int flags, unsigned mode = 0);

/// pread(2) until `into` is full or the file ends; how many bytes there were. Throws Error (io).
std::size_t read_at(int file, std::uint64_t offset, std::span<std::byte> into,
                    const std::string& path);

/// Reads what can be had at once, without waiting for a disk; returns how many bytes that were. If
/// the system cannot tell, this is always less than `into.size()`.
std::size_t read_at_once(int file, std::uint64_t offset, std::span<std::byte> into);

/// pwrite(2) until all is written; 0 or the errno that ended it.
int write_at(int file, std::uint64_t offset, ByteView bytes);

/// Turns O_DIRECT on or off, and all else that may be turned off; 0 or the errno.
int set_direct(int file, bool is_direct);

/// How large a file may become: a write beyond would end the process by a signal. INT64_MAX, which
/// is what the system can do, when nobody has set a limit.
std::uint64_t file_size_limit();

/// "no space left on device": what `number`, an errno, means.
std::string errno_text(int number);

/// "cannot write: no space left on device", about `path`; not_found for ENOENT, io otherwise.
SystemError system_error(const std::string& what, int number, const std::string& path,
                         std::uint64_t offset = Error::kNoOffset);

}  // namespace kitbag
