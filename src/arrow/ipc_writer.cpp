#include <array>
#include <cerrno>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "arrow/ipc_body.h"
#include "arrow/ipc_field.h"
#include "arrow/ipc_message.h"
#include "arrow/owned.h"
#include "kitbag/arrow_ipc.h"
#include "kitbag/error.h"

// A stream is a row of messages:
//
//   0xFFFFFFFF, length of the metadata | metadata, filled up | body, filled up
//
// the schema first, then dictionaries and batches, and 0xFFFFFFFF 0 at the end. A file has "ARROW1"
// around the same bytes, and the footer behind them. The metadata is filled up so that the body,
// and so each of its buffers, begins at a multiple of 64 from the beginning of the bytes: a reader
// that maps a file has the alignment that Arrow recommends.
//
// A dictionary that has changed is written as a whole in a stream, which all readers understand. In
// a file there is one dictionary for all batches, to which values can only be added.

namespace kitbag {

namespace {

using arrow::IpcBlock;
using arrow::IpcBody;
using arrow::IpcField;
using arrow::IpcMetadata;
using arrow::Owned;

constexpr std::string_view kMagic = "ARROW1";
constexpr std::string_view kMagicFilledUp("ARROW1\0\0", 8);
constexpr std::uint32_t kMessageFollows = 0xFFFFFFFF;
constexpr std::size_t kPrefixBytes = 8;
constexpr std::array<std::byte, IpcBody::kAlignment> kZeros{};

/// What is missing to a multiple of IpcBody::kAlignment.
ByteView filling(std::int64_t bytes) {
  auto over = static_cast<std::size_t>(bytes % IpcBody::kAlignment);
  return std::span(kZeros).first(over == 0 ? 0 : kZeros.size() - over);
}

template <class T>
ByteView bytes_of(const T& value) {
  return std::as_bytes(std::span(&value, 1));
}

class Writer final : public ArrowIpcWriter {
 public:
  Writer(const ArrowSchema& schema, BytesOut out, ArrowIpcForm form)
      : root_(arrow::ipc_field(schema)),
        out_(std::move(out)),
        is_file_(form == ArrowIpcForm::file) {
    if (root_.type.number != arrow::IpcTypeNumber::structure || root_.dictionary) {
      throw Error(ErrorCode::invalid,
                  "an Arrow table must be a struct, with a field for each column");
    }
    if (is_file_) put(as_bytes(kMagicFilledUp));
    put_message(arrow::schema_message(root_), {});
  }

  void write(const ArrowArray& batch) override {
    IpcBody body;
    body.add_columns(root_, batch);  // before the dictionaries are visited: it checks the children
    put_dictionaries(root_, batch);
    IpcBlock block = put_message(arrow::batch_message(batch.length, body), body);
    if (is_file_) batches_.push_back(block);
  }

  void finish() override {
    put(bytes_of(kMessageFollows));
    put(bytes_of(std::uint32_t{0}));
    if (!is_file_) return;
    IpcMetadata footer = arrow::file_footer(root_, dictionaries_, batches_);
    put(footer);
    put(bytes_of(static_cast<std::uint32_t>(footer.size())));
    put(as_bytes(kMagic));
  }

 private:
  /// A dictionary as it was written last.
  struct Known {
    std::int64_t length = 0;
    std::string fingerprint;
  };

  void put(ByteView bytes) {
    if (bytes.empty()) return;
    out_(bytes);
    position_ += static_cast<std::int64_t>(bytes.size());
  }

  IpcBlock put_message(const IpcMetadata& metadata, const IpcBody& body) {
    IpcBlock block{.offset = position_, .body_bytes = body.bytes()};
    auto size = static_cast<std::int64_t>(kPrefixBytes + metadata.size());
    ByteView rest = filling(position_ + size);
    block.metadata_bytes = static_cast<std::int32_t>(size + static_cast<std::int64_t>(rest.size()));
    put(bytes_of(kMessageFollows));
    put(bytes_of(block.metadata_bytes - static_cast<std::int32_t>(kPrefixBytes)));
    put(metadata);
    put(rest);
    for (ByteView content : body.contents()) {
      put(content);
      put(filling(static_cast<std::int64_t>(content.size())));
    }
    return block;
  }

  void put_dictionaries(const IpcField& field, const ArrowArray& array) {
    for (std::size_t i = 0; i < field.children.size(); ++i) {
      put_dictionaries(field.children[i], *array.children[i]);
    }
    if (!field.dictionary) return;
    if (!array.dictionary) {
      throw Error(ErrorCode::invalid, "the column \"" + field.name + "\" has no dictionary");
    }
    put_dictionary(field, *array.dictionary);
  }

  void put_dictionary(const IpcField& field, const ArrowArray& values) {
    IpcBody body;
    body.add(*field.dictionary, values, 0, values.length);
    put_dictionaries(*field.dictionary, values);  // those of the values themselves go first
    std::string fingerprint = body.fingerprint();
    auto found = known_.find(field.dictionary_id);
    if (found != known_.end() && found->second.fingerprint == fingerprint) return;
    const bool is_delta = is_file_ && found != known_.end();
    const std::int64_t begin = is_delta ? found->second.length : 0;
    if (is_delta) {
      require_longer(field, values, found->second);
      body = IpcBody();
      body.add(*field.dictionary, values, begin, values.length - begin);
    }
    IpcBlock block = put_message(
        arrow::dictionary_message(field.dictionary_id, values.length - begin, is_delta, body),
        body);
    if (is_file_) dictionaries_.push_back(block);
    known_[field.dictionary_id] = {values.length, std::move(fingerprint)};
  }

  static void require_longer(const IpcField& field, const ArrowArray& values, const Known& known) {
    IpcBody begin;
    bool is_longer = values.length >= known.length;
    if (is_longer) begin.add(*field.dictionary, values, 0, known.length);
    if (is_longer && begin.fingerprint() == known.fingerprint) return;
    throw Error(
        ErrorCode::unsupported,
        "the dictionary of the column \"" + field.name +
            "\" changes from batch to batch, which an Arrow file cannot have; write a stream");
  }

  IpcField root_;
  BytesOut out_;
  bool is_file_;
  std::int64_t position_ = 0;
  std::map<std::int64_t, Known> known_;  ///< by IpcField::dictionary_id
  std::vector<IpcBlock> dictionaries_;
  std::vector<IpcBlock> batches_;
};

void require_success(ArrowArrayStream& stream, int number) {
  if (number == 0) return;
  const char* reason = stream.get_last_error(&stream);
  throw Error(number == EINTR ? ErrorCode::cancelled : ErrorCode::io,
              reason ? reason : std::generic_category().message(number));
}

}  // namespace

std::unique_ptr<ArrowIpcWriter> arrow_ipc_writer(const ArrowSchema& schema, BytesOut out,
                                                 ArrowIpcForm form) {
  return std::make_unique<Writer>(schema, std::move(out), form);
}

void write_arrow_ipc(ArrowArrayStream& stream, BytesOut out, ArrowIpcForm form) {
  Owned<ArrowSchema> schema;
  require_success(stream, stream.get_schema(&stream, schema.get()));
  auto writer = arrow_ipc_writer(*schema, std::move(out), form);
  for (;;) {
    Owned<ArrowArray> batch;
    require_success(stream, stream.get_next(&stream, batch.get()));
    if (batch.is_empty()) break;
    writer->write(*batch);
  }
  writer->finish();
}

}  // namespace kitbag
