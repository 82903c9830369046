#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compress/compression.h"

namespace kitbag {

/// Lends decompressors, which keep their contexts. Thread-safe.
class DecompressorPool {
 public:
  /// Null for a name that make_decompressor() does not know.
  std::unique_ptr<Decompressor> take(std::string_view name);
  /// One that was taken by that name.
  void give_back(std::string_view name, std::unique_ptr<Decompressor> decompressor);

 private:
  std::mutex mutex_;
  std::vector<std::pair<std::string, std::unique_ptr<Decompressor>>> idle_;
};

}  // namespace kitbag
