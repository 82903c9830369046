#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "kitbag/session.h"
#include "kitbag/upload.h"

namespace kitbag::cli {

/// The files of a folder that are to be uploaded: all that are complete, those of folders below it
/// too. The files of a rosbag2 directory belong together: metadata.yaml comes last.
class UploadFolder {
 public:
  /// Throws Error if there is no such folder.
  UploadFolder(const std::string& path, const Session& session);

  /// Adds what is new. `only_at_rest`: not what was modified in the last ten seconds, which a
  /// program without locks may still be writing. Throws Error (io).
  void add_to(Uploader& uploader, bool only_at_rest);
  /// Deletes what was uploaded; the files of a directory when all of them are. Throws Error (io).
  void remove_uploaded(Uploader& uploader);
  /// What was not added at the last add_to(), as sentences, and why.
  const std::vector<std::string>& left_out() const { return left_out_; }

 private:
  void take_folder(const std::string& name, int depth);
  void take_file(const std::string& name);
  void take_directory(const std::string& name);
  bool is_complete(const std::string& name);
  bool is_whole(const std::string& name, const std::vector<std::string>& members);
  void leave_out_incomplete(const std::string& path);
  bool is_being_written(const std::string& path) const;
  std::string path_of(const std::string& name) const;

  Session session_;
  std::string folder_;
  std::string only_;  ///< the name of a directory that is all; empty: the whole folder
  FileSystemPtr files_;
  bool only_at_rest_ = false;
  Uploader* uploader_ = nullptr;
  /// What is deleted together, in the order in which it was added, by the name of its directory or
  /// its own.
  std::map<std::string, std::vector<std::string>> groups_;
  std::vector<std::string> left_out_;
};

}  // namespace kitbag::cli
