#include <fmt/format.h>

#include "definitions/fingerprint.h"
#include "kitbag/error.h"
#include "kitbag/session.h"
#include "kitbag/text.h"
#include "kitbag/transcode.h"
#include "payload/path_finder.h"

// What a channel says about its payloads: their type, a decoder for them, and where in a message an
// error is.

namespace kitbag {

namespace {

/// An empty definition is valid: it defines a message without fields.
bool has_definition(const Channel& channel, const Session& session) {
  const Schema* schema = channel.schema.get();
  if (!schema || schema->text.find_first_not_of(" \t\r\n") != std::string::npos) {
    return schema != nullptr;
  }
  const Language* language = find_language(session.registry(), schema->language);
  return language && language->files && !lacks_definition(channel, *language->files);
}

}  // namespace

bool is_decodable(const Channel& channel, const Session& session) {
  const Codec* codec = find_codec(session.registry(), channel.encoding);
  if (!codec) return false;
  return codec->is_self_describing || (has_definition(channel, session) &&
                                       find_language(session.registry(), channel.schema->language));
}

TypePtr type_of(const Channel& channel, const Session& session) {
  const Codec* codec = find_codec(session.registry(), channel.encoding);
  const Schema* schema = channel.schema.get();
  if (!has_definition(channel, session)) {
    if (codec && codec->is_self_describing) return nullptr;
    throw Error(ErrorCode::not_found,
                fmt::format("{}: no definition of {} found; specify a folder that contains it",
                            channel.topic, schema ? schema->name : "its type"));
  }
  const Language* language = find_language(session.registry(), schema->language);
  if (!language) {
    if (codec && codec->is_self_describing) return nullptr;
    throw Error(ErrorCode::unsupported, fmt::format("{}: definitions in \"{}\" cannot be read",
                                                    channel.topic, schema->language));
  }
  try {
    return language->parse(*schema);
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("{}: {}", channel.topic, error.message()));
  }
}

std::unique_ptr<Decoder> decoder_of(const Channel& channel, const Session& session) {
  // An encoding that is not known is reported before a definition that is not there.
  bool has_codec = find_codec(session.registry(), channel.encoding) != nullptr;
  return decoder_of(channel, has_codec ? type_of(channel, session) : nullptr, session);
}

std::unique_ptr<Decoder> decoder_of(const Channel& channel, const TypePtr& type,
                                    const Session& session) {
  const Codec* codec = find_codec(session.registry(), channel.encoding);
  if (!codec) {
    throw Error(ErrorCode::unsupported, fmt::format("{}: payloads in \"{}\" cannot be decoded",
                                                    channel.topic, channel.encoding));
  }
  try {
    return codec->decoder(type);
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("{}: {}", channel.topic, error.message()));
  }
}

Error located(const Error& error, const Message& message, Decoder& decoder, Visitor* visitor) {
  PathFinder finder(visitor);
  try {
    decoder.decode(message.data, finder);
  } catch (const Error& again) {  // the same, at the same place
    if (is_final(again.code())) throw;
  }
  std::string path = finder.path();
  std::string where =
      fmt::format("{} at {}", message.channel->topic, format_time(message.log_time));
  if (!path.empty()) where += fmt::format(", field {}", path);
  return {error.code(), fmt::format("{}: {}", where, error.message())};
}

}  // namespace kitbag
