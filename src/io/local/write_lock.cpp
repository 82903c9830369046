#include "io/local/write_lock.h"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>

// A path can lead to another file at any time, so a lock on an opened file proves nothing about the
// path. Therefore:
//
//     open -> lock -> is the path still this file?  no: close, and open again
//
// The question is asked after the lock was taken. If the lock is exclusive, nobody who respects
// locks puts another file there from then on. Holders of shared locks may replace the file; they
// ask again before theirs gets its name.
//
// Locks of open file descriptions (F_OFD_SETLK) belong to the open file. Copies of the descriptor
// share the lock, and closing another descriptor of the same file does not end it, as it does with
// POSIX locks. A library cannot know who else in its process opens the file.
//
// Nobody waits for a lock: F_OFD_SETLK and LOCK_NB answer at once, and a busy file is an error.

namespace kitbag {

namespace {

/// One byte that no file reaches. SQLite and its readers lock bytes at 1 GiB, which are theirs.
constexpr off_t kLockByte = INT64_MAX - 1;

Locked outcome(int result) {
  if (result == 0) return Locked::yes;
  bool is_refused = errno == EAGAIN || errno == EACCES;
  return is_refused ? Locked::busy : Locked::unsupported;
}

/// Opens and locks what is at `path`, again where it is replaced meanwhile.
template <class Open, class Lock>
Descriptor open_locked(const std::string& path, const char* what, Open open, Lock lock) {
  constexpr int kTries = 100;  // nobody replaces a file as often in good faith
  for (int i = 0; i < kTries; ++i) {
    Descriptor file = open();
    if (!file) throw system_error(what, errno, path);
    if (lock(file.get())) return file;
  }
  throw busy_error(path);
}

bool settle(Locked locked, int file, const std::string& path, const OnWarning& on_warning) {
  if (locked == Locked::busy) throw busy_error(path);
  if (identity_of(file, path) != identity_at(path)) return false;
  if (locked == Locked::unsupported && on_warning) {
    on_warning(Error(ErrorCode::io,
                     "the file system does not support locks; other programs could write to the "
                     "file at the same time",
                     path));
  }
  return true;
}

}  // namespace

FileIdentity identity_of(int file, const std::string& path) {
  struct stat status;
  if (::fstat(file, &status) != 0) throw system_error("read the file's status", errno, path);
  return {status.st_dev, status.st_ino};
}

FileIdentity identity_at(const std::string& path) {
  struct stat status;
  if (::stat(path.c_str(), &status) == 0) return {status.st_dev, status.st_ino};
  if (errno == ENOENT) return {};
  throw system_error("read the file's status", errno, path);
}

Locked lock_file(int file, LockKind kind) {
  struct flock lock {};
  lock.l_type = kind == LockKind::exclusive ? F_WRLCK : F_RDLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = kLockByte;
  lock.l_len = 1;
  int result;
  do result = ::fcntl(file, F_OFD_SETLK, &lock);
  while (result != 0 && errno == EINTR);
  return outcome(result);
}

// By flock(2), since fcntl(2) locks exclusively only what is open for writing, as no folder is.
Locked lock_folder(int folder, LockKind kind) {
  int how = kind == LockKind::exclusive ? LOCK_EX : LOCK_SH;
  int result;
  do result = ::flock(folder, how | LOCK_NB);
  while (result != 0 && errno == EINTR);
  return outcome(result);
}

// Between open and lock the path may have been given to another file, whose writers know nothing
// of this lock.
bool lock_opened(int file, LockKind kind, const std::string& path, const OnWarning& on_warning) {
  return settle(lock_file(file, kind), file, path, on_warning);
}

Error busy_error(const std::string& path) {
  return {ErrorCode::busy, "is being written by another program; try again when it has finished",
          path};
}

WriteLock WriteLock::of_file(const std::string& path, LockKind kind, const OnWarning& on_warning) {
  int flags = (kind == LockKind::exclusive ? O_RDWR : O_RDONLY) | O_NONBLOCK | O_NOCTTY;
  const char* what = kind == LockKind::exclusive ? "write to the file" : "lock the file";
  Descriptor file = open_locked(
      path, what, [&] { return open_descriptor(path, flags); },
      [&](int opened) { return lock_opened(opened, kind, path, on_warning); });
  FileIdentity identity = identity_of(file.get(), path);
  return {std::move(file), identity};
}

WriteLock WriteLock::of_folder(const std::string& path, const OnWarning& on_warning,
                               LockKind kind) {
  Descriptor folder = open_locked(
      path, "lock the folder", [&] { return open_descriptor(path, O_RDONLY | O_DIRECTORY); },
      [&](int opened) { return settle(lock_folder(opened, kind), opened, path, on_warning); });
  FileIdentity identity = identity_of(folder.get(), path);
  return {std::move(folder), identity};
}

}  // namespace kitbag
