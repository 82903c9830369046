#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "kitbag/definitions.h"
#include "kitbag/error.h"
#include "language/ros1msg/full_text.h"
#include "language/ros1msg/md5.h"
#include "language/ros1msg/parser.h"
#include "pipeline/definition_finder.h"
#include "pipeline/definition_library.h"
#include "pipeline/ros1_definition.h"

// A folder may hold another version of a message than the one that was recorded, and a payload
// does not tell. So a definition is taken for its MD5 sum, never for its name alone, and where a
// bag says "*" somebody is told. All folders are tried: a workspace may hold today's version and a
// folder behind it the one of the day of the recording.

namespace kitbag {
namespace {

using Outcome = DefinitionNews::Outcome;

/// What a channel gets instead of what it has.
struct Supplement {
  SchemaPtr schema;  ///< null: nothing
  std::string md5sum;
  std::string original_md5sum;  ///< empty: it was today's already
};

class Define final : public Stage {
 public:
  Define(DefinitionPaths paths, OnDefinition on_definition)
      : finder_(std::move(paths)), on_definition_(std::move(on_definition)) {}

  ChannelPtr map(const ChannelPtr& channel) override {
    if (!lacks_definition(*channel) || !has_known_type(*channel)) return channel;
    const Supplement& found = supplement(channel->type(), md5sum_of(*channel));
    if (!found.schema) return channel;
    auto defined = std::make_shared<Channel>(*channel);
    defined->schema = found.schema;
    defined->metadata["md5sum"] = found.md5sum;
    if (!found.original_md5sum.empty()) {
      defined->metadata["original_md5sum"] = found.original_md5sum;
    }
    return defined;
  }

 private:
  const Supplement& supplement(const std::string& type, const std::string& md5sum) {
    auto [place, is_new] = known_.try_emplace({type, md5sum});
    if (!is_new) return place->second;
    DefinitionNews news{Outcome::missing, type, md5sum, {}, {}};
    news.text = fmt::format("no definition of {} was found", type);
    place->second = search(news);
    if (on_definition_) on_definition_(news);
    return place->second;
  }

  /// Tries every file of that name; `news` keeps the first that was refused, or the one taken.
  Supplement search(DefinitionNews& news) {
    for (const std::string& name : names_of_history(news.type)) {
      for (const DefinitionFinder::File& file : finder_.files(name)) {
        DefinitionNews told = news;
        told.path = file.path;
        Supplement found = take(file, told);
        if (found.schema || news.outcome == Outcome::missing) news = told;
        if (found.schema) return found;
      }
    }
    return {};
  }

  Supplement take(const DefinitionFinder::File& file, DefinitionNews& news) {
    news.outcome = Outcome::refused;
    std::string text;
    ros1msg::Definitions definitions;
    std::string md5sum;
    try {
      text = with_nested(news.type, file);
      definitions = ros1msg::parse(news.type, text);
      md5sum = ros1msg::md5sum(definitions);
    } catch (const Error& error) {  // a file that is no definition of ROS 1 is passed over
      news.text = fmt::format("{} is of no use: {}", file.path, error.message());
      return {};
    }
    return judge(std::move(text), md5sum, ros1msg::md5sum_v1(definitions), news);
  }

  static Supplement judge(std::string text, const std::string& md5sum, const std::string& md5sum_v1,
                          DefinitionNews& news) {
    bool is_open = news.md5sum == kAnyMd5;
    bool is_old = news.md5sum == md5sum_v1;
    if (!is_open && !is_old && news.md5sum != md5sum) {
      news.text = fmt::format("{} defines another {}: its MD5 sum is {}, the bag's {}", news.path,
                              news.type, md5sum, news.md5sum);
      return {};
    }
    news.outcome = is_open ? Outcome::assumed : Outcome::agreed;
    news.text = is_open ? fmt::format("the bag does not say which {} it holds; {} is taken",
                                      news.type, news.path)
                        : fmt::format("{} defines the {} of the bag", news.path, news.type);
    auto schema = std::make_shared<const Schema>(Schema{news.type, "ros1msg", std::move(text)});
    return {schema, md5sum, is_old && md5sum != md5sum_v1 ? md5sum_v1 : std::string()};
  }

  /// The whole text of `type`, whose own is in `file`.
  std::string with_nested(const std::string& type, const DefinitionFinder::File& file) {
    return ros1msg::full_text(type, read_definition(file.path),
                              [&](const std::string& name) { return nested(name, file.folder); });
  }

  /// The same folder's first: versions of messages belong together.
  std::optional<std::string> nested(const std::string& name, std::size_t folder) {
    for (const std::string& each : names_of_history(name)) {
      auto files = finder_.files(each);
      if (files.empty()) continue;
      auto same = std::find_if(files.begin(), files.end(),
                               [&](const auto& file) { return file.folder == folder; });
      return read_definition(same == files.end() ? files.front().path : same->path);
    }
    return std::nullopt;
  }

  DefinitionFinder finder_;
  OnDefinition on_definition_;
  std::map<std::pair<std::string, std::string>, Supplement> known_;  ///< by type and MD5 sum
};

void add_list(DefinitionPaths& paths, std::string_view list, unsigned levels) {
  while (!list.empty()) {
    std::size_t end = std::min(list.find(':'), list.size());
    if (end > 0) paths.push_back({std::string(list.substr(0, end)), levels});
    list.remove_prefix(std::min(end + 1, list.size()));
  }
}

}  // namespace

DefinitionPaths definition_paths(const std::vector<std::string>& folders,
                                 const DefinitionEnvironment& environment) {
  constexpr unsigned kLevels = 4;  // root/repository/stack/package
  DefinitionPaths paths;
  for (const std::string& folder : folders) {
    std::error_code ignored;
    if (!std::filesystem::is_directory(folder, ignored)) {
      throw Error(ErrorCode::not_found, "there is no such folder of definitions", folder);
    }
    paths.push_back({folder, 0});
  }
  add_list(paths, environment.kitbag_definitions, 0);
  add_list(paths, environment.ros_package_path, kLevels);
  add_list(paths, environment.ament_prefix_path, 0);
  paths.push_back({"/usr/share", 0});
  return paths;
}

std::unique_ptr<Stage> define(DefinitionPaths paths, OnDefinition on_definition) {
  return std::make_unique<Define>(std::move(paths), std::move(on_definition));
}

}  // namespace kitbag
