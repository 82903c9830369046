#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "kitbag/live.h"
#include "kitbag/record.h"
#include "live/record/stray_encodings.h"

// What a recording lacks, by topic; topics that lack nothing are left out.

namespace kitbag {

/// Messages for which there was no room, and those that a bag cannot hold beside others.
std::map<std::string, std::uint64_t> count_dropped(const LiveSource& source,
                                                   const StrayEncodings& strays);
/// Messages that were sent and never reached kitbag.
std::map<std::string, std::uint64_t> count_lost(const LiveSource& source);

/// The record by which a bag tells how it was recorded: messages, and what it lacks as in `status`.
Metadata recording_report(const std::string& from, const RecordStatus& status);

}  // namespace kitbag
