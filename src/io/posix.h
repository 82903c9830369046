#pragma once

#include <string>
#include <utility>

#include "kitbag/error.h"

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

/// "no space left on device": what `number`, an errno, means.
std::string errno_text(int number);

/// "cannot write: no space left on device", about `path`; not_found for ENOENT, io otherwise.
Error system_error(const std::string& what, int number, const std::string& path,
                   std::uint64_t offset = Error::kNoOffset);

}  // namespace kitbag
