#include "compress/decompressor_pool.h"

#include <algorithm>

namespace kitbag {

std::unique_ptr<Decompressor> DecompressorPool::take(std::string_view name) {
  std::lock_guard lock(mutex_);
  auto found = std::find_if(idle_.begin(), idle_.end(),
                            [&](const auto& idle) { return idle.first == name; });
  if (found == idle_.end()) return make_decompressor(name);
  auto decompressor = std::move(found->second);
  idle_.erase(found);
  return decompressor;
}

void DecompressorPool::give_back(std::string_view name,
                                 std::unique_ptr<Decompressor> decompressor) {
  std::lock_guard lock(mutex_);
  idle_.emplace_back(name, std::move(decompressor));
}

}  // namespace kitbag
