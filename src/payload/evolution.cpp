#include "payload/evolution.h"

#include <string>

#include "kitbag/error.h"
#include "language/ros/names.h"
#include "payload/mapping.h"

namespace kitbag {

Evolved Evolver::evolve(const Channel& channel, const TypePtr& source) {
  if (!is_needed() || !source || !channel.schema) return {};
  const auto& [renamed, fields, fills] = options_.migration;
  const std::string& old_name = channel.schema->name;
  auto found = renamed.find(old_name);
  if (found == renamed.end()) found = renamed.find(ros::short_name(old_name));
  if (found != renamed.end() && options_.report) options_.report->rules[found->first] = true;
  Evolved evolved;
  evolved.schema =
      library_.find(found == renamed.end() ? old_name : found->second, channel.schema->language);
  if (!evolved.schema && found != renamed.end()) {
    throw Error(ErrorCode::not_found, "the rules rename " + old_name + " to " + found->second +
                                          ", whose definition was not found");
  }
  if (!evolved.schema) return {};
  const Language& language = *find_language(session_.registry(), channel.schema->language);
  evolved.type = language.parse(*evolved.schema);
  // Rules may fill fields, so equal shapes do not mean that there is nothing to do.
  bool has_rules = found != renamed.end() || !fields.empty() || !fills.empty();
  if (!has_rules && same_shape(*source, *evolved.type)) return {};
  // Made for its errors alone: what does not fit is refused before the first message. The lane has
  // a mapping of its own, by the milder rules of Fit::same (lane.cpp).
  Mappings(Fit::evolution, options_.migration, language, options_.report)
      .compile(*source, *evolved.type);
  return evolved;
}

bool Evolver::knows(const Channel& channel) {
  return channel.schema &&
         library_.find(channel.schema->name, channel.schema->language).has_value();
}

}  // namespace kitbag
