#include <fmt/format.h>

#include <optional>

#include "kitbag/escape.h"
#include "present/base64.h"
#include "present/decoding_printer.h"

// An object a line. `data` comes last, as find.cpp relies on it: what follows that key to the end
// of the object is the value of a moment.
//
// The payload is encoded before anything is added to the text, because that is what may fail.

namespace kitbag {
namespace {

/// All but the payload: the beginning of an object.
void add_head(const Message& message, const std::optional<std::string>& file,
              const std::string& topic, std::string& text) {
  text += '{';
  if (file) text += "\"file\":" + json_quoted(*file) + ',';
  text += "\"topic\":";
  text += topic;
  text += ",\"type\":";
  text += json_quoted(message.channel->type());
  text += fmt::format(",\"log_time_ns\":{},\"publish_time_ns\":{},\"sequence\":{},\"size\":{}",
                      to_ns(message.log_time), to_ns(message.publish_time), message.sequence,
                      message.data.size());
}

class JsonPrinter final : public DecodingPrinter {
 public:
  JsonPrinter(const PrintOptions& options, TextOut out, TranscodeReport& report,
              const Session& session)
      : DecodingPrinter(options, std::move(out), report, session),
        json_(std::make_unique<JsonMaker>(options.codec, session)) {}

 protected:
  void print(const Message& message, Decoder& decoder, const TypePtr&) override {
    auto& [encoder, arena] = *json_;
    std::uint64_t replaced = encoder->replaced_bytes();
    arena.limit_for(message.data.size());
    encoder->begin(arena);
    decode(message, decoder, *encoder);
    replaced_bytes() += encoder->replaced_bytes() - replaced;
    ByteView data = encoder->end();
    add_head(message, file_of(message), topic_of(message), text());
    text() += ",\"data\":";
    text() += as_text(data);
    text() += "}\n";
    arena.drop();
  }

  void print_raw(const Message& message) override {
    add_head(message, file_of(message), topic_of(message), text());
    text() += ",\"data_base64\":\"";
    text() += base64(message.data);
    text() += "\"}\n";
  }

  void release() override { json_ = std::make_unique<JsonMaker>(options().codec, session()); }

 private:
  std::string topic_of(const Message& message) const {
    return in_color(json_quoted(message.channel->topic), message.channel->topic);
  }

  std::unique_ptr<JsonMaker> json_;
};

}  // namespace

std::unique_ptr<Sink> json_printer(const PrintOptions& options, TextOut out,
                                   TranscodeReport& report, const Session& session) {
  return std::make_unique<JsonPrinter>(options, std::move(out), report, session);
}

}  // namespace kitbag
