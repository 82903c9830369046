#pragma once

#include <set>
#include <span>
#include <string>
#include <vector>

#include "cli/options/select.h"
#include "kitbag/bag.h"
#include "kitbag/message.h"

// Options that are right for another bag, or hold a typing mistake: nothing comes of them. Where
// they would select, that is an error; here it is a warning, which begins with `about`.

namespace kitbag::cli {

/// Warns of what excludes no topic of bags that have topics.
void warn_of_idle_excludes(const Selection& selection, const Tables& tables,
                           const std::string& about);

/// Warns of sizes of chunks for topics that `channels` does not have.
void warn_of_idle_chunk_sizes(const std::vector<TopicChunks>& chunks, const Channels& channels,
                              const std::string& about);

/// Warns of names to which `names` gives the messages of several types that `selection` leaves.
void warn_of_mixed_types(const std::map<std::string, std::string>& names,
                         const Selection& selection, const Tables& tables,
                         const std::string& about);

}  // namespace kitbag::cli
