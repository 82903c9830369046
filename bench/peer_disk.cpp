// What the disk takes: the bytes of the disk benchmark's messages, and nothing else, written by
// io_uring past the page cache from registered blocks of huge pages, with one copy into each. The
// file is allocated ahead, and on the disk when the time is taken.
//
// usage: peer_disk FORMAT FILE write

#include <fcntl.h>
#include <liburing.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include "bench/cached.h"
#include "bench/meter.h"
#include "bench/payload.h"

namespace {

constexpr unsigned kBlocks = 8;
constexpr std::size_t kBlockBytes = 1 << 20;
constexpr std::uint64_t kAheadBytes = 256 << 20;

void require(bool is_so, const char* what) {
  if (!is_so) throw std::runtime_error(what);
}

/// Blocks of a file, written one behind the other, several at a time.
class RawFile {
 public:
  explicit RawFile(const char* path)
      : file_(::open(path, O_RDWR | O_CREAT | O_TRUNC | O_DIRECT | O_CLOEXEC, 0644)) {
    require(file_ >= 0, "cannot open the file past the page cache");
    constexpr std::size_t kHugePage = 2 << 20;
    void* memory = std::aligned_alloc(kHugePage, kBlocks * kBlockBytes);
    require(memory != nullptr, "no memory");
    ::madvise(memory, kBlocks * kBlockBytes, MADV_HUGEPAGE);
    std::memset(memory, 0, kBlocks * kBlockBytes);
    memory_ = static_cast<std::byte*>(memory);
    require(io_uring_queue_init(kBlocks, &ring_, IORING_SETUP_COOP_TASKRUN) == 0, "no io_uring");
    iovec all{memory, kBlocks * kBlockBytes};
    require(io_uring_register_buffers(&ring_, &all, 1) == 0, "cannot register memory");
    require(io_uring_register_files(&ring_, &file_, 1) == 0, "cannot register the file");
  }

  void write(const std::byte* data) {
    unsigned block = under_way_ < kBlocks ? under_way_++ : take();
    std::byte* to = memory_ + block * kBlockBytes;
    std::memcpy(to, data, kBlockBytes);
    if (at_ + kBlockBytes > allocated_) {
      ::fallocate(file_, 0, static_cast<off_t>(allocated_), kAheadBytes);
      allocated_ += kAheadBytes;
    }
    io_uring_sqe* entry = io_uring_get_sqe(&ring_);
    io_uring_prep_write_fixed(entry, 0, to, kBlockBytes, at_, 0);
    io_uring_sqe_set_flags(entry, IOSQE_FIXED_FILE);
    io_uring_sqe_set_data64(entry, block);
    require(io_uring_submit(&ring_) == 1, "cannot begin a write");
    at_ += kBlockBytes;
  }

  void close() {
    for (; under_way_ > 0; --under_way_) take();
    require(::ftruncate(file_, static_cast<off_t>(at_)) == 0, "cannot cut the file");
    require(::fsync(file_) == 0 && ::close(file_) == 0, "cannot sync the file");
  }

 private:
  unsigned take() {
    io_uring_cqe* completion = nullptr;
    require(io_uring_wait_cqe(&ring_, &completion) == 0, "cannot wait");
    require(completion->res == kBlockBytes, "a write failed");
    auto block = static_cast<unsigned>(io_uring_cqe_get_data64(completion));
    io_uring_cqe_seen(&ring_, completion);
    return block;
  }

  int file_;
  std::byte* memory_ = nullptr;
  io_uring ring_{};
  unsigned under_way_ = 0;
  std::uint64_t at_ = 0;
  std::uint64_t allocated_ = 0;
};

}  // namespace

int main(int count, char** arguments) {
  if (count != 4) return 2;
  try {
    const bench::Workload work = bench::workload("large");
    const auto pool = bench::make_pool(work);
    bench::Meter meter;
    RawFile file(arguments[2]);
    for (std::uint64_t i = 0; i < work.messages; ++i) file.write(pool->data() + work.offset_of(i));
    file.close();
    meter.messages = work.messages;
    meter.bytes = work.messages * work.bytes;
    meter.stop();
    meter.cached_bytes = bench::cached_bytes(arguments[2]);
    meter.report();
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
