#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "kitbag/bytes.h"

namespace kitbag {

/// What one step has moved, and what is to come.
struct StreamStep {
  enum class State {
    going,    ///< more input or more room is wanted
    ended,    ///< the stream is whole; another may follow it, as in joined files
    damaged,  ///< no step further
  };

  std::size_t taken = 0;  ///< from the input
  std::size_t given = 0;  ///< bytes put out
  State state = State::going;
};

/// Unpacks a compressed file step by step, in memory that does not grow with it.
class StreamDecompressor {
 public:
  virtual ~StreamDecompressor() = default;
  /// Takes from the front of `from` and puts to the front of `into`, as much as goes. A step that
  /// has not ended and moved nothing lacks input, or room. Behind an end a new stream is expected.
  virtual StreamStep step(ByteView from, std::span<std::byte> into) = 0;
};

/// Packs bytes into one stream of zstd, step by step.
class StreamCompressor {
 public:
  StreamCompressor();
  StreamCompressor(StreamCompressor&&) noexcept;
  ~StreamCompressor();

  /// As StreamDecompressor::step(); `is_last`: nothing comes behind `from`, so that it is `ended`
  /// when all is put out.
  StreamStep step(ByteView from, std::span<std::byte> into, bool is_last);

 private:
  struct Stream;
  std::unique_ptr<Stream> stream_;
};

/// "gz", "bz2" or "zstd": how a file that begins so is compressed; "" if by none of these.
std::string_view stream_compression(ByteView head);

/// The same, by the extension of a file: ".gz".
std::string_view stream_compression_named(std::string_view extension);

/// For the names that stream_compression() gives.
std::unique_ptr<StreamDecompressor> make_stream_decompressor(std::string_view name);

}  // namespace kitbag
