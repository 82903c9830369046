#include "live/record/recording_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "kitbag/open.h"

// A source counts what it drops and loses from its beginning, and may outlive several recordings.
// So a report subtracts what had been counted when its recording began. URIs are stored without
// their parameters, which may be secret.

namespace kitbag {

namespace {

using TopicCounts = std::map<std::string, std::uint64_t>;

/// `counts` are by slot.
TopicCounts by_topic(const std::vector<std::uint64_t>& counts, const LiveSource& source) {
  TopicCounts topics;
  ChannelsPtr channels = source.channels();
  for (std::size_t slot = 0; slot < counts.size() && slot < channels->size(); ++slot) {
    if (counts[slot] > 0) topics[(*channels)[slot]->topic] += counts[slot];
  }
  return topics;
}

TopicCounts since(const TopicCounts& earlier, const TopicCounts& now) {
  TopicCounts counts;
  for (const auto& [topic, count] : now) {
    auto before = earlier.find(topic);
    std::uint64_t added = count - (before == earlier.end() ? 0 : before->second);
    if (added > 0) counts[topic] = added;
  }
  return counts;
}

void put_counts(Metadata& report, const std::string& what, const TopicCounts& counts) {
  std::uint64_t all = 0;
  for (const auto& [topic, count] : counts) {
    report.values[what + " " + topic] = std::to_string(count);
    all += count;
  }
  report.values[what] = std::to_string(all);
}

}  // namespace

TopicCounts count_dropped(const LiveSource& source, const StrayEncodings& strays) {
  TopicCounts topics = by_topic(source.dropped(), source);
  for (const auto& [topic, count] : strays.dropped()) {
    if (count > 0) topics[topic] += count;
  }
  return topics;
}

TopicCounts count_lost(const LiveSource& source) {
  return by_topic(source.lost(), source);
}

Metadata recording_report(const std::vector<std::string>& from, const RecordStatus& status,
                          const RecordStatus& earlier) {
  Metadata report{"kitbag_recording", {}};
  std::vector<std::string> shown;
  shown.reserve(from.size());
  for (const std::string& uri : from) shown.push_back(without_parameters(uri));
  report.values["from"] = fmt::format("{}", fmt::join(shown, " "));
  report.values["messages"] = std::to_string(status.messages - earlier.messages);
  put_counts(report, "dropped", since(earlier.dropped, status.dropped));
  put_counts(report, "lost", since(earlier.lost, status.lost));
  return report;
}

}  // namespace kitbag
