#include "kitbag/error.h"
#include "kitbag/escape.h"
#include "present/decoding_printer.h"

namespace kitbag {
namespace {

class RawPrinter final : public Sink {
 public:
  RawPrinter(TextOut out, bool is_for_terminal)
      : out_(std::move(out)), is_for_terminal_(is_for_terminal) {}

  void write(Batch&& batch) override {
    for (const Message& message : batch.messages()) {
      std::string_view content = as_text(message.data);
      is_for_terminal_ ? out_.write(escaped_lines(content)) : out_.write(content);
    }
  }
  void flush() override {
    if (out_.flush) out_.flush();
  }
  void close() override { flush(); }

 private:
  TextOut out_;
  bool is_for_terminal_;
};

}  // namespace

std::unique_ptr<Sink> printer(const PrintOptions& options, TextOut out, TranscodeReport& report,
                              const Session& session) {
  switch (options.format) {
    case PrintFormat::raw:
      if (!options.fields.empty()) {
        throw Error(ErrorCode::invalid,
                    "fields can be selected for JSON, YAML and CSV, but not for raw payloads");
      }
      return std::make_unique<RawPrinter>(std::move(out), options.is_for_terminal);
    case PrintFormat::yaml:
      return yaml_printer(options, std::move(out), report, session);
    case PrintFormat::csv:
      return csv_printer(options, std::move(out), report, session);
    case PrintFormat::flat_json:
    case PrintFormat::flat_json_lines:
      return flat_printer(options, std::move(out), report, session);
    case PrintFormat::json:
      break;
  }
  return json_printer(options, std::move(out), report, session);
}

std::string to_json(const Message& message, const Session& session, const PrintOptions& options) {
  std::string text;
  TranscodeReport ignored;
  PrintOptions json = options;
  json.format = PrintFormat::json;
  // One message was asked for, so there is something to return: its bytes, if it cannot be decoded.
  if (json.on_error == OnError::skip) json.on_error = OnError::raw;
  auto sink = printer(json, {[&](std::string_view more) { text += more; }}, ignored, session);
  Batch batch;
  batch.add(message);
  sink->write(std::move(batch));
  text.pop_back();  // the newline
  return text;
}

}  // namespace kitbag
