#include "export/topic_fields.h"

#include <fmt/format.h>

#include <algorithm>

#include "columns/plan.h"
#include "kitbag/error.h"

namespace kitbag {
namespace {

/// Whether a channel of `channels` has the field.
bool has_field(const std::string& field, const Channels& channels, ColumnsRequest request,
               const Session& session) {
  request.fields = {field};
  request.on_warning = {};
  try {
    plan_columns(channels, request, session);
    return true;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::not_found) throw;
    return false;
  }
}

}  // namespace

void warn(const ColumnsRequest& request, const std::string& sentence) {
  if (request.on_warning) request.on_warning(Error(ErrorCode::remark, sentence));
}

bool keep_fields(const std::string& topic, const Channels& channels, ColumnsRequest& request,
                 const Session& session) {
  if (request.fields.empty()) return true;
  std::size_t asked = request.fields.size();
  std::erase_if(request.fields, [&](const std::string& field) {
    return !has_field(field, channels, request, session);
  });
  if (request.fields.empty()) {
    warn(request, fmt::format("{} has none of the fields; the topic is left out", topic));
    return false;
  }
  if (std::size_t missing = asked - request.fields.size(); missing > 0) {
    warn(request, fmt::format("{} has only {} of the {} fields: {}", topic, asked - missing, asked,
                              fmt::join(request.fields, ", ")));
  }
  return true;
}

bool require_fields(const ExportJob& job) {
  ChannelsPtr channels = job.source.channels();
  bool is_known = std::any_of(channels->begin(), channels->end(),
                              [](const ChannelPtr& channel) { return channel != nullptr; });
  if (!is_known) return false;
  ColumnsRequest one = job.request.columns;
  one.on_warning = {};
  for (const std::string& field : job.request.columns.fields) {
    one.fields = {field};
    try {
      plan_columns(*channels, one, job.session);
    } catch (const Error& error) {
      // Other errors are told when the topic is begun.
      if (error.code() == ErrorCode::not_found) throw;
    }
  }
  return true;
}

}  // namespace kitbag
