#include "storage/sqlite3/gathering_vfs.h"

#include <sqlite3.h>

#include <algorithm>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <map>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "storage/sqlite3/pages.h"

// SQLite writes each page of 4 KiB by a system call of its own, and these calls take as long as all
// the rest of writing large messages. It also gives away pages of a transaction that has not ended,
// when its cache is full; a reader of the file would find half of the transaction. This VFS divides
// the pages by where they belong:
//
//     | pages that the file had before      | new pages, window of 1 MiB: some of them |
//       ^ kept until the transaction ends             ^ kept           ^ moves the window
//
// A new page within the window is kept there. A page behind it moves the window to itself; before
// that, what the window holds goes to the file, up to 64 KiB by one call. A new page before the
// window is written at once. The cache of SQLite gives its pages away nearly in the order of the
// file. Nothing in the file refers to new pages yet.
//
// Pages that replace others are written when the transaction ends, after all new ones, and so that
// a reader beside meets no page whose content is still missing: the first page, which counts the
// changes and so tells the reader that there was one, then leaves, then the pages above them. A
// program that is killed in the middle of a transaction leaves what was committed. Messages in any
// order of times change many pages of the time index; what is beyond 8 MiB is written at once.
//
// Whatever else is done with the file writes all of that first. That includes the end of a
// transaction, which SQLite announces by file controls also where it syncs nothing.
//
// Refused: larger pages, because the bytes of bags would change; and a cache of SQLite that holds
// a whole transaction, which is written in order of the pages, but no longer fits the processor's.

namespace kitbag::sqlite3 {

namespace {

using Offset = sqlite3_int64;

constexpr Offset kGatheredBytes = 1 << 20;
constexpr std::size_t kReplacedBytes = 8 << 20;
/// The smallest page that SQLite has, and the largest, which is the most that it writes at once.
constexpr std::size_t kUnit = 512;
constexpr std::size_t kMostAtOnce = 64 << 10;

int write_to(sqlite3_file* file, const std::byte* data, std::size_t size, Offset at) {
  return file->pMethods->xWrite(file, data, static_cast<int>(size), at);
}

/// New pages that lie near each other.
class Window {
 public:
  explicit Window(sqlite3_file* file) : file_(file) {}

  int write(const std::byte* data, std::size_t size, Offset at) {
    if (at < begin_) {
      bool reaches_in = at + static_cast<Offset>(size) > begin_;
      if (int result = reaches_in ? flush() : SQLITE_OK; result != SQLITE_OK) return result;
      return write_to(file_, data, size, at);
    }
    if (at + static_cast<Offset>(size) > begin_ + kGatheredBytes) {
      if (int result = flush(); result != SQLITE_OK) return result;
      begin_ = at;
    }
    auto place = static_cast<std::size_t>(at - begin_);
    std::memcpy(&bytes_[place], data, size);
    for (std::size_t at_byte = place; at_byte < place + size; at_byte += kUnit) {
      is_kept_.set(at_byte / kUnit);
    }
    is_empty_ = false;
    return SQLITE_OK;
  }

  /// Writes what is kept.
  int flush() {
    if (is_empty_) return SQLITE_OK;
    for (std::size_t unit = 0; unit < kUnits;) {
      std::size_t end = unit;
      while (end < kUnits && is_kept_[end] && end - unit < kMostAtOnce / kUnit) ++end;
      if (int result = write_kept(unit, end); result != SQLITE_OK) return result;
      unit = std::max(end, unit + 1);
    }
    is_kept_.reset();
    is_empty_ = true;
    return SQLITE_OK;
  }

 private:
  static constexpr std::size_t kUnits = kGatheredBytes / kUnit;

  int write_kept(std::size_t begin, std::size_t end) {
    if (begin == end) return SQLITE_OK;
    std::size_t place = begin * kUnit;
    return write_to(file_, &bytes_[place], end * kUnit - place,
                    begin_ + static_cast<Offset>(place));
  }

  sqlite3_file* file_;
  Offset begin_ = 0;
  bool is_empty_ = true;
  std::bitset<kUnits> is_kept_;
  std::byte bytes_[kGatheredBytes];
};

/// Pages that replace those of the file.
class Replacements {
 public:
  explicit Replacements(sqlite3_file* file) : file_(file) {}

  bool is_full() const { return bytes_ >= kReplacedBytes; }

  int keep(const std::byte* data, std::size_t size, Offset at) {
    try {
      std::vector<std::byte> page(data, data + size);
      std::vector<std::byte>& kept = pages_[at];
      bytes_ = bytes_ - kept.size() + size;
      kept = std::move(page);
    } catch (const std::bad_alloc&) {
      return SQLITE_IOERR_NOMEM;
    }
    return SQLITE_OK;
  }

  /// Whether kept pages have some of the bytes at [at, at + size).
  bool overlap(std::size_t size, Offset at) const {
    auto after = pages_.lower_bound(at + static_cast<Offset>(size));
    if (after == pages_.begin()) return false;
    const auto& [begin, page] = *std::prev(after);
    return begin + static_cast<Offset>(page.size()) > at;
  }
  /// The kept bytes at [at, at + size); null where they are not all of one kept page.
  const std::byte* find(std::size_t size, Offset at) const {
    auto after = pages_.upper_bound(at);
    if (after == pages_.begin()) return nullptr;
    const auto& [begin, page] = *std::prev(after);
    auto from = static_cast<std::size_t>(at - begin);
    return from <= page.size() && size <= page.size() - from ? page.data() + from : nullptr;
  }

  /// Writes what is kept: leaves in order of the file, whose first page counts as one, then the
  /// pages above them from its end.
  int flush() {
    int result = SQLITE_OK;
    for (auto each = pages_.begin(); each != pages_.end() && result == SQLITE_OK; ++each) {
      if (!is_above_leaves(each->second)) result = write(*each);
    }
    for (auto each = pages_.rbegin(); each != pages_.rend() && result == SQLITE_OK; ++each) {
      if (is_above_leaves(each->second)) result = write(*each);
    }
    if (result != SQLITE_OK) return result;
    pages_.clear();
    bytes_ = 0;
    return SQLITE_OK;
  }

 private:
  using Pages = std::map<Offset, std::vector<std::byte>>;

  static bool is_above_leaves(const std::vector<std::byte>& page) {
    auto type = static_cast<std::uint8_t>(page[0]);
    return type == kIndexInterior || type == kTableInterior;
  }
  int write(const Pages::value_type& page) {
    return write_to(file_, page.second.data(), page.second.size(), page.first);
  }

  sqlite3_file* file_;
  Pages pages_;
  std::size_t bytes_ = 0;
};

/// A database file of the default VFS, and what is kept of its pages.
class GatheredPages {
 public:
  explicit GatheredPages(sqlite3_file* file) : file_(file), window_(file), replacements_(file) {}

  sqlite3_file* file() { return file_; }

  /// Takes the file as it is for what was committed.
  int take_end() { return file_->pMethods->xFileSize(file_, &committed_end_); }

  int write(const void* data, int size, Offset at) {
    auto bytes = static_cast<std::size_t>(size);
    const auto* page = static_cast<const std::byte*>(data);
    bool is_pages = at % static_cast<Offset>(kUnit) == 0 && bytes % kUnit == 0;
    if (!is_pages || bytes > kMostAtOnce || (at < committed_end_ && at + size > committed_end_)) {
      int result = flush();
      return result == SQLITE_OK ? write_to(file_, page, bytes, at) : result;
    }
    if (at >= committed_end_) return window_.write(page, bytes, at);
    if (int result = replacements_.is_full() ? write_kept() : SQLITE_OK; result != SQLITE_OK) {
      return result;
    }
    return replacements_.keep(page, bytes, at);
  }

  int read(void* to, int size, Offset at) {
    if (const std::byte* kept = replacements_.find(static_cast<std::size_t>(size), at)) {
      std::memcpy(to, kept, static_cast<std::size_t>(size));
      return SQLITE_OK;
    }
    bool is_beside = replacements_.overlap(static_cast<std::size_t>(size), at);
    if (int result = is_beside ? flush() : window_.flush(); result != SQLITE_OK) return result;
    return file_->pMethods->xRead(file_, to, size, at);
  }

  /// Writes all that is kept. The file then has what was committed.
  int flush() {
    int result = write_kept();
    return result == SQLITE_OK ? take_end() : result;
  }

 private:
  int write_kept() {
    int result = window_.flush();
    return result == SQLITE_OK ? replacements_.flush() : result;
  }

  sqlite3_file* file_;  ///< of the default VFS
  Offset committed_end_ = 0;
  Window window_;
  Replacements replacements_;
};

/// What SQLite has in the memory that it gives for an open file. That of the default VFS is behind
/// it.
struct GatheredFile {
  sqlite3_file base;  ///< first: SQLite sees only this
  GatheredPages* pages;
};
static_assert(sizeof(GatheredFile) % alignof(std::max_align_t) == 0);

GatheredPages& pages_of(sqlite3_file* file) {
  return *reinterpret_cast<GatheredFile*>(file)->pages;
}

/// Writes what is kept, then calls `method` of the default VFS.
template <class... Parameters, class... Arguments>
int flush_and(int (*sqlite3_io_methods::*method)(sqlite3_file*, Parameters...), sqlite3_file* file,
              Arguments... arguments) {
  GatheredPages& pages = pages_of(file);
  if (int result = pages.flush(); result != SQLITE_OK) return result;
  return (pages.file()->pMethods->*method)(pages.file(), arguments...);
}

int file_close(sqlite3_file* file) {
  std::unique_ptr<GatheredPages> pages(&pages_of(file));
  int flushed = pages->flush();
  int closed = pages->file()->pMethods->xClose(pages->file());
  return flushed != SQLITE_OK ? flushed : closed;
}

int file_read(sqlite3_file* file, void* to, int size, Offset at) {
  return pages_of(file).read(to, size, at);
}

int file_write(sqlite3_file* file, const void* data, int size, Offset at) {
  return pages_of(file).write(data, size, at);
}

int file_truncate(sqlite3_file* file, Offset size) {
  return flush_and(&sqlite3_io_methods::xTruncate, file, size);
}

int file_sync(sqlite3_file* file, int flags) {
  return flush_and(&sqlite3_io_methods::xSync, file, flags);
}

int file_size(sqlite3_file* file, Offset* size) {
  return flush_and(&sqlite3_io_methods::xFileSize, file, size);
}

int file_lock(sqlite3_file* file, int level) {
  return flush_and(&sqlite3_io_methods::xLock, file, level);
}

int file_unlock(sqlite3_file* file, int level) {
  return flush_and(&sqlite3_io_methods::xUnlock, file, level);
}

int file_check_reserved_lock(sqlite3_file* file, int* result) {
  return flush_and(&sqlite3_io_methods::xCheckReservedLock, file, result);
}

/// A hint of the size comes with every page, and says nothing of what is in the file.
int file_control(sqlite3_file* file, int operation, void* argument) {
  if (operation != SQLITE_FCNTL_SIZE_HINT) {
    return flush_and(&sqlite3_io_methods::xFileControl, file, operation, argument);
  }
  sqlite3_file* inner = pages_of(file).file();
  return inner->pMethods->xFileControl(inner, operation, argument);
}

int file_sector_size(sqlite3_file* file) {
  sqlite3_file* inner = pages_of(file).file();
  return inner->pMethods->xSectorSize(inner);
}

int file_device_characteristics(sqlite3_file* file) {
  sqlite3_file* inner = pages_of(file).file();
  return inner->pMethods->xDeviceCharacteristics(inner);
}

/// Version 1: neither a log's shared memory nor a mapped file, which would go past what is kept.
constexpr sqlite3_io_methods kMethods = {1,
                                         file_close,
                                         file_read,
                                         file_write,
                                         file_truncate,
                                         file_sync,
                                         file_size,
                                         file_lock,
                                         file_unlock,
                                         file_check_reserved_lock,
                                         file_control,
                                         file_sector_size,
                                         file_device_characteristics,
                                         nullptr,
                                         nullptr,
                                         nullptr,
                                         nullptr,
                                         nullptr,
                                         nullptr};

sqlite3_vfs* default_of(sqlite3_vfs* vfs) {
  return static_cast<sqlite3_vfs*>(vfs->pAppData);
}

/// Files beside the database are those of the default VFS.
int open_gathered(sqlite3_vfs* vfs, const char* name, sqlite3_file* file, int flags,
                  int* out_flags) {
  sqlite3_vfs* inner_vfs = default_of(vfs);
  if ((flags & SQLITE_OPEN_MAIN_DB) == 0) {
    return inner_vfs->xOpen(inner_vfs, name, file, flags, out_flags);
  }
  auto* gathered = reinterpret_cast<GatheredFile*>(file);
  auto* inner = reinterpret_cast<sqlite3_file*>(gathered + 1);
  gathered->base.pMethods = nullptr;  // what SQLite does not close
  std::unique_ptr<GatheredPages> pages(new (std::nothrow) GatheredPages(inner));
  if (!pages) return SQLITE_NOMEM;
  int result = inner_vfs->xOpen(inner_vfs, name, inner, flags, out_flags);
  if (result == SQLITE_OK) result = pages->take_end();
  if (result != SQLITE_OK) {
    if (inner->pMethods) inner->pMethods->xClose(inner);
    return result;
  }
  gathered->base.pMethods = &kMethods;
  gathered->pages = pages.release();
  return SQLITE_OK;
}

/// Null if SQLite cannot register it.
const char* register_vfs() {
  static sqlite3_vfs vfs;
  sqlite3_vfs* inner = sqlite3_vfs_find(nullptr);
  if (!inner) return nullptr;
  vfs = *inner;  // what has nothing to do with files is the same
  vfs.iVersion = 1;
  vfs.szOsFile = static_cast<int>(sizeof(GatheredFile)) + inner->szOsFile;
  vfs.pNext = nullptr;
  vfs.zName = "kitbag-gathering";
  vfs.pAppData = inner;
  vfs.xOpen = open_gathered;
  vfs.xDelete = [](sqlite3_vfs* self, const char* name, int syncs) {
    return default_of(self)->xDelete(default_of(self), name, syncs);
  };
  vfs.xAccess = [](sqlite3_vfs* self, const char* name, int flags, int* result) {
    return default_of(self)->xAccess(default_of(self), name, flags, result);
  };
  vfs.xFullPathname = [](sqlite3_vfs* self, const char* name, int size, char* full) {
    return default_of(self)->xFullPathname(default_of(self), name, size, full);
  };
  vfs.xGetLastError = [](sqlite3_vfs* self, int size, char* text) {
    return default_of(self)->xGetLastError(default_of(self), size, text);
  };
  return sqlite3_vfs_register(&vfs, 0) == SQLITE_OK ? vfs.zName : nullptr;
}

}  // namespace

const char* gathering_vfs() {
  static const char* const name = register_vfs();
  return name;
}

}  // namespace kitbag::sqlite3
