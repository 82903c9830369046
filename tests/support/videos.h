#pragma once

#include <cstddef>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace kitbag::test {

/// Twelve frames of 64 x 48 pixels by format, of which frame i has the gray 20 * i, and 0 and 6 are
/// key frames.
inline std::map<std::string, std::vector<std::string>> videos() {
  std::map<std::string, std::vector<std::string>> all;
  std::ifstream file("tests/support/videos.txt");
  std::string format;
  std::string digits;
  while (file >> format >> digits) {
    std::string& frame = all[format].emplace_back();
    for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
      frame += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
    }
  }
  if (all.size() != 4) throw std::runtime_error("tests/support/videos.txt has no four videos");
  return all;
}

}  // namespace kitbag::test
