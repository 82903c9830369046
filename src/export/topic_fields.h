#pragma once

#include <string>

#include "kitbag/exporter.h"

namespace kitbag {

/// Passes a remark to the caller of the export.
void warn(const ColumnsRequest& request, const std::string& sentence);

/// Leaves in `request` the fields that the channels of `topic` have. Returns false if there are
/// none, which is reported: the topic is to be left out.
bool keep_fields(const std::string& topic, const Channels& channels, ColumnsRequest& request,
                 const Session& session);

/// Throws Error (not_found) for a field of the request that no channel of the source has, with
/// those that are similar. Returns false if no channel is known yet, as of a stream.
bool require_fields(const ExportJob& job);

}  // namespace kitbag
