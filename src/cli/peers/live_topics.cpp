#include "cli/peers/live_topics.h"

#include <algorithm>

namespace kitbag::cli::of_live_topics {

void put_system(PeerCommand& command, const std::string& system) {
  command.arguments.insert(command.arguments.begin(), command.value("--from", system));
}

void put_topics(PeerCommand& command, const std::string& system) {
  for (std::string& topic : command.arguments) topic = absolute_topic(topic);
  put_system(command, system);
}

void put_type(PeerCommand& command, const std::string& system) {
  if (command.arguments.size() != 1) command.refuse("name one type");
  command.words.push_back("--types=" + command.arguments.front());
  command.arguments.clear();
  put_system(command, system);
}

void put_values(PeerCommand& command, const std::string& system) {
  auto begins_with_dash = [](const std::string& word) { return word.starts_with('-'); };
  // Not always, since the line that --print shows is read by people.
  bool needs_mark = std::ranges::any_of(command.arguments, begins_with_dash);
  command.arguments.insert(command.arguments.begin(), command.value("--to", system));
  if (!needs_mark) return;
  command.words.emplace_back("--");
  command.words.insert(command.words.end(), command.arguments.begin(), command.arguments.end());
  command.arguments.clear();
}

void complete_delay(PeerCommand& command) {
  command.refuse("record the topic, and kitbag stats BAG prints its latency");
}

}  // namespace kitbag::cli::of_live_topics
