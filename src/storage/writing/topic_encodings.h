#pragma once

#include <map>
#include <string>

#include "kitbag/message.h"

namespace kitbag {

/// Holds a writer to one encoding a topic. Bags of others may have more; they are only read.
class TopicEncodings {
 public:
  /// `path` of the bag being written, for errors.
  explicit TopicEncodings(std::string path) : path_(std::move(path)) {}

  /// Throws Error (invalid) if the topic has another encoding already.
  void add(const Channel& channel);

 private:
  std::string path_;
  std::map<std::string, std::string> by_topic_;
};

}  // namespace kitbag
