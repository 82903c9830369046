// Runs every target of the fuzzer on its good inputs, and on some that are damaged in the ways that
// files and streams are: a bit, a byte, an end, a piece that is missing or there twice. What
// libFuzzer finds in hours is not found here; that a target works is.

#include "tests/fuzz/targets.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <random>
#include <string>

// The targets call what libkitbag.so does not export, so its modules are in the program; the server
// brings the library itself.
extern "C" __attribute__((visibility("default"))) const char* __asan_default_options() {
  return "detect_odr_violation=0";
}

namespace kitbag::fuzz {
namespace {

constexpr int kDamaged = 12;                  ///< inputs, of each good one
constexpr std::size_t kMostBytes = 64 << 10;  ///< as `./dev fuzz` has it

class FuzzTarget : public testing::TestWithParam<std::string> {
 protected:
  std::size_t at_random(std::size_t end) { return end == 0 ? 0 : random_() % end; }

  std::string damaged(std::string input) {
    std::size_t at = at_random(input.size());
    std::size_t size = at_random(std::min<std::size_t>(input.size() - at, 64) + 1);
    switch (random_() % 6) {
      case 0:
        return input.substr(0, at);
      case 1:
        return input.erase(at, size);
      case 2:
        return input.insert(at, input.substr(at, size));
      case 3:
        return input.replace(at, size, size, '\xFF');
      case 4:
        return input.replace(at, size, size, '\0');
      default:
        if (!input.empty()) input[at] = static_cast<char>(input[at] ^ (1 << random_() % 8));
        return input;
    }
  }

  std::minstd_rand random_;
};

void run(const Target& target, const std::string& input) {
  target.run({reinterpret_cast<const std::byte*>(input.data()), input.size()});
}

TEST_P(FuzzTarget, TakesGoodAndDamagedInputs) {
  Target target = targets().at(GetParam());
  std::vector<std::string> seeds = target.seeds();
  ASSERT_FALSE(seeds.empty());
  run(target, "");
  for (const std::string& seed : seeds) {
    run(target, seed);
    std::string input = seed.substr(0, kMostBytes);
    for (int i = 0; i < kDamaged; ++i) {
      run(target, damaged(input));
    }
  }
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const auto& [name, target] : targets()) all.push_back(name);
  return all;
}

INSTANTIATE_TEST_SUITE_P(All, FuzzTarget, testing::ValuesIn(names()), [](const auto& info) {
  std::string name = info.param;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); },
      '_');
  return name;
});

}  // namespace
}  // namespace kitbag::fuzz
