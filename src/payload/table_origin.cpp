#include "kitbag/table_origin.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "base/utf8.h"
#include "kitbag/base64.h"
#include "kitbag/error.h"
#include "kitbag/registry.h"

// An exported table says of the channel that its rows come from what an import needs to make the
// same channel again: in the metadata of an Arrow or Parquet file, as keys and values. These are
// texts for all readers of such files. So a definition that is no text, as a FileDescriptorSet, is
// written in base64, and pairs that are not UTF-8 are left out.
//
// A table of another program has none of these keys: channel_of_table() then returns null.

namespace kitbag {

namespace {

/// A language that is not known may be no text.
bool is_text_language(const std::string& name, const Session& session) {
  const Language* language = find_language(session.registry(), name);
  return language && language->is_text;
}

std::optional<std::string> value_of(const KeyValues& pairs, const char* key) {
  auto found =
      std::find_if(pairs.begin(), pairs.end(), [&](const auto& pair) { return pair.first == key; });
  return found == pairs.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace

KeyValues table_key_values(const Channel& channel, const Session& session) {
  KeyValues pairs = {{kTableTopic, channel.topic}, {kTableEncoding, channel.encoding}};
  if (channel.schema) {
    const Schema& schema = *channel.schema;
    bool is_text = is_text_language(schema.language, session);
    pairs.emplace_back(kTableType, schema.name);
    pairs.emplace_back(kTableLanguage, schema.language);
    pairs.emplace_back(kTableDefinition,
                       is_text ? schema.text : encode_base64(as_bytes(schema.text)));
  }
  for (const auto& [key, value] : channel.metadata) {
    pairs.emplace_back(kTableChannelMetadata + key, value);
  }
  std::erase_if(pairs,
                [](const auto& pair) { return !is_utf8(pair.first) || !is_utf8(pair.second); });
  return pairs;
}

std::shared_ptr<Channel> channel_of_table(const KeyValues& pairs, const Session& session) {
  auto encoding = value_of(pairs, kTableEncoding);
  if (!encoding) return nullptr;
  auto channel = std::make_shared<Channel>();
  channel->topic = value_of(pairs, kTableTopic).value_or("");
  channel->encoding = *encoding;
  auto language = value_of(pairs, kTableLanguage);
  auto text = value_of(pairs, kTableDefinition);
  if (language && text) {
    if (!is_text_language(*language, session)) {
      auto bytes = decode_base64(*text);
      if (!bytes) throw Error(ErrorCode::corrupt, "the definition in the table is no base64");
      text = std::string(as_text(*bytes));
    }
    channel->schema = std::make_shared<const Schema>(
        Schema{value_of(pairs, kTableType).value_or(""), *language, *text});
  }
  for (const auto& [key, value] : pairs) {
    std::string_view prefix = kTableChannelMetadata;
    if (key.starts_with(prefix)) channel->metadata[key.substr(prefix.size())] = value;
  }
  return channel;
}

}  // namespace kitbag
