// Lets libFuzzer loose on one target: ./dev fuzz NAME SECONDS.
//
// KITBAG_FUZZ names the target; without it the names are printed. KITBAG_FUZZ_SEEDS is a folder for
// good inputs to begin with, which are made before anything is run.

#include <cstdlib>
#include <fstream>
#include <iostream>

#include "tests/fuzz/targets.h"

namespace {

kitbag::fuzz::Target chosen;  // NOLINT: libFuzzer calls plain functions

void write_seeds(const std::string& folder) {
  std::size_t count = 0;
  for (const std::string& seed : chosen.seeds()) {
    std::ofstream(folder + "/seed" + std::to_string(count++), std::ios::binary) << seed;
  }
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  const auto all = kitbag::fuzz::targets();
  const char* name = std::getenv("KITBAG_FUZZ");
  if (!name || all.count(name) == 0) {
    for (const auto& [each, target] : all) std::cout << each << '\n';
    std::exit(name ? 2 : 0);
  }
  chosen = all.at(name);
  if (const char* folder = std::getenv("KITBAG_FUZZ_SEEDS")) write_seeds(folder);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  chosen.run({reinterpret_cast<const std::byte*>(data), size});
  return 0;
}
