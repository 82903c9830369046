#include <fmt/format.h>

#include "cli/options/inputs.h"
#include "cli/terminal/json.h"
#include "cli/terminal/output.h"
#include "cli/terminal/print.h"
#include "cli/terminal/progress.h"
#include "cli/verbs.h"
#include "kitbag/export_messages.h"
#include "kitbag/text.h"

namespace kitbag::cli {
namespace {

std::vector<Exported> export_to(std::unique_ptr<Source> source, const std::string& folder,
                                const ExportRequest& request, const Context& context) {
  try {
    return export_messages(std::move(source), folder, request, context.session,
                           {.stop = context.stop, .until = kNever});
  } catch (const Error&) {
    if (!context.stop.stop_requested()) throw;
    throw Error(ErrorCode::cancelled, "interrupted; no file was written", folder);
  }
}

void print_exported(const std::vector<Exported>& written, Output& out) {
  Exported all;
  all.files = 0;
  for (const Exported& each : written) {
    std::string of = each.topic.empty() ? "" : " of " + each.topic;
    std::string in = each.files == 1 ? "" : " in " + counted(each.files, "file");
    out.line("{}: {}{}{}, {}", each.path, counted(each.messages, "message"), of, in,
             format_size(each.size_bytes));
    all.messages += each.messages;
    all.files += each.files;
    all.size_bytes += each.size_bytes;
  }
  out.line("{}: {}, {}", counted(all.files, "file"), counted(all.messages, "message"),
           format_size(all.size_bytes));
}

}  // namespace

int export_bags(const ExportArguments& arguments, const Context& context) {
  ExportRequest request = arguments.request;
  PayloadOptions payload = arguments.payload;
  payload.on_error = request.columns.on_error;
  PayloadStages stages(payload, context);
  request.columns.report = &stages.report();
  request.columns.on_warning = [](const Error& error) { print_warning(error.what()); };
  Inputs inputs(arguments.bags.paths(context), arguments.reading, context);
  Query query = make_query(arguments.select, inputs.bags());
  std::uint64_t count = query.count;
  if (!payload.where.empty()) query.count = UINT64_MAX;
  auto source = inputs.read(query);
  source = watched(std::move(source), expected_messages(query, inputs.bags()), context);
  source = stages.add_to(std::move(source), count);
  auto files = export_to(std::move(source), arguments.folder, request, context);
  if (arguments.as_json) {
    for (const Exported& each : files) context.out.write(exported_json(each) + "\n");
  } else {
    context.out.make_status();
    print_exported(files, context.out);
  }
  int code = inputs.warn();
  stages.warn();
  return code;
}

}  // namespace kitbag::cli
