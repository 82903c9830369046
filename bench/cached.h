#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace bench {

/// How much of a file the page cache holds.
inline std::uint64_t cached_bytes(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat status {};
  if (file < 0 || ::fstat(file, &status) != 0 || status.st_size == 0) return 0;
  const auto size = static_cast<std::size_t>(status.st_size);
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  std::vector<unsigned char> pages((size + page - 1) / page);
  void* mapped = ::mmap(nullptr, size, PROT_NONE, MAP_SHARED, file, 0);
  ::close(file);
  if (mapped == MAP_FAILED) return 0;
  ::mincore(mapped, size, pages.data());
  ::munmap(mapped, size);
  const auto held =
      std::count_if(pages.begin(), pages.end(), [](unsigned char one) { return (one & 1) != 0; });
  return static_cast<std::uint64_t>(held) * page;
}

}  // namespace bench
