#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kitbag/bag.h"

namespace kitbag {

/// Those that a source of `query` gives: attachments by their log time, the others always.
std::vector<Extra> select_extras(std::vector<Extra> extras, const Query& query);

/// For writers of formats that hold no extras, or not all kinds: counts what is left out.
class LeftOutExtras {
 public:
  void add(const Extra& extra);
  void add(const std::vector<Extra>& extras) {
    for (const Extra& extra : extras) add(extra);
  }
  /// Tells it in one warning, if there is anything to tell. `target`: "rosbag 2.0".
  void tell(std::string_view target, const std::string& path, const OnProblem& on_warning) const;

 private:
  std::uint64_t attachments_ = 0;
  std::uint64_t metadata_ = 0;
  std::uint64_t records_ = 0;
};

}  // namespace kitbag
