#include "kitbag/pieces.h"

// Bytes that are copied lie behind one another in one vector, which moves while it grows. So a
// copied part has no address before pieces() is called: it is null, and where it begins follows
// from the sizes of the copied parts in front of it. Copies that follow one another are one piece.

namespace kitbag {

PieceList& PieceList::copy(ByteView bytes) {
  if (bytes.empty()) return *this;
  copies_.insert(copies_.end(), bytes.begin(), bytes.end());
  if (parts_.empty() || parts_.back().data) parts_.push_back({nullptr, 0});
  parts_.back().size += bytes.size();
  size_ += bytes.size();
  return *this;
}

PieceList& PieceList::refer(ByteView bytes) {
  if (!bytes.empty()) parts_.push_back({bytes.data(), bytes.size()});
  size_ += bytes.size();
  return *this;
}

PieceList& PieceList::align(std::size_t alignment, std::size_t origin) {
  while ((size_ - origin) % alignment != 0) number(std::uint8_t{0});
  return *this;
}

std::span<const ByteView> PieceList::pieces() {
  pieces_.clear();
  const std::byte* copy = copies_.data();
  for (const Part& part : parts_) {
    pieces_.emplace_back(part.data ? part.data : copy, part.size);
    if (!part.data) copy += part.size;
  }
  return pieces_;
}

void PieceList::clear() {
  copies_.clear();
  parts_.clear();
  pieces_.clear();
  size_ = 0;
}

}  // namespace kitbag
