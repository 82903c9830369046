#include <fmt/format.h>

#include <string_view>

#include "kitbag/escape.h"
#include "present/base64.h"
#include "present/decoding_printer.h"

// The form of messages in the Bag Player API: the fields of a message and what is known of it side
// by side in one object. A field that is called like one of the additional keys gets "_" behind its
// name, so that no object has a key twice. The objects are the elements of a list, or a line each.

namespace kitbag {
namespace {

bool is_taken(std::string_view name) {
  return name == "topic" || name == "__stamp" || name == "__latched";
}

bool has_taken_name(const Type& type) {
  for (const Field& field : type.fields) {
    if (is_taken(field.name)) return true;
  }
  return false;
}

/// Passes everything on, and renames the fields of the message whose names are taken.
class Renamer final : public LeafVisitor<Renamer> {
 public:
  explicit Renamer(Visitor& target) : target_(target) {}

  void begin_struct(const Type& type) override {
    ++depth_;
    target_.begin_struct(type);
  }
  void field(const Field& field) override {
    if (depth_ > 1 || !is_taken(field.name)) return target_.field(field);
    renamed_ = field;
    renamed_.name += '_';
    target_.field(renamed_);
  }
  void end_struct() override {
    --depth_;
    target_.end_struct();
  }
  void begin_array(const Type& type, std::size_t count) override {
    ++depth_;
    target_.begin_array(type, count);
  }
  void end_array() override {
    --depth_;
    target_.end_array();
  }
  void packed(const Type& type, ByteView bytes) override { target_.packed(type, bytes); }
  template <class Value>
  void leaf(const Type& type, Value value) {
    visit_leaf(type, value, target_);
  }

 private:
  Visitor& target_;
  std::size_t depth_ = 0;
  Field renamed_;
};

class FlatPrinter final : public DecodingPrinter {
 public:
  FlatPrinter(const PrintOptions& options, TextOut out, TranscodeReport& report,
              const Session& session)
      : DecodingPrinter(options, std::move(out), report, session),
        json_(std::make_unique<JsonMaker>(options.codec, session)) {}

 protected:
  void print(const Message& message, Decoder& decoder, const TypePtr& type) override {
    auto& [encoder, arena] = *json_;
    std::uint64_t replaced = encoder->replaced_bytes();
    arena.limit_for(message.data.size());
    encoder->begin(arena);
    // Mostly nothing is to be renamed, and the decoder may call the encoder itself.
    if (type && !has_taken_name(*type)) {
      decode(message, decoder, *encoder);
    } else {
      Renamer renamer(*encoder);
      decode(message, decoder, renamer);
    }
    replaced_bytes() += encoder->replaced_bytes() - replaced;
    std::string_view data = as_text(encoder->end());
    if (!data.starts_with('{')) {  // a list or a number, which has no place among keys
      arena.drop();
      return print_raw(message);
    }
    begin(message);
    if (data != "{}") {
      text() += ',';
      text() += data.substr(1, data.size() - 2);
    }
    end(message);
    arena.drop();
  }

  void print_raw(const Message& message) override {
    begin(message);
    text() += ",\"__encoding\":";
    text() += json_quoted(message.channel->encoding);
    text() += ",\"__data_base64\":\"";
    text() += base64(message.data);
    text() += '"';
    end(message);
  }

  void release() override { json_ = std::make_unique<JsonMaker>(options().codec, session()); }

 private:
  void begin(const Message& message) {
    if (has_printed_ && !has_lines()) text() += ",\n";
    text() += "{\"topic\":";
    text() += json_quoted(message.channel->topic);
  }
  void end(const Message& message) {
    std::int64_t ns = to_ns(message.log_time);
    std::int64_t seconds = ns / 1'000'000'000;
    std::int64_t rest = ns % 1'000'000'000;
    // Division goes towards zero, so the whole seconds lose their sign where they are 0.
    if (rest < 0) {  // before 1970
      bool is_whole = seconds == 0;
      text() += fmt::format(",\"__stamp\":{}{}.{:09}", is_whole ? "-" : "", seconds, -rest);
    } else {
      text() += fmt::format(",\"__stamp\":{}.{:09}", seconds, rest);
    }
    text() += is_latched_of(message) ? ",\"__latched\":true}" : ",\"__latched\":false}";
    if (has_lines()) text() += '\n';
    has_printed_ = true;
  }
  bool has_lines() const { return options().format == PrintFormat::flat_json_lines; }
  bool is_latched_of(const Message& message) const {
    const auto& rule = options().is_latched;
    return rule ? rule(*message.channel) : is_latched(*message.channel);
  }

  std::unique_ptr<JsonMaker> json_;
  bool has_printed_ = false;
};

}  // namespace

std::unique_ptr<Sink> flat_printer(const PrintOptions& options, TextOut out,
                                   TranscodeReport& report, const Session& session) {
  return std::make_unique<FlatPrinter>(options, std::move(out), report, session);
}

}  // namespace kitbag
