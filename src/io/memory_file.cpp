#include <algorithm>
#include <cstring>
#include <utility>

#include "kitbag/file.h"

namespace kitbag {
namespace {

class MemoryFile final : public ReadFile {
 public:
  MemoryFile(ByteView bytes, Owner owner) : bytes_(bytes), owner_(std::move(owner)) {}

  std::uint64_t size() const override { return bytes_.size(); }

  std::size_t read(std::uint64_t offset, std::span<std::byte> into) const override {
    if (offset >= bytes_.size()) return 0;
    auto rest = bytes_.subspan(static_cast<std::size_t>(offset));
    std::size_t count = std::min(into.size(), rest.size());
    if (count > 0) std::memcpy(into.data(), rest.data(), count);
    return count;
  }

 private:
  ByteView bytes_;
  Owner owner_;
};

}  // namespace

std::shared_ptr<const ReadFile> memory_file(ByteView bytes, Owner owner) {
  return std::make_shared<MemoryFile>(bytes, std::move(owner));
}

}  // namespace kitbag
