#include "cli/terminal/printed.h"

#include "cli/terminal/output.h"

namespace kitbag::cli {

void require_fields_fit(const PrintOptions& options, bool as_digest) {
  if (options.fields.empty() || (options.format != PrintFormat::raw && !as_digest)) return;
  throw Error(ErrorCode::invalid, "--fields requires --format json, yaml or csv");
}

std::unique_ptr<Sink> printer_to(const Context& context, PrintOptions options,
                                 TranscodeReport& report) {
  require_fields_fit(options);
  Output& out = context.out;
  options.is_for_terminal = out.is_terminal();
  TextOut to{[&out](std::string_view text) { out.write(text); }, [&out] { out.flush(); }};
  return printer(options, std::move(to), report, context.session);
}

}  // namespace kitbag::cli
