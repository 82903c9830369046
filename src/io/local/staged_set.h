#pragma once

#include <memory>
#include <string>
#include <vector>

#include "io/local/staged_folder.h"
#include "kitbag/file_system.h"

namespace kitbag {

/// New files or folders of one name that are to appear together: they are written in a hidden
/// folder beside their places, which goes with all that is in it without publish(). No system gives
/// several files their names in one step, so the first gets its name last: where it is, all are.
class StagedSet final : public Staging {
 public:
  /// Files that will be beside `path`. What earlier writers have left is reported to `on_warning`.
  /// Throws Error (io, not_found).
  StagedSet(const std::string& path, const OnWarning& on_warning);

  std::string place(const std::string& target, bool may_replace) override;
  std::string place_instead(const std::string& target, std::unique_ptr<FileLock> lock) override;
  Error with_final_name(const Error& error) const override;
  void publish() override;

 private:
  struct Part {
    std::string staged;
    std::string path;              ///< as it was asked for
    std::filesystem::path target;  ///< where that leads
    WriteLock replaced;
    bool is_in_place = false;
    bool keeps_others = false;  ///< a file that replaces nothing
    bool is_folder = false;     ///< known, as the next one, when it is prepared
    bool is_database = false;
  };

  void add(const std::string& path, WriteLock replaced, bool is_in_place);
  static void prepare(Part& part);
  void take_back(std::size_t from);

  std::filesystem::path parent_;
  StagedFolder folder_;
  std::vector<Part> parts_;
};

}  // namespace kitbag
