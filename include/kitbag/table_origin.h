#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kitbag/export.h"
#include "kitbag/message.h"
#include "kitbag/session.h"

// What a table of messages says of the channel that they came from, so that they can become
// messages again. Parquet files have such pairs in their metadata.

namespace kitbag {

/// Names and values, in UTF-8.
using KeyValues = std::vector<std::pair<std::string, std::string>>;

/// The keys. A channel has all of them but for what it does not have itself.
/// @{
inline constexpr const char* kTableTopic = "kitbag.topic";               ///< the name of the topic
inline constexpr const char* kTableEncoding = "kitbag.encoding";         ///< of the payloads
inline constexpr const char* kTableType = "kitbag.type";                 ///< the name of the schema
inline constexpr const char* kTableLanguage = "kitbag.schema_language";  ///< its language
/// The definition; in base64 if the language is no text.
inline constexpr const char* kTableDefinition = "kitbag.schema";
/// Begins the keys of Channel::metadata.
inline constexpr const char* kTableChannelMetadata = "kitbag.channel.";
/// @}

/// Returns what a table of the messages of `channel` says. Metadata of the channel that are not
/// UTF-8 are left out.
KITBAG_API KeyValues table_key_values(const Channel& channel, const Session& session);

/// Returns the channel that a table says its messages had, or null if it says none. Throws Error
/// (corrupt) for a definition that is no base64 where it should be.
KITBAG_API std::shared_ptr<Channel> channel_of_table(const KeyValues& pairs,
                                                     const Session& session);

}  // namespace kitbag
