#include "cli/terminal/printed.h"

#include <utility>

#include "cli/terminal/output.h"
#include "cli/terminal/print.h"

// What depends on whether a person is looking is decided here: colors, long lists that are cut,
// control characters that are escaped. The printers of the library get it as options and ask no
// terminal, so what goes to a file or a client never depends on a terminal.

namespace kitbag::cli {
namespace {

/// Passes on what was printed after each batch.
class Prompt final : public Sink {
 public:
  explicit Prompt(std::unique_ptr<Sink> printer) : printer_(std::move(printer)) {}

  void write(Batch&& batch) override {
    printer_->write(std::move(batch));
    printer_->flush();
  }
  void flush() override { printer_->flush(); }
  void close() override { printer_->close(); }

 private:
  std::unique_ptr<Sink> printer_;
};

}  // namespace

void require_fields_fit(const PrintOptions& options, bool as_digest) {
  bool is_csv = options.format == PrintFormat::csv && !as_digest;
  if (options.time_format != TimeFormat::ns && !is_csv) {
    throw Error(ErrorCode::invalid, "--time-format requires --format csv");
  }
  if (options.escapes_formulas && !is_csv) {
    throw Error(ErrorCode::invalid, "--escape-formulas requires --format csv");
  }
  if (options.fields.empty() || (options.format != PrintFormat::raw && !as_digest)) return;
  throw Error(ErrorCode::invalid, "--fields requires --format json, yaml or csv");
}

std::unique_ptr<Sink> printer_to(const Context& context, PrintingOptions options,
                                 TranscodeReport& report) {
  require_fields_fit(options);
  Output& out = context.out;
  options.is_for_terminal = out.is_terminal();
  bool is_automatic = options.coloring == Coloring::automatic;
  options.has_colors =
      is_automatic ? has_colors(out.is_terminal()) : options.coloring == Coloring::always;
  // A scan or picture as JSON is thousands of lines of a terminal. Programs get lists whole.
  constexpr std::size_t kElementsOnTerminal = 16;
  options.most_elements =
      options.elided_behind.value_or(out.is_terminal() ? kElementsOnTerminal : 0);
  TextOut to{[&out](std::string_view text) { out.write(text); }, [&out] { out.flush(); }};
  return printer(options, std::move(to), report, context.session);
}

std::unique_ptr<Sink> prompt_to(const Context& context, PrintingOptions options,
                                TranscodeReport& report) {
  return std::make_unique<Prompt>(printer_to(context, std::move(options), report));
}

}  // namespace kitbag::cli
