#include "kitbag/export_messages.h"

#include <fmt/format.h>

#include <algorithm>

#include "export/formats.h"
#include "export/lerobot/config.h"
#include "kitbag/error.h"
#include "kitbag/escape.h"
#include "kitbag/exporter.h"
#include "kitbag/system_error.h"
#include "kitbag/text.h"
#include "open/own_exports.h"

// A format is built in, or of a plugin. Plugins that are not installed are named in the error, too,
// with their package: whoever asks for such a format learns how to get it.
//
// Files get their names together, by publish(). Until then an error is about a hidden name, which
// with_final_name() replaces by the one that the file would have got.

namespace kitbag {
namespace {

bool is_installed(const OwnExport& own, const Session& session) {
  try {
    return session.find_export_format(own.format) != nullptr;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::not_found) throw;
    return false;
  }
}

ExportFormat find_format(const std::string& name, const Session& session) {
  std::vector<std::string> names;
  for (ExportFormat& each : export_formats(session)) {
    if (each.name == name) return std::move(each);
    names.emplace_back(each.name);
  }
  if (const ExportFormat* plugged_in = session.find_export_format(name)) return *plugged_in;
  for (const OwnExport& own : kOwnExports) {
    names.push_back(is_installed(own, session)
                        ? std::string(own.format)
                        : fmt::format("{} (of the package kitbag-{}, which is not installed)",
                                      own.format, own.package));
  }
  throw Error(ErrorCode::invalid, fmt::format("unknown export format \"{}\"; supported: {}",
                                              escaped(name), fmt::join(names, ", ")));
}

}  // namespace

bool reads_in_turn(const ExportRequest& request) {
  if (request.format == "lerobot" && !request.dataset.empty()) {
    return lerobot::parse_config(request.dataset).is_by_bag();
  }
  return request.partition == Partition::by_bag;
}

std::vector<ExportFormat> export_formats(const Session& session) {
  std::vector<ExportFormat> formats = standard_export_formats();
  const std::vector<ExportFormat>& added = session.registry().export_formats;
  formats.insert(formats.end(), added.begin(), added.end());
  return formats;
}

std::vector<std::string> export_format_names(const Session& session) {
  std::vector<std::string> names;
  for (const ExportFormat& each : export_formats(session)) names.emplace_back(each.name);
  for (const OwnExport& own : kOwnExports) {
    if (is_installed(own, session)) names.emplace_back(own.format);
  }
  return names;
}

std::vector<Exported> export_messages(std::unique_ptr<Source> source, const std::string& folder,
                                      const ExportRequest& request, const Session& session,
                                      const Wait& wait) {
  ExportFormat format = find_format(request.format, session);
  if (request.partition != Partition::none && !format.has_parts) {
    throw Error(ErrorCode::invalid,
                fmt::format("{} has no files by day or bag; these are for tables", format.name));
  }
  if (!request.frame.child.empty() && format.name != "tum" && format.name != "kitti") {
    throw Error(ErrorCode::invalid,
                fmt::format("{} has no path of a frame; tum and kitti have", format.name));
  }
  ExportFolder target(folder, request, session);
  ExportJob job{*source, target, request, session, wait};
  try {
    std::vector<Exported> written = format.write(job);
    target.publish();
    return written;
  } catch (const Error& error) {
    throw_as(target.with_final_name(error), error);
  }
}

}  // namespace kitbag
