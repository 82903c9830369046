#include "definitions/named_channel.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>
#include <vector>

#include "definitions/definition_library.h"
#include "kitbag/error.h"
#include "kitbag/escape.h"
#include "kitbag/registry.h"
#include "language/ros/names.h"

namespace kitbag {

std::shared_ptr<Channel> named_channel(const std::string& type, const std::string& encoding,
                                       const DefinitionPaths& paths, const Session& session) {
  std::vector<const char*> languages = {"ros2msg", "ros2idl", "ros1msg"};
  if (encoding == "ros1") std::swap(languages.front(), languages.back());
  DefinitionLibrary library(paths, session);
  for (const char* name : languages) {
    const Language* language = find_language(session.registry(), name);
    if (!language) continue;
    bool is_ros1 = std::string_view(name) == "ros1msg";
    auto schema = library.find(is_ros1 ? ros::short_name(type) : ros::full_name(type), name);
    if (!schema) continue;
    auto channel = std::make_shared<Channel>();
    channel->encoding = is_ros1 ? "ros1" : "cdr";
    TypePtr parsed = language->parse(*schema);
    if (language->metadata) channel->metadata = language->metadata(*schema, *parsed);
    channel->schema = std::make_shared<const Schema>(std::move(*schema));
    return channel;
  }
  throw Error(
      ErrorCode::not_found,
      fmt::format("there is no definition of the type {}; is it \"package/Type\"?", escaped(type)));
}

}  // namespace kitbag
