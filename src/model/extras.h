#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kitbag/bag.h"

namespace kitbag {

/// Those that a source of `query` gives: attachments by their log time, the others always.
std::vector<Extra> select_extras(std::vector<Extra> extras, const Query& query);

/// For writers of formats that cannot hold everything: counts what is left out.
class LeftOutExtras {
 public:
  void add(const Extra& extra);
  /// Its sequence number and publish time, where they say something.
  void add(const Message& message) {
    if (message.sequence != 0) ++sequences_;
    if (message.publish_time != message.log_time) ++publish_times_;
  }
  void add(const std::vector<Extra>& extras) {
    for (const Extra& extra : extras) add(extra);
  }
  /// Reports it in one warning, if anything was left out. `target`: "rosbag 2.0".
  void tell(std::string_view target, const std::string& path, const OnWarning& on_warning) const;

 private:
  std::uint64_t attachments_ = 0;
  std::uint64_t metadata_ = 0;
  std::uint64_t records_ = 0;
  std::uint64_t sequences_ = 0;
  std::uint64_t publish_times_ = 0;
};

}  // namespace kitbag
