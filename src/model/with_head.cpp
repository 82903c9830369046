#include "model/with_head.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

// Formats are recognized by their first bytes, which say nothing else. So where these are damaged
// and the format is known nevertheless, the rest of a reader need not know: it sees them mended.

namespace kitbag {

namespace {

class HeadedFile final : public ReadFile {
 public:
  HeadedFile(std::shared_ptr<const ReadFile> file, std::string_view head)
      : file_(std::move(file)), head_(head) {}

  std::uint64_t size() const override { return file_->size(); }
  std::size_t read(std::uint64_t offset, std::span<std::byte> into) const override {
    std::size_t count = file_->read(offset, into);
    if (offset >= head_.size()) return count;
    std::string_view own = std::string_view(head_).substr(static_cast<std::size_t>(offset));
    std::memcpy(into.data(), own.data(), std::min(own.size(), count));
    return count;
  }
  void prefetch(std::uint64_t offset, std::uint64_t size) const override {
    file_->prefetch(offset, size);
  }
  std::string identity() const override { return file_->identity(); }

 private:
  std::shared_ptr<const ReadFile> file_;
  std::string head_;
};

}  // namespace

Input with_head(const Input& input, std::string_view head) {
  Input mended = input;
  std::memcpy(mended.head.data(), head.data(), std::min(mended.head.size(), head.size()));
  mended.file = std::make_shared<const HeadedFile>(input.file, head);
  return mended;
}

std::size_t difference_to_head(const Input& input, std::string_view head) {
  std::string_view there = as_text(input.head).substr(0, head.size());
  std::size_t differing = head.size() - there.size();
  for (std::size_t i = 0; i < there.size(); ++i) {
    if (there[i] != head[i]) ++differing;
  }
  return differing;
}

}  // namespace kitbag
