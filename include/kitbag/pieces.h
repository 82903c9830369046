#pragma once

#include <concepts>
#include <cstddef>
#include <span>
#include <type_traits>
#include <vector>

#include "kitbag/bag.h"
#include "kitbag/bytes.h"
#include "kitbag/export.h"

// A PieceList is a payload that is assembled without copying its large parts. Use it to write
// messages of your own types: specialize Pieces<T>, then append them.
//
//   template <>
//   struct kitbag::Pieces<Scan> {
//     static void list(const Scan& scan, PieceList& pieces) {
//       pieces.number(scan.size()).refer(std::as_bytes(std::span(scan.ranges)));
//     }
//   };
//
//   append_message(*writer, channel, {time, time, number}, scan, scratch);
//
// Small values are copied into the list; large arrays are referred to and reach the writer from
// where they are in memory. Reuse one PieceList for many messages: it keeps its memory.

namespace kitbag {

/// A payload as a list of pieces: small ones are copied, large ones are referred to. Numbers are
/// little-endian, as on all machines that kitbag supports. One thread.
class KITBAG_API PieceList {
 public:
  /// Appends a copy of `bytes`.
  PieceList& copy(ByteView bytes);
  /// Appends a copy of a number.
  template <class T>
  requires std::is_arithmetic_v<T> PieceList& number(T value) {
    return copy(std::as_bytes(std::span(&value, 1)));
  }
  /// Appends `bytes` without copying them. They must stay unchanged until the message has been
  /// appended to the writer.
  PieceList& refer(ByteView bytes);
  /// Appends zeros until the number of bytes after the first `origin` bytes is a multiple of
  /// `alignment`. In CDR, `origin` is 4.
  PieceList& align(std::size_t alignment, std::size_t origin = 0);

  /// Returns the size of the payload so far, in bytes.
  std::size_t size() const { return size_; }
  /// Returns the pieces in order. Valid until this list is changed or pieces() is called again.
  std::span<const ByteView> pieces();
  /// Removes all pieces. Keeps the allocated memory.
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
};

/// Describes how messages of your own type T are stored in memory. Specialize it with a function
///
///   static void list(const T& message, PieceList& pieces);
///
/// that lists the encoded payload from the first byte to the last.
template <class T>
struct Pieces;

/// Types with a specialization of Pieces.
template <class T>
concept HasPieces = requires(const T& message, PieceList& pieces) {
  Pieces<T>::list(message, pieces);
};

/// Appends a message of your own type. `scratch` holds no result; pass the same one to the next
/// call to reuse its memory.
template <HasPieces T>
void append_message(Writer& writer, const ChannelPtr& channel, const Stamp& stamp, const T& message,
                    PieceList& scratch) {
  scratch.clear();
  Pieces<T>::list(message, scratch);
  writer.append(channel, stamp, scratch.pieces());
}

}  // namespace kitbag
