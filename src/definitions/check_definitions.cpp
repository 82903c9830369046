#include "definitions/check_definitions.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "definitions/fingerprint.h"
#include "kitbag/registry.h"

// ROS 1 requires every channel to have its definition with a sum over it, so a bag contradicts
// itself where the two disagree: a definition was edited, or two programs with different versions
// of a message were recorded. Both can be seen without looking at a message. Two definitions under
// one sum are a finding even if the sum is right for one of them.

namespace kitbag {
namespace {

/// Checks the channels one by one. A definition that many channels have is checked once.
class DefinitionCheck {
 public:
  DefinitionCheck(const std::string& path, const OnProblem& on_finding)
      : path_(path), on_finding_(on_finding) {}

  void take(const Channel& channel, const Language& language) {
    const DefinitionFiles& files = *language.files;
    std::string fingerprint = fingerprint_of(channel, files);
    Key key{language.name, channel.type(), fingerprint, channel.schema->text};
    if (!seen_.insert(std::move(key)).second) return;
    if (lacks_definition(channel, files)) {
      return finding(channel,
                     fmt::format("the definition of its type {} is missing", channel.type()));
    }
    take_text(channel, language, fingerprint);
  }

 private:
  struct Key {
    std::string_view language;
    std::string type, fingerprint, text;
    auto operator<=>(const Key&) const = default;
  };

  void take_text(const Channel& channel, const Language& language, const std::string& fingerprint) {
    const DefinitionFiles& files = *language.files;
    std::vector<std::string> computed;
    try {
      computed = files.fingerprints(*channel.schema);
    } catch (const Error& error) {  // a finding; the other channels are checked too
      if (is_final(error.code())) throw;
      return finding(channel, error.message());
    }
    if (fingerprint == kAnyFingerprint) return;
    if (std::find(computed.begin(), computed.end(), fingerprint) == computed.end()) {
      finding(channel,
              fmt::format("the {} of its definition of {} is {}, not {}", files.fingerprint,
                          channel.type(), computed.front(), fingerprint));
    }
    auto [first, is_new] = first_.try_emplace(std::pair(language.name, fingerprint),
                                              First{computed.front(), channel.topic});
    if (!is_new && first->second.computed != computed.front()) {
      finding(channel,
              fmt::format("its definition of {} differs from that of {}, but both have the {} {}",
                          channel.type(), first->second.topic, files.fingerprint, fingerprint));
    }
  }

  void finding(const Channel& channel, const std::string& what) {
    on_finding_(Error(ErrorCode::corrupt, fmt::format("{}: {}", channel.topic, what), path_));
  }

  struct First {
    std::string computed, topic;
  };

  const std::string& path_;
  const OnProblem& on_finding_;
  std::set<Key> seen_;
  std::map<std::pair<std::string_view, std::string>, First> first_;  ///< by language, fingerprint
};

/// The language that goes with the encoding, whichever the channel claims; null where bags may be
/// without definitions.
const Language* required_language(const Channel& channel, const Registry& registry) {
  const Codec* codec = find_codec(registry, channel.encoding);
  const Language* language = codec ? find_language(registry, codec->language) : nullptr;
  return language && language->files && language->files->are_in_every_bag ? language : nullptr;
}

}  // namespace

void check_definitions(const Bag& bag, const std::string& path, const OnProblem& on_finding,
                       const Session& session) {
  if (!bag.channels() || !bag.summary().holds_definitions) return;
  DefinitionCheck check(path, on_finding);
  for (const ChannelPtr& channel : *bag.channels()) {
    if (!channel || !channel->schema) continue;
    if (const Language* language = required_language(*channel, session.registry())) {
      check.take(*channel, *language);
    }
  }
}

}  // namespace kitbag
