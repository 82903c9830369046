#pragma once

// What several tests of this module need: texts, limits, small file systems, and the ways to write.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/output/output.h"
#include "io/posix.h"
#include "tests/support/mounted_folder.h"

namespace kitbag::test {

/// Text that shows where it was cut or shifted.
inline std::string numbered_text(std::size_t size) {
  std::string text;
  while (text.size() < size) text += std::to_string(text.size()) + " ";
  text.resize(size);
  return text;
}

/// Some part of a numbered text that is made once; at most 9 MiB.
inline std::string_view sample_text(std::size_t size, std::size_t begin = 0) {
  static const std::string text = numbered_text((9 << 20) + 1000);
  return std::string_view(text).substr(begin % 1000, size);
}

/// Files may not grow beyond `bytes` while it lives; the write that tries fails with EFBIG.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    handler_ = ::signal(SIGXFSZ, SIG_IGN);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    ::signal(SIGXFSZ, handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit before_{};
  sighandler_t handler_;
};

/// The file's content; faster than by a stream, which is felt under sanitizers.
inline std::string file_text(const std::string& path) {
  std::string text(std::filesystem::file_size(path), '\0');
  Descriptor file = open_descriptor(path, O_RDONLY);
  text.resize(read_at(file.get(), 0, std::as_writable_bytes(std::span(text)), path));
  return text;
}

inline Descriptor open_new(const std::string& path) {
  return open_descriptor(path, O_RDWR | O_CREAT | O_EXCL, 0600);
}

/// One way to write a file, as the tests name it.
struct OutputWay {
  const char* name;
  const char* kind;  ///< what Output::kind() says of it in the end
  OutputOptions options;
};

inline void PrintTo(const OutputWay& way, std::ostream* out) {
  *out << way.name;
}

inline OutputOptions direct_by(bool ring, std::size_t block_bytes = 1 << 20,
                               std::size_t blocks = 8) {
  return {.io = Io::direct,
          .direct = {.block_bytes = block_bytes,
                     .blocks = blocks,
                     .may_use_ring = ring,
                     .may_use_thread = !ring}};
}

/// Automatic, but after few bytes; `is_fast`: whatever the clock says.
inline OutputOptions automatic_after(std::uint64_t stretch_bytes, bool is_fast,
                                     std::size_t block_bytes = 8192) {
  return {.io = Io::automatic,
          .direct = {.block_bytes = block_bytes, .blocks = 3},
          .automatic = {.stretch_bytes = stretch_bytes, .bytes_per_s = is_fast ? 0 : 1e18}};
}

inline std::vector<OutputWay> all_ways() {
  return {{"buffered", "buffered", {.io = Io::buffered}},
          {"ring", "io_uring", direct_by(true)},
          {"ring_small_blocks", "io_uring", direct_by(true, 8192, 3)},
          {"thread", "pwrite", direct_by(false)},
          {"thread_small_blocks", "pwrite", direct_by(false, 4096, 3)},
          {"automatic_fast", "", automatic_after(10'000, true)},
          {"automatic_slow", "buffered", automatic_after(10'000, false)}};
}

/// The kind of output that this machine gives when asked for `way` in `folder`.
inline std::string_view kind_here(const OutputOptions& options, const std::string& folder) {
  std::string path = folder + "/kind_here";
  auto output = make_output(open_new(path), path, 0, options);
  std::filesystem::remove(path);
  return output->kind();
}

}  // namespace kitbag::test
