#include "kitbag/export_tables.h"

#include <fmt/format.h>

#include "cli/options/inputs.h"
#include "cli/terminal/json.h"
#include "cli/terminal/output.h"
#include "cli/terminal/print.h"
#include "cli/terminal/progress.h"
#include "cli/verbs.h"
#include "kitbag/text.h"

namespace kitbag::cli {
namespace {

std::vector<ExportedTable> written(std::unique_ptr<Source> source, const std::string& folder,
                                   const ExportRequest& request, const Context& context) {
  try {
    return export_tables(std::move(source), folder, request, context.session,
                         {.stop = context.stop, .until = kNever});
  } catch (const Error&) {
    if (!context.stop.stop_requested()) throw;
    throw Error(ErrorCode::cancelled, "interrupted; no file was written", folder);
  }
}

void print_tables(const std::vector<ExportedTable>& tables, Output& out) {
  std::uint64_t rows = 0;
  std::uint64_t size_bytes = 0;
  for (const ExportedTable& each : tables) {
    out.line("{}: {} of {}, {}", each.path, counted(each.rows, "message"), each.topic,
             format_size(each.size_bytes));
    rows += each.rows;
    size_bytes += each.size_bytes;
  }
  out.line("{}: {}, {}", counted(tables.size(), "table"), counted(rows, "message"),
           format_size(size_bytes));
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
  auto tables = written(std::move(source), arguments.folder, request, context);
  if (arguments.as_json) {
    for (const ExportedTable& each : tables) context.out.write(exported_json(each) + "\n");
  } else {
    context.out.make_status();
    print_tables(tables, context.out);
  }
  int code = inputs.warn();
  stages.warn();
  return code;
}

}  // namespace kitbag::cli
