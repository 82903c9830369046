#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "kitbag/definitions.h"
#include "kitbag/session.h"
#include "kitbag/stream.h"

namespace kitbag {

/// What becomes of a message that cannot be decoded or encoded.
enum class OnError {
  stop,  ///< an Error is thrown
  skip,  ///< it is left out, and counted
  raw,   ///< it stays as it is, if its channel can
};

/// What was lost on the way, by topic.
struct TranscodeReport {
  struct Topic {
    std::uint64_t skipped = 0;        ///< messages left out
    std::uint64_t raw = 0;            ///< messages that stayed as they were
    std::uint64_t lost_counters = 0;  ///< messages with a header inside whose `seq` has no place
    /// Messages with texts that are not UTF-8, of which each such byte became U+FFFD.
    std::uint64_t replaced_texts = 0;
    std::string first_error;  ///< why, of the first
    std::string left_out;     ///< fields that the new type has no place for, by commas
  };
  std::map<std::string, Topic> topics;
};

/// What names alone do not tell of the way from old definitions to new ones. Types are called
/// "package/Type", or as their language writes them.
struct Migration {
  std::map<std::string, std::string> types;  ///< the new name of a type, by its old one
  /// The new names of fields by their old ones, by the new name of their type.
  std::map<std::string, std::map<std::string, std::string>> fields;
  /// What fields get that the old type does not have, as YAML has it, by the new name of the type.
  std::map<std::string, std::map<std::string, std::string>> fills;
};

/// The rules in a YAML text with the maps `types`, `fields` and `fill`. Throws Error (invalid).
KITBAG_API Migration parse_migration(const std::string& text);

struct TranscodeOptions {
  /// Of the payloads to come, "cdr"; empty: that of each channel.
  std::string encoding;
  CodecOptions codec = {};
  /// Where the definitions lie that messages are to be brought to; channels whose types are not
  /// there stay with their own. Empty: all do.
  DefinitionPaths to_definitions = {};
  Migration migration = {};
  OnError on_error = OnError::stop;
  /// Is filled as messages pass; must outlive the stage. May be null.
  TranscodeReport* report = nullptr;
};

/// Brings payloads to another encoding, and schemas to the language that goes with it. Names of
/// types and fields become those of the other world (docs/encodings/mapping.md); the counter of a
/// leading header travels in Message::sequence. Throws Error (invalid) for an encoding that the
/// registry does not have; the stage throws Error: unsupported for a channel that cannot be brought
/// to it, not_found for one without a definition, both before any of its messages. What it throws
/// names topic, time and field.
///
/// With `to_definitions` messages recorded under an old definition become ones of the new: fields
/// of the same name are carried, numbers may widen, new fields get their defaults, others are
/// dropped. What cannot be carried is an Error (unsupported) with the path of the field and both
/// types.
KITBAG_API std::unique_ptr<Stage> transcode(TranscodeOptions options, const Session& session);

/// The type of the channel's payloads, from its schema; null where it has none and its encoding
/// needs none. Throws Error: not_found without a definition, unsupported for a language that the
/// registry does not have, corrupt for a schema that does not parse; each names the topic.
KITBAG_API TypePtr type_of(const Channel& channel, const Session& session);

/// How a channel stands to the definitions that it is to be brought to.
struct Evolution {
  enum class Outcome {
    same,      ///< it has them already
    carried,   ///< it differs, and can be brought to them
    refused,   ///< it differs in what cannot be carried
    undefined  ///< they do not have its type, or it cannot be read
  };
  Outcome outcome = Outcome::undefined;
  std::string type;    ///< the new one
  std::string reason;  ///< of refused and undefined
};

/// What transcode() with these options would do with the channel.
KITBAG_API Evolution evolution_of(const Channel& channel, const TranscodeOptions& options,
                                  const Session& session);

/// The registry has a codec for the channel's payloads and, where that needs one, the channel has a
/// definition in a language that the registry has.
KITBAG_API bool is_decodable(const Channel& channel, const Session& session);

/// A decoder of the channel's payloads. Throws as type_of() does, and Error (unsupported) for an
/// encoding that the registry does not have.
KITBAG_API std::unique_ptr<Decoder> decoder_of(const Channel& channel, const Session& session);

/// `error`, met while `payload` was decoded by `decoder` and told to `visitor`, with the topic, the
/// time and the path of the field where it was met in front. Decodes a second time to find it.
KITBAG_API Error located(const Error& error, const Message& message, Decoder& decoder,
                         Visitor* visitor = nullptr);

}  // namespace kitbag
