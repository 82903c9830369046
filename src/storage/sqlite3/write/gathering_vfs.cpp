#include "storage/sqlite3/write/gathering_vfs.h"

#include <sqlite3.h>

#include <cstddef>
#include <memory>
#include <new>

#include "storage/sqlite3/write/gathered_pages.h"

// SQLite writes each page of 4 KiB by a system call of its own, and these calls take as long as all
// the rest of writing large messages. It also gives away pages of a transaction that has not ended,
// when its cache is full; a reader of the file would find half of the transaction. This VFS is the
// default one with pages of the database gathered in between (gathered_pages.cpp).
//
// Whatever is done with the file beside reading and writing first writes all that is kept. That
// includes the end of a transaction, which SQLite announces by file controls also where it syncs
// nothing.

namespace kitbag::sqlite3 {

namespace {

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
