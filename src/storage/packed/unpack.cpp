#include "storage/packed/unpack.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/buffer.h"
#include "compress/stream.h"
#include "io/local/temporary_file.h"
#include "kitbag/error.h"
#include "kitbag/escape.h"
#include "kitbag/system_error.h"
#include "kitbag/text.h"

// A compressed stream can only be read from its beginning, and reading a bag needs any place of it
// at any time. So the whole content goes into a file without a name in TMPDIR, which the system
// removes when it is closed.
//
// A file of a few bytes may unpack to a disk full of zeros. So the output is limited by a ratio to
// the input read so far, as soon as it is larger than what is usual, and the check is made at every
// step.
//
// Streams may follow one another, as tools that compress in parallel and `cat` make them. Between
// two of them the magic decides: other bytes there are an error, but what came before is used. The
// window therefore never ends within a magic.
//
// To recognise the format, only the first bytes are unpacked: most compressed files are no bags.

namespace kitbag::packed {

namespace {

constexpr std::size_t kStreamBytes = 256 << 10;
constexpr std::size_t kMagicBytes = 4;
/// The first block of a bzip2 file is there as a whole or not at all, and may have 900 kB.
constexpr std::uint64_t kPeekedBytes = 2 << 20;

/// Reads a compressed file from begin to end.
class Unpacker {
 public:
  Unpacker(const Input& input, std::string_view compression, std::uint64_t most_input)
      : input_(input),
        size_(std::min(input.file->size(), most_input)),
        stream_(make_stream_decompressor(compression)) {
    output_.resize(kStreamBytes);
  }

  /// The next bytes that come out; empty: the end, or a fault. Valid until the next call.
  ByteView next();
  std::string_view fault() const { return fault_; }
  ErrorCode fault_code() const { return fault_code_; }
  /// Bytes of the file that were unpacked.
  std::uint64_t at() const { return at_; }

 private:
  ByteView input();
  void fail(ErrorCode code, std::string_view fault) {
    fault_code_ = code;
    fault_ = fault;
  }

  const Input& input_;
  std::uint64_t size_;
  std::unique_ptr<StreamDecompressor> stream_;
  Buffer window_;
  std::uint64_t window_at_ = 0;
  Buffer output_;
  std::uint64_t at_ = 0;
  bool is_between_ = false;  ///< one stream has ended, none has begun
  std::string_view fault_;
  ErrorCode fault_code_ = ErrorCode::corrupt;
};

ByteView Unpacker::input() {
  // A magic must not be cut by the window's end.
  std::uint64_t wanted = std::min<std::uint64_t>(size_ - at_, kMagicBytes);
  if (at_ + wanted > window_at_ + window_.size()) {
    window_.resize(static_cast<std::size_t>(std::min<std::uint64_t>(size_ - at_, kStreamBytes)));
    window_.resize(input_.file->read(at_, window_.span()));
    window_at_ = at_;
  }
  return window_.view().subspan(static_cast<std::size_t>(at_ - window_at_));
}

ByteView Unpacker::next() {
  while (fault_.empty()) {
    ByteView from = input();
    if (is_between_ && stream_compression(from).empty()) {
      if (!from.empty()) fail(ErrorCode::corrupt, "other data follows its end");
      return {};
    }
    StreamStep step = stream_->step(from, output_.span());
    at_ += step.taken;
    is_between_ = step.state == StreamStep::State::ended;
    if (step.state == StreamStep::State::damaged) fail(ErrorCode::corrupt, "it is damaged");
    bool is_stuck = step.taken + step.given == 0 && step.state == StreamStep::State::going;
    if (is_stuck) fail(ErrorCode::truncated, "the file ends within it");
    if (step.given > 0) return output_.view().first(step.given);
  }
  return {};
}

void read_head(Input& input) {
  input.head.resize(Input::kHeadBytes);
  input.head.resize(input.file->read(0, input.head));
}

std::shared_ptr<const ReadFile> unpack_all(Unpacker& unpacker, const Input& input,
                                           std::uint64_t usual, std::uint64_t most) {
  try {
    TemporaryFile content;
    for (ByteView bytes = unpacker.next(); !bytes.empty(); bytes = unpacker.next()) {
      std::uint64_t of_input = std::min(unpacker.at(), most / kMostUsualRatio) * kMostUsualRatio;
      std::uint64_t limit = std::min(most, std::max(usual, of_input));
      if (content.size() + bytes.size() > limit) {
        throw Error(ErrorCode::limit,
                    fmt::format("the first {} decompress to more than {}, which no valid bag does",
                                format_size(unpacker.at()), format_size(limit)),
                    input.path, unpacker.at());
      }
      content.append(bytes);
    }
    return content.finish();
  } catch (const Error& error) {
    bool is_refused = error.code() == ErrorCode::io || error.code() == ErrorCode::not_found;
    if (error.file() == shown_path(input.path) || !is_refused) throw;
    std::string text = fmt::format(
        "cannot decompress the bag to a temporary file: {}; set TMPDIR to a folder with enough "
        "space",
        error.what());
    throw_as(Error(ErrorCode::io, text, input.path), error);
  }
}

}  // namespace

Input peek_into(const Input& input, std::string_view compression) {
  Unpacker unpacker(input, compression, kPeekedBytes);
  auto content = std::make_shared<Buffer>();
  while (content->size() < Input::kHeadBytes) {
    ByteView bytes = unpacker.next();
    if (bytes.empty()) break;
    content->append(bytes.first(std::min(bytes.size(), Input::kHeadBytes - content->size())));
  }
  Input head{input.path, {}, memory_file(content->view(), content)};
  read_head(head);
  return head;
}

Input unpack(const Input& input, std::string_view compression, const ReadOptions& options,
             std::uint64_t most) {
  Unpacker unpacker(input, compression, UINT64_MAX);
  std::uint64_t usual = std::max(kUsualBytes, options.max_memory_bytes);
  Input unpacked{input.path + " (unpacked)", {}, unpack_all(unpacker, input, usual, most)};
  if (!unpacker.fault().empty()) {
    std::uint64_t size = input.file->size();
    report(options.on_problem,
           Error(unpacker.fault_code(),
                 fmt::format("the {} stream is incomplete: {}; {} bytes were decompressed",
                             compression, unpacker.fault(), unpacked.file->size()),
                 input.path, unpacker.at(), Loss{.bytes = size - std::min(size, unpacker.at())}));
  }
  read_head(unpacked);
  return unpacked;
}

}  // namespace kitbag::packed
