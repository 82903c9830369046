#pragma once

#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "kitbag/error.h"
#include "kitbag/session.h"
#include "live/record/file_names.h"

namespace kitbag {

/// Repairs the files that a killed recorder has left incomplete: those like the files of `names`
/// with kActiveSuffix. A large one takes long to read, so this happens on a thread of its own,
/// beside the new recording.
///
/// A file is repaired in its place and then renamed: dying between the two leaves a sound file to
/// the next recorder. What a living recorder has locked is left alone. In a directory these are the
/// files that metadata.yaml does not count; they have their names already, and are counted then.
class Leftovers {
 public:
  /// Looks for the files now, and begins. `names` must outlive it.
  Leftovers(const FileNames& names, const Session& session);

  /// A file that has its final name, or that cannot be repaired.
  struct Settled {
    std::string path;
    Time closed;  ///< when its recorder wrote to it last
    bool is_repaired = false;
  };
  /// Those since the last call.
  std::vector<Settled> take_settled();
  /// What there is to tell since the last call.
  std::vector<Error> take_reports();

 private:
  void find_in_directory();
  void settle(const std::string& path, const std::stop_token& stop);
  void settle_in_directory(const std::stop_token& stop);
  bool repair_in_place(const std::string& path, const std::stop_token& stop);
  void tell(const Error& report);

  const FileNames& names_;
  Session session_;
  std::vector<std::string> paths_;
  std::mutex mutex_;
  std::vector<Settled> settled_;
  std::vector<Error> reports_;
  std::jthread thread_;
};

}  // namespace kitbag
