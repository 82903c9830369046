#include "definitions/check_definitions.h"

#include <fmt/format.h>

#include <map>
#include <set>

#include "definitions/fingerprint.h"
#include "kitbag/error.h"
#include "language/ros1msg/language.h"
#include "language/ros1msg/md5.h"
#include "language/ros1msg/parser.h"

namespace kitbag {
namespace {

/// Looks at the channels one by one. Many have the same definition; it is looked at once.
class DefinitionCheck {
 public:
  DefinitionCheck(const std::string& path, const OnProblem& on_finding)
      : path_(path), on_finding_(on_finding) {}

  void take(const Channel& channel) {
    Key key{channel.type(), fingerprint_of(channel, files_), channel.schema->text};
    if (!seen_.insert(key).second) return;
    if (lacks_definition(channel, files_)) {
      return finding(channel,
                     fmt::format("the definition of its type {} is missing", channel.type()));
    }
    take_text(channel, fingerprint_of(channel, files_));
  }

 private:
  struct Key {
    std::string type, md5sum, text;
    auto operator<=>(const Key&) const = default;
  };

  void take_text(const Channel& channel, const std::string& md5sum) {
    ros1msg::Definitions definitions;
    std::string computed;
    try {
      definitions = ros1msg::parse(channel.type(), channel.schema->text);
      computed = ros1msg::md5sum(definitions);
    } catch (const Error& error) {  // the finding, and the other channels are looked at too
      if (is_final(error.code())) throw;
      return finding(channel, error.message());
    }
    if (md5sum == kAnyFingerprint) return;
    if (computed != md5sum && ros1msg::md5sum_v1(definitions) != md5sum) {
      finding(channel, fmt::format("the MD5 sum of its definition of {} is {}, not {}",
                                   channel.type(), computed, md5sum));
    }
    auto [first, is_new] = first_.try_emplace(md5sum, First{computed, channel.topic});
    if (!is_new && first->second.computed != computed) {
      finding(
          channel,
          fmt::format("its definition of {} differs from that of {}, but both have the MD5 sum {}",
                      channel.type(), first->second.topic, md5sum));
    }
  }

  void finding(const Channel& channel, const std::string& what) {
    on_finding_(Error(ErrorCode::corrupt, fmt::format("{}: {}", channel.topic, what), path_));
  }

  struct First {
    std::string computed, topic;
  };

  const DefinitionFiles files_ = *ros1msg::language().files;
  const std::string& path_;
  const OnProblem& on_finding_;
  std::set<Key> seen_;
  std::map<std::string, First> first_;  ///< by the MD5 sum that the bag tells
};

}  // namespace

void check_definitions(const Bag& bag, const std::string& path, const OnProblem& on_finding) {
  if (!bag.summary().channels || !bag.summary().holds_definitions) return;
  DefinitionCheck check(path, on_finding);
  for (const ChannelPtr& channel : *bag.summary().channels) {
    if (channel && channel->schema && channel->encoding == "ros1") check.take(*channel);
  }
}

}  // namespace kitbag
