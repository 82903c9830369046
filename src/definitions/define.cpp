#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <tuple>

#include "definitions/definition_finder.h"
#include "definitions/definition_library.h"
#include "definitions/fingerprint.h"
#include "kitbag/definitions.h"
#include "kitbag/error.h"
#include "kitbag/session.h"
#include "model/definition_cache.h"

// A folder may contain another version of a message than the one that was recorded, and a payload
// does not show its version. So a definition is identified by its fingerprint, never by its name
// alone, and a user is warned if a bag has no fingerprint. All folders are tried: a workspace may
// contain today's version, and a folder after it the version of the day of the recording. A
// definition that its fingerprint proves is kept by the session, so that a program that opens many
// bags searches the folders once.

namespace kitbag {
namespace {

using Outcome = DefinitionNews::Outcome;

/// What a channel gets in place of what it has.
struct Supplement {
  SchemaPtr schema;  ///< null: nothing
  std::string fingerprint;
  std::string original_fingerprint;  ///< empty: it was today's already
};

class Define final : public Stage {
 public:
  Define(DefinitionPaths paths, const Session& session, OnDefinition on_definition)
      : folders_(as_text(paths)),
        finder_(std::move(paths)),
        session_(session),
        on_definition_(std::move(on_definition)) {}

  ChannelPtr map(const ChannelPtr& channel) override {
    if (!channel->schema || !has_known_type(*channel)) return channel;
    const Language* language = language_of(*channel);
    if (!language || !language->files || !lacks_definition(*channel, *language->files)) {
      return channel;
    }
    const Supplement& found = supplement(*channel, *language);
    if (!found.schema) return channel;
    auto defined = std::make_shared<Channel>(*channel);
    std::string key(language->files->fingerprint_key);
    defined->schema = found.schema;
    defined->metadata[key] = found.fingerprint;
    if (!found.original_fingerprint.empty()) {
      defined->metadata["original_" + key] = found.original_fingerprint;
    }
    return defined;
  }

 private:
  /// The language of the channel's definition; if it has none, the one that belongs to its
  /// encoding.
  const Language* language_of(const Channel& channel) const {
    const std::string& declared = channel.schema->language;
    if (!declared.empty()) return find_language(session_.registry(), declared);
    const Codec* codec = find_codec(session_.registry(), channel.encoding);
    return codec ? find_language(session_.registry(), codec->language) : nullptr;
  }

  const Supplement& supplement(const Channel& channel, const Language& language) {
    std::string fingerprint = fingerprint_of(channel, *language.files);
    Key key{language.name, channel.type(), fingerprint};
    auto [place, is_new] = known_.try_emplace(std::move(key));
    if (!is_new) return place->second;
    DefinitionNews news{Outcome::missing, channel.type(), fingerprint, {}, {}, {}};
    place->second = recall(language, news);
    if (on_definition_) on_definition_(news);
    return place->second;
  }

  /// The definition that the session has found before, or that search() finds.
  Supplement recall(const Language& language, DefinitionNews& news) {
    DefinitionCache& cache = session_.definition_cache();
    DefinitionCache::Key key{folders_, std::string(language.name), news.type, news.fingerprint};
    if (auto known = cache.find(key)) {
      news.outcome = Outcome::agreed;
      news.path = known->path;
      news.text = known->text;
      return supplement_of(std::move(known->schema), known->fingerprint, news);
    }
    Supplement found = search(language, news);
    if (news.outcome == Outcome::agreed) {
      cache.keep(std::move(key), {found.schema, found.fingerprint, news.path, news.text});
    }
    return found;
  }

  /// Tries every file of that name; `news` keeps the first that was refused, or the one taken.
  Supplement search(const Language& language, DefinitionNews& news) {
    news.text = fmt::format("no definition of {} was found", news.type);
    for (const std::string& name : names_of(*language.files, news.type)) {
      for (const DefinitionFinder::File& file : finder_.files(language, name)) {
        DefinitionNews found_news = news;
        found_news.path = file.path;
        if (file.standard) found_news.release = file.standard->release;
        Supplement found = take(language, file, found_news);
        if (found.schema || news.outcome == Outcome::missing) news = found_news;
        if (found.schema) return found;
      }
    }
    return {};
  }

  Supplement take(const Language& language, const DefinitionFinder::File& file,
                  DefinitionNews& news) {
    news.outcome = Outcome::refused;
    Schema schema{news.type, std::string(language.name), {}};
    std::vector<std::string> fingerprints;
    try {
      schema.text = with_nested(language, news.type, file);
      auto place = language.files->place(news.type);
      if (place && place->is_part) schema = part_alone(language, schema);
      fingerprints = language.files->fingerprints(schema);
    } catch (const Error& error) {  // a file that is no definition in the language is skipped
      if (is_final(error.code())) throw;
      news.text = fmt::format("{} cannot be used: {}", file.path, error.message());
      return {};
    }
    return judge(*language.files, std::move(schema), fingerprints, news);
  }

  /// What the one message of a service or action would be as a file: other readers of bags expect
  /// just that.
  static Schema part_alone(const Language& language, const Schema& schema) {
    if (!language.print) return schema;
    return {schema.name, schema.language, language.print(*language.parse(schema)).text};
  }

  static Supplement judge(const DefinitionFiles& files, Schema schema,
                          const std::vector<std::string>& fingerprints, DefinitionNews& news) {
    const std::string& todays = fingerprints.front();
    bool is_open = news.fingerprint == kAnyFingerprint;
    auto agreed = std::find(fingerprints.begin(), fingerprints.end(), news.fingerprint);
    if (!is_open && agreed == fingerprints.end()) {
      news.text = fmt::format("{} defines another version of {}: its {} is {}, the bag's is {}",
                              news.path, news.type, files.fingerprint, todays, news.fingerprint);
      return {};
    }
    news.outcome = is_open ? Outcome::assumed : Outcome::agreed;
    news.text = is_open ? fmt::format("the bag does not identify its version of {}; using {}",
                                      news.type, news.path)
                        : fmt::format("{} defines the {} of the bag", news.path, news.type);
    return supplement_of(std::make_shared<const Schema>(std::move(schema)), todays, news);
  }

  static Supplement supplement_of(SchemaPtr schema, const std::string& todays,
                                  const DefinitionNews& news) {
    bool is_old = news.outcome == Outcome::agreed && news.fingerprint != todays;
    return {std::move(schema), todays, is_old ? news.fingerprint : std::string()};
  }

  /// The full text of `type`, whose own definition is in `file`.
  std::string with_nested(const Language& language, const std::string& type,
                          const DefinitionFinder::File& file) {
    return language.files->full_text(
        type, file.text(), [&](const std::string& name) { return nested(language, name, file); });
  }

  /// Prefers the folder of the definition itself: versions of messages belong together. A standard
  /// definition goes with standard ones: a release lists only what it has changed.
  std::optional<std::string> nested(const Language& language, const std::string& name,
                                    const DefinitionFinder::File& outer) {
    for (const std::string& each : names_of(*language.files, name)) {
      auto found = finder_.files(language, each);
      if (found.empty()) continue;
      auto best = std::max_element(found.begin(), found.end(), [&](const auto& a, const auto& b) {
        return kinship(a, outer) < kinship(b, outer);
      });
      return best->text();
    }
    return std::nullopt;
  }

  static int kinship(const DefinitionFinder::File& file, const DefinitionFinder::File& outer) {
    if (file.folder == outer.folder) return 2;
    return file.standard && outer.standard ? 1 : 0;
  }

  /// The same text for the same folders in the same order.
  static std::string as_text(const DefinitionPaths& paths) {
    std::string text;
    for (const DefinitionFolder& folder : paths) {
      text += fmt::format("{}:{}{}", folder.levels, folder.path, '\0');
    }
    return text;
  }

  using Key = std::tuple<std::string_view, std::string, std::string>;  ///< with type, fingerprint

  std::string folders_;
  DefinitionFinder finder_;
  Session session_;
  OnDefinition on_definition_;
  std::map<Key, Supplement> known_;
};

/// Gives channels the definitions that defined() has found, and lets others be searched for.
class Defined final : public Stage {
 public:
  Defined(ChannelsPtr known, std::unique_ptr<Stage> define)
      : known_(std::move(known)), define_(std::move(define)) {}

  ChannelPtr map(const ChannelPtr& channel) override {
    return channel->slot < known_->size() ? (*known_)[channel->slot] : define_->map(channel);
  }

 private:
  ChannelsPtr known_;
  std::unique_ptr<Stage> define_;
};

void add_list(DefinitionPaths& paths, std::string_view list, unsigned levels) {
  while (!list.empty()) {
    std::size_t end = std::min(list.find(':'), list.size());
    if (end > 0) paths.push_back({std::string(list.substr(0, end)), levels});
    list.remove_prefix(std::min(end + 1, list.size()));
  }
}

/// "a, b, c and 4 more".
std::string some_of(const std::vector<std::string>& names) {
  constexpr std::size_t kMostNamed = 4;
  std::size_t named = names.size() > kMostNamed ? kMostNamed - 1 : names.size();
  auto end = names.begin() + static_cast<std::ptrdiff_t>(named);
  std::string text = fmt::format("{}", fmt::join(names.begin(), end, ", "));
  return named == names.size() ? text : fmt::format("{} and {} more", text, names.size() - named);
}

}  // namespace

DefinitionPaths definition_paths(const std::vector<std::string>& folders,
                                 const DefinitionEnvironment& environment) {
  constexpr unsigned kLevels = 4;  // root/repository/stack/package
  DefinitionPaths paths;
  for (const std::string& folder : folders) {
    std::error_code ignored;
    if (!std::filesystem::is_directory(folder, ignored)) {
      throw Error(ErrorCode::not_found, "the definition folder does not exist", folder);
    }
    paths.push_back({folder, 0});
  }
  add_list(paths, environment.kitbag_definitions, 0);
  add_list(paths, environment.ros_package_path, kLevels);
  add_list(paths, environment.ament_prefix_path, 0);
  paths.push_back({"/usr/share", 0});
  paths.push_back({kStandardDefinitions, 0});
  return paths;
}

std::unique_ptr<Stage> define(DefinitionPaths paths, const Session& session,
                              OnDefinition on_definition) {
  return std::make_unique<Define>(std::move(paths), session, std::move(on_definition));
}

std::vector<std::string> describe_assumptions(const std::vector<DefinitionNews>& news) {
  std::vector<std::string> lines;
  std::map<std::string, std::vector<std::string>> types;  // by release of ROS
  for (const DefinitionNews& each : news) {
    if (each.outcome != Outcome::assumed) continue;
    if (each.release.empty()) {
      lines.push_back(each.text);
    } else {
      types[each.release].push_back(each.type);
    }
  }
  for (const auto& [release, its_types] : types) {
    lines.push_back(fmt::format("the bag does not identify its version of {}; using that of {}",
                                some_of(its_types), release));
  }
  return lines;
}

BagPtr defined(BagPtr bag, const DefinitionPaths& paths, const Session& session,
               const OnDefinition& on_definition) {
  const Summary& summary = bag->summary();
  auto stage = define(paths, session, on_definition);
  auto known = std::make_shared<Channels>();
  for (const ChannelPtr& channel : *summary.channels) {
    known->push_back(channel ? stage->map(channel) : nullptr);
  }
  if (*known == *summary.channels && !summary.is_stream) return bag;
  return through(std::move(bag), [=] {
    return std::make_unique<Defined>(known, define(paths, session, on_definition));
  });
}

}  // namespace kitbag
