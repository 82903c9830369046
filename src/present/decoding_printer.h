#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kitbag/codec.h"
#include "kitbag/print.h"
#include "kitbag/registry.h"
#include "kitbag/session.h"

namespace kitbag {

/// Makes JSON of single messages. It keeps the memory that the largest one took.
struct JsonMaker {
  JsonMaker(const CodecOptions& options, const Session& session)
      : encoder(find_codec(session.registry(), "json")->encoder(nullptr, options)) {}

  std::unique_ptr<Encoder> encoder;
  Arena arena;
};

/// The common part of printers of decoded messages: decoders by channel, and the handling of
/// messages that cannot be decoded.
class DecodingPrinter : public Sink {
 public:
  DecodingPrinter(PrintOptions options, TextOut out, TranscodeReport& report,
                  const Session& session)
      : options_(std::move(options)), out_(std::move(out)), report_(report), session_(session) {}

  void write(Batch&& batch) final;
  /// Also releases the memory in which text was made: what follows may be long in coming.
  void flush() final {
    if (out_.flush) out_.flush();
    std::string().swap(text_);
    release();
  }
  void close() final { flush(); }

 protected:
  /// Adds `message` to the text, or throws Error; what it has added by then is removed. `type` is
  /// null for payloads without a schema.
  virtual void print(const Message& message, Decoder& decoder, const TypePtr& type) = 0;
  /// Adds `message` with its payload as it is.
  virtual void print_raw(const Message& message) = 0;
  /// Releases the memory that print() keeps for the next message.
  virtual void release() {}

  const PrintOptions& options() const { return options_; }
  /// The text that print() adds to; it is passed on batch by batch.
  std::string& text() { return text_; }
  /// Decodes `message` for `visitor`, except fields that are not selected.
  void decode(const Message& message, Decoder& decoder, Visitor& visitor) const;
  /// The file that `message` comes from, if files are printed.
  std::optional<std::string> file_of(const Message& message) const {
    return options_.file_of ? std::optional(options_.file_of(*message.channel)) : std::nullopt;
  }
  /// `text`, in the color of the topic if that was asked for.
  std::string in_color(std::string_view text, std::string_view topic) const;
  const Session& session() const { return session_; }
  /// What becomes of the messages of a topic.
  TranscodeReport::Topic& report_of(const std::string& topic) { return report_.topics[topic]; }
  /// Counts the bytes that were not UTF-8 and were replaced with U+FFFD.
  std::size_t& replaced_bytes() { return replaced_bytes_; }

 private:
  struct Lane {
    bool is_ready = false;
    bool is_decodable = false;  ///< false: its payloads are printed as bytes
    TypePtr type;
    std::unique_ptr<Decoder> decoder;  ///< null: its definition is damaged
  };

  Lane& lane_of(const Channel& channel);
  void report_undefined(const Channel& channel);
  void take(const Message& message);
  void take_error(const Message& message, const Error& error);
  /// Leaves `message` out, or prints its bytes; counted.
  void pass_over(const Message& message);
  void hand_on();

  PrintOptions options_;
  TextOut out_;
  TranscodeReport& report_;
  Session session_;
  std::vector<Lane> lanes_;  ///< by slot
  std::size_t replaced_bytes_ = 0;
  std::string text_;
};

std::unique_ptr<Sink> json_printer(const PrintOptions& options, TextOut out,
                                   TranscodeReport& report, const Session& session);
std::unique_ptr<Sink> flat_printer(const PrintOptions& options, TextOut out,
                                   TranscodeReport& report, const Session& session);
std::unique_ptr<Sink> yaml_printer(const PrintOptions& options, TextOut out,
                                   TranscodeReport& report, const Session& session);
std::unique_ptr<Sink> csv_printer(const PrintOptions& options, TextOut out, TranscodeReport& report,
                                  const Session& session);

}  // namespace kitbag
