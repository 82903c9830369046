#pragma once

#include <string>
#include <vector>

#include "kitbag/live_topics.h"

namespace kitbag::cli {

using WatchedTopics = std::vector<WatchedTopic>;

/// Topics with their types, and how many send and receive them; "" if there are none. All texts
/// here are escaped.
std::string topics_table(const WatchedTopics& topics, bool is_terminal);
/// What comes on each of them; "" if there are none.
std::string rates_table(const WatchedTopics& topics, bool is_terminal);
/// Who sends and receives each of them, and with what quality of service.
std::string endpoints_text(const WatchedTopics& topics, bool is_terminal);
/// A sentence for each subscriber that gets nothing from a publisher, and for messages that were
/// not counted.
std::vector<std::string> topic_warnings(const WatchedTopics& topics);

/// A topic of the system at `uri`, as one JSON object on one line.
std::string topic_json(const std::string& uri, const WatchedTopic& topic);

}  // namespace kitbag::cli
