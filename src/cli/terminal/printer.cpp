#include "cli/terminal/printer.h"

#include <fmt/format.h>

#include "cli/terminal/decoding_printer.h"
#include "cli/terminal/print.h"

namespace kitbag::cli {
namespace {

class RawPrinter final : public Sink {
 public:
  explicit RawPrinter(Output& out) : out_(out) {}

  void write(Batch&& batch) override {
    for (const Message& message : batch.messages()) out_.write_content(as_text(message.data));
  }
  void flush() override { out_.flush(); }
  void close() override { out_.flush(); }

 private:
  Output& out_;
};

}  // namespace

std::unique_ptr<Sink> printer(const PrintOptions& options, const Context& context,
                              TranscodeReport& report) {
  bool is_text = options.format == MessageFormat::json || options.format == MessageFormat::yaml ||
                 options.format == MessageFormat::csv;
  if (!options.fields.empty() && !is_text) {
    throw Error(ErrorCode::invalid, "--fields is for the formats json, yaml and csv");
  }
  switch (options.format) {
    case MessageFormat::raw:
      return std::make_unique<RawPrinter>(context.out);
    case MessageFormat::yaml:
      return yaml_printer(options, context, report);
    case MessageFormat::csv:
      return csv_printer(options, context, report);
    default:
      return json_printer(options, context, report);
  }
}

void warn_of(const TranscodeReport& report) {
  for (const auto& [topic, lost] : report.topics) {
    if (lost.skipped > 0) {
      print_warning(fmt::format("{}: {} left out; {}", topic, counted(lost.skipped, "message"),
                                lost.first_error));
    } else if (lost.raw > 0) {
      print_warning(fmt::format("{}: {} not decoded; {}", topic, counted(lost.raw, "message"),
                                lost.first_error));
    } else if (!lost.first_error.empty()) {
      print_warning(lost.first_error);
    }
    if (lost.replaced_texts > 0) {
      print_warning(
          fmt::format("{}: {} with strings that are not UTF-8; U+FFFD stands for each "
                      "byte that is not",
                      topic, counted(lost.replaced_texts, "message")));
    }
    if (!lost.left_out.empty()) {
      print_warning(fmt::format("{}: the new type has no place for {}", topic, lost.left_out));
    }
    if (lost.lost_counters > 0) {
      print_warning(fmt::format("{}: in {} the counter (seq) of a header inside has no place",
                                topic, counted(lost.lost_counters, "message")));
    }
  }
}

}  // namespace kitbag::cli
