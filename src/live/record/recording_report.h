#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "kitbag/live.h"
#include "kitbag/record.h"
#include "live/record/stray_encodings.h"

// What is missing from a recording, by topic; topics without missing messages are left out.

namespace kitbag {

/// Messages that were dropped for lack of room, or because a bag cannot hold them with others.
std::map<std::string, std::uint64_t> count_dropped(const LiveSource& source,
                                                   const StrayEncodings& strays);
/// Messages that were sent and never reached kitbag.
std::map<std::string, std::uint64_t> count_lost(const LiveSource& source);

/// The metadata record that describes a recording: its messages, and what is missing, as in
/// `status`, without what an earlier recording of the same run has counted.
Metadata recording_report(const std::vector<std::string>& from, const RecordStatus& status,
                          const RecordStatus& earlier);

}  // namespace kitbag
