#pragma once

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <stdexcept>
#include <string>

namespace kitbag {

/// For tests: a folder that goes with its object, and its files as text.
class TemporaryFolder {
 public:
  TemporaryFolder() : path_((std::filesystem::temp_directory_path() / "kitbag_XXXXXX").string()) {
    if (!::mkdtemp(path_.data())) throw std::runtime_error("cannot make " + path_);
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& path() const { return path_; }
  std::string path(const std::string& name) const { return path_ + "/" + name; }

  /// Writes a file; its path.
  std::string write(const std::string& name, const std::string& content) const {
    std::ofstream(path(name), std::ios::binary) << content;
    return path(name);
  }
  std::string read(const std::string& name) const {
    std::ifstream file(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  /// The names of all that is in it, hidden ones too.
  std::set<std::string> names() const {
    std::set<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(path_)) {
      found.insert(entry.path().filename().string());
    }
    return found;
  }

 private:
  std::string path_;
};

/// For tests: what the system refuses to others it refuses to us while this lives, even where root
/// runs the tests. `folder` gets `mode` first, so that it is not what is refused, or is.
class WithoutPrivileges {
 public:
  WithoutPrivileges(const TemporaryFolder& folder, mode_t mode) {
    constexpr uid_t kNobody = 65534;
    bool ready = ::chmod(folder.path().c_str(), mode) == 0;
    if (ready && before_ == 0) ready = ::seteuid(kNobody) == 0;
    if (!ready) throw std::runtime_error("cannot give up privileges");
  }
  ~WithoutPrivileges() {
    if (::seteuid(before_) != 0) std::abort();
  }
  WithoutPrivileges(const WithoutPrivileges&) = delete;
  WithoutPrivileges& operator=(const WithoutPrivileges&) = delete;

 private:
  uid_t before_ = ::geteuid();
};

}  // namespace kitbag
