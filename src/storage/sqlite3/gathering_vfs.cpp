#include "storage/sqlite3/gathering_vfs.h"

#include <sqlite3.h>

#include <algorithm>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>

// SQLite writes each page of 4 KiB by a system call of its own, and these calls take as long as all
// the rest of writing large messages. This VFS puts a window in front of the database file:
//
//     | pages that the file has                  | window, 1 MiB: some of its pages |
//                       ^ written as it comes            ^ kept            ^ moves the window
//
// A page within the window is kept there. A page behind it moves the window to itself; before that,
// what the window holds goes to the file, up to 64 KiB by one call. A page before the window is
// written at once. The cache of SQLite gives its pages away nearly in the order of the file.
//
// Whatever else is done with the file writes the window first. That includes the end of a
// transaction, which SQLite announces by file controls also where it syncs nothing.
//
// Refused: larger pages, because the bytes of bags would change; and a cache of SQLite that holds
// a whole transaction, which is written in order of the pages, but no longer fits the processor's.

namespace kitbag::sqlite3 {

namespace {

using Offset = sqlite3_int64;

constexpr Offset kGatheredBytes = 1 << 20;
/// The smallest page that SQLite has, and the largest, which is the most that it writes at once.
constexpr std::size_t kUnit = 512;
constexpr std::size_t kMostAtOnce = 64 << 10;

class Window {
 public:
  explicit Window(sqlite3_file* file) : file_(file) {}

  sqlite3_file* file() { return file_; }

  int write(const void* data, int size, Offset at) {
    auto bytes = static_cast<std::size_t>(size);
    bool is_pages = at % static_cast<Offset>(kUnit) == 0 && bytes % kUnit == 0;
    if (!is_pages || bytes > kMostAtOnce || (at < begin_ && at + size > begin_)) {
      int result = flush();
      return result == SQLITE_OK ? file_->pMethods->xWrite(file_, data, size, at) : result;
    }
    if (at < begin_) return file_->pMethods->xWrite(file_, data, size, at);
    if (at + size > begin_ + kGatheredBytes) {
      if (int result = flush(); result != SQLITE_OK) return result;
      begin_ = at;
    }
    auto place = static_cast<std::size_t>(at - begin_);
    std::memcpy(&bytes_[place], data, bytes);
    for (std::size_t at_byte = place; at_byte < place + bytes; at_byte += kUnit) {
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
    return file_->pMethods->xWrite(file_, &bytes_[place], static_cast<int>(end * kUnit - place),
                                   begin_ + static_cast<Offset>(place));
  }

  sqlite3_file* file_;  ///< of the default VFS
  Offset begin_ = 0;
  bool is_empty_ = true;
  std::bitset<kUnits> is_kept_;
  std::byte bytes_[kGatheredBytes];
};

/// What SQLite has in the memory that it gives for an open file. That of the default VFS is behind
/// it.
struct GatheredFile {
  sqlite3_file base;  ///< first: SQLite sees only this
  Window* window;
};
static_assert(sizeof(GatheredFile) % alignof(std::max_align_t) == 0);

Window& window_of(sqlite3_file* file) {
  return *reinterpret_cast<GatheredFile*>(file)->window;
}

/// Writes the window, then calls `method` of the default VFS.
template <class... Parameters, class... Arguments>
int flush_and(int (*sqlite3_io_methods::*method)(sqlite3_file*, Parameters...), sqlite3_file* file,
              Arguments... arguments) {
  Window& window = window_of(file);
  if (int result = window.flush(); result != SQLITE_OK) return result;
  return (window.file()->pMethods->*method)(window.file(), arguments...);
}

int file_close(sqlite3_file* file) {
  std::unique_ptr<Window> window(&window_of(file));
  int flushed = window->flush();
  int closed = window->file()->pMethods->xClose(window->file());
  return flushed != SQLITE_OK ? flushed : closed;
}

int file_read(sqlite3_file* file, void* to, int size, Offset at) {
  return flush_and(&sqlite3_io_methods::xRead, file, to, size, at);
}

int file_write(sqlite3_file* file, const void* data, int size, Offset at) {
  return window_of(file).write(data, size, at);
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
  sqlite3_file* inner = window_of(file).file();
  return inner->pMethods->xFileControl(inner, operation, argument);
}

int file_sector_size(sqlite3_file* file) {
  sqlite3_file* inner = window_of(file).file();
  return inner->pMethods->xSectorSize(inner);
}

int file_device_characteristics(sqlite3_file* file) {
  sqlite3_file* inner = window_of(file).file();
  return inner->pMethods->xDeviceCharacteristics(inner);
}

/// Version 1: neither a log's shared memory nor a mapped file, which would go past the window.
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
  std::unique_ptr<Window> window(new (std::nothrow) Window(inner));
  if (!window) return SQLITE_NOMEM;
  int result = inner_vfs->xOpen(inner_vfs, name, inner, flags, out_flags);
  if (result != SQLITE_OK) {
    if (inner->pMethods) inner->pMethods->xClose(inner);
    return result;
  }
  gathered->base.pMethods = &kMethods;
  gathered->window = window.release();
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
