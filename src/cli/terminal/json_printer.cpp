#include "cli/terminal/decoding_printer.h"
#include "cli/terminal/json.h"

namespace kitbag::cli {
namespace {

class JsonPrinter final : public DecodingPrinter {
 public:
  JsonPrinter(PrintOptions options, const Context& context, TranscodeReport& report)
      : DecodingPrinter(std::move(options), context, report),
        encoder_(find_codec(context.session.registry(), "json")
                     ->encoder(nullptr, this->options().codec)) {}

 protected:
  void print(const Message& message, Decoder& decoder, const TypePtr&) override {
    std::uint64_t replaced = encoder_->replaced_bytes();
    arena_.limit_for(message.data.size());
    encoder_->begin(arena_);
    decode(message, decoder, *encoder_);
    replaced_bytes() += encoder_->replaced_bytes() - replaced;
    ByteView data = encoder_->end();
    out().write(message_json_head(message));
    out().write(",\"data\":");
    out().write(as_text(data));
    out().write("}\n");
    arena_.drop();
  }

  void print_raw(const Message& message) override {
    out().write(message_json_head(message));
    out().write(",\"data_base64\":\"");
    out().write(base64(message.data));
    out().write("\"}\n");
  }

 private:
  std::unique_ptr<Encoder> encoder_;
  Arena arena_;
};

}  // namespace

std::unique_ptr<Sink> json_printer(PrintOptions options, const Context& context,
                                   TranscodeReport& report) {
  return std::make_unique<JsonPrinter>(std::move(options), context, report);
}

}  // namespace kitbag::cli
