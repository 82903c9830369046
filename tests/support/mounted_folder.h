#pragma once

#include <sched.h>
#include <sys/mount.h>

#include <string>
#include <utility>

namespace kitbag::test {

/// A folder with a file system of its own, which only this process sees, and only where root runs
/// the tests.
class MountedFolder {
 public:
  MountedFolder(std::string path, const char* type, const char* options) : path_(std::move(path)) {
    // The thread that calls, and those it makes, leave the mounts of the others alone.
    is_mounted_ = ::unshare(CLONE_NEWNS) == 0 &&
                  ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
                  ::mount(type, path_.c_str(), type, 0, options) == 0;
  }
  ~MountedFolder() {
    if (is_mounted_) ::umount2(path_.c_str(), MNT_DETACH);
  }
  MountedFolder(const MountedFolder&) = delete;
  MountedFolder& operator=(const MountedFolder&) = delete;

  explicit operator bool() const { return is_mounted_; }

 private:
  std::string path_;
  bool is_mounted_ = false;
};

}  // namespace kitbag::test
