#pragma once

#include <map>
#include <string>

#include "kitbag/file_system.h"

namespace kitbag {

/// What was uploaded from a folder, in a file in it. It only saves requests: what it does not say
/// is asked of the target. So one that is torn, old or lost does no harm, and a failure to write it
/// is none. One thread.
class UploadJournal {
 public:
  static constexpr const char* kName = ".kitbag-uploads";

  /// Reads it, if it is there.
  UploadJournal(FileSystemPtr files, std::string folder);

  /// Returns the path in the target to which the file `name`, of which this is the status, was
  /// uploaded by `pattern` (Transfer::place()). Empty: it was not.
  std::string find(const std::string& name, const FileStatus& status,
                   const std::string& pattern) const;
  void put(const std::string& name, const FileStatus& status, const std::string& pattern,
           const std::string& target);
  /// Writes it if something was put, without files that are gone.
  void save() noexcept;

 private:
  /// What must be equal for a file to be the one that was uploaded.
  struct Entry {
    std::uint64_t size_bytes;
    std::int64_t modified_ns;
    std::uint64_t number;
    std::string pattern;
    std::string target;
    bool operator==(const Entry&) const = default;
  };

  static Entry entry_of(const FileStatus& status, const std::string& pattern,
                        const std::string& target);
  void take_line(std::string_view line);
  std::string text() const;

  FileSystemPtr files_;
  std::string folder_;
  std::map<std::string, Entry> entries_;  ///< by name
  bool is_changed_ = false;
};

}  // namespace kitbag
