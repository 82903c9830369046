#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "kitbag/error.h"

namespace kitbag::server {

/// What is damaged in a bag, as sentences for clients: each one once, and not too many of them.
class DamageList {
 public:
  void add(const Error& problem) {
    if (problem.code() != ErrorCode::remark) add(problem.message());
  }
  void add(const std::string& sentence) {
    if (std::find(sentences_.begin(), sentences_.end(), sentence) != sentences_.end()) return;
    if (sentences_.size() > kMost) return;
    sentences_.push_back(sentences_.size() < kMost ? sentence
                                                   : "there is more; kitbag check lists all of it");
  }
  void add(const DamageList& other) {
    for (const std::string& sentence : other.sentences_) add(sentence);
  }

  const std::vector<std::string>& sentences() const { return sentences_; }

 private:
  static constexpr std::size_t kMost = 20;

  std::vector<std::string> sentences_;
};

}  // namespace kitbag::server
