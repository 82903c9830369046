#pragma once

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

#include "kitbag/error.h"

namespace kitbag::zmq_transport {

/// Wakes a thread that polls sockets. From any thread.
class Wake {
 public:
  Wake() : file_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    if (file_ < 0) throw Error(ErrorCode::io, std::strerror(errno), "eventfd");
  }
  ~Wake() { close(file_); }
  Wake(const Wake&) = delete;
  Wake& operator=(const Wake&) = delete;

  int file() const { return file_; }
  void set() const {
    const std::uint64_t one = 1;
    [[maybe_unused]] auto written = write(file_, &one, sizeof one);  // full: it is set already
  }

 private:
  int file_;
};

}  // namespace kitbag::zmq_transport
