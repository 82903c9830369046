#pragma once

#include <concepts>
#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "kitbag/bag.h"
#include "kitbag/bytes.h"
#include "kitbag/export.h"

namespace kitbag {

/// A payload as it is put together: what is small is copied, what is large stays where it lies.
/// Little-endian, as all machines are that it runs on. One thread.
class KITBAG_API PieceList {
 public:
  /// A copy of `bytes`.
  PieceList& copy(ByteView bytes);
  template <class T>
  requires std::is_arithmetic_v<T> PieceList& number(T value) {
    return copy(std::as_bytes(std::span(&value, 1)));
  }
  /// Bytes that stay where they lie, at least until the message is appended; where they are
  /// kLendBytes or more, for as long as its owner lives.
  PieceList& refer(ByteView bytes);
  /// Zeros, until the bytes behind the first `origin` are a multiple of `alignment`: for CDR, whose
  /// origin is 4.
  PieceList& align(std::size_t alignment, std::size_t origin = 0);

  /// Of the payload so far.
  std::size_t size() const { return size_; }
  /// The payload, piece by piece; valid until the next call.
  std::span<const ByteView> pieces();
  /// False: some copy is so large that it would be lent, and no owner has it.
  bool is_lendable() const { return is_lendable_; }
  /// Keeps its memory.
  void clear();

 private:
  struct Part {
    const std::byte* data;  ///< null: the next `size` of copies_
    std::size_t size;
  };

  std::vector<std::byte> copies_;
  std::vector<Part> parts_;
  std::vector<ByteView> pieces_;
  std::size_t size_ = 0;
  bool is_lendable_ = true;
};

/// How messages of your own type lie in memory: specialize it for them, with
///
///   static void list(const T& message, PieceList& pieces);
///
/// which lists the payload in its encoding from the first byte to the last.
template <class T>
struct Pieces;

template <class T>
concept HasPieces = requires(const T& message, PieceList& pieces) {
  Pieces<T>::list(message, pieces);
};

/// Appends a message of your own type; what is large of it is kept, not copied, as long as
/// Writer::append() says. `scratch` is for the next call again.
template <HasPieces T>
void append_message(Writer& writer, const ChannelPtr& channel, const Stamp& stamp,
                    const std::shared_ptr<const T>& message, PieceList& scratch) {
  scratch.clear();
  Pieces<T>::list(*message, scratch);
  Owner owner = scratch.is_lendable() ? Owner(message) : Owner();
  writer.append(channel, stamp, scratch.pieces(), owner);
}

}  // namespace kitbag
