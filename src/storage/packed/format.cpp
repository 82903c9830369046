#include "storage/packed/format.h"

#include <fmt/format.h>

#include "compress/stream.h"
#include "kitbag/error.h"
#include "kitbag/session.h"
#include "model/listed_times.h"
#include "storage/packed/unpack.h"

// "run.bag.gz": a file of any other format that was compressed as a whole. It has no places that
// one could seek to, so it is unpacked into a temporary file (unpack.h), and the format inside
// reads that. Its summary is that of the content, but for the size and the name of the compression.
//
// A folder cannot be inside, nor another packed file: container formats are refused there.

namespace kitbag {

namespace packed {
namespace {

/// A format that knows the bytes themselves would be surer.
constexpr int kSure = 50;

class PackedBag final : public Bag, public WrapsBag {
 public:
  PackedBag(BagPtr content, const Input& file, std::string_view compression)
      : content_(std::move(content)), summary_(content_->summary()) {
    summary_.size_bytes = file.file->size();
    summary_.whole_file_compression = compression;
  }

  const Bag& inside() const override { return *content_; }
  const Summary& summary() const override { return summary_; }
  std::unique_ptr<Source> read_messages(const Query& query, const Wait& wait) const override {
    return content_->read(query, wait);
  }
  Batch find_last(const LastQuery& query, const Wait& wait) const override {
    return content_->find_last(query, wait);
  }
  std::vector<Extra> extras() const override { return content_->extras(); }
  std::vector<ChunkSummary> chunks() const override { return content_->chunks(); }
  std::vector<ChunkSummary> some_chunks(std::size_t most) const override {
    return content_->some_chunks(most);
  }
  Promise promise() const override { return content_->promise(); }

 private:
  BagPtr content_;
  Summary summary_;
};

int matches(const Input& input) {
  return input.file && !stream_compression(input.head).empty() ? kSure : 0;
}

/// The format of what is inside.
const Format& format_inside(const Input& content, const ReadOptions& options,
                            const Session& session, const Input& file) {
  const Format* format = options.format.empty() ? match_format(session.registry(), content)
                                                : find_format(session.registry(), options.format);
  if (format && !format->is_container) return *format;
  throw Error(ErrorCode::unsupported, "unrecognized format of the compressed content", file.path);
}

/// Looks before it unpacks: most files that are compressed are no bags.
const Format& peek_format(const Input& input, const ReadOptions& options, const Session& session) {
  Input head = peek_into(input, stream_compression(input.head));
  return format_inside(head, options, session, input);
}

BagPtr open(const Input& input, const ReadOptions& options, const Session& session) {
  const Format& format = peek_format(input, options, session);
  std::string_view compression = stream_compression(input.head);
  Input content = unpack(input, compression, options);
  return std::make_shared<PackedBag>(format.open(content, options, session), input, compression);
}

void check_input(const Input& input, const ReadOptions& options, const Session& session) {
  const Format& format = peek_format(input, options, session);
  Input content = unpack(input, stream_compression(input.head), options);
  check_by(format, content, options, session);
}

std::unique_ptr<Writer> append(const std::string& path, const WriteOptions&, const Session&) {
  throw Error(ErrorCode::unsupported,
              "cannot append to a bag that is compressed as a whole; convert it first", path);
}

}  // namespace
}  // namespace packed

Format packed_format() {
  Format format;
  format.name = "packed";
  format.description = "one of these, compressed as a whole with gz, bz2 or zstd";
  format.matches = packed::matches;
  format.open = packed::open;
  format.check = packed::check_input;
  format.append = packed::append;
  format.compressions = {"none"};
  format.is_container = true;
  return format;
}

}  // namespace kitbag
