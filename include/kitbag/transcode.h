#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "kitbag/definitions.h"
#include "kitbag/session.h"
#include "kitbag/stream.h"

// transcode() is a stage that decodes each message and encodes it again: in another encoding, or
// with a newer definition of its type. It also converts the schema and the metadata of each
// channel.
//
//   auto source = through(bag->read(), transcode({.encoding = "cdr"}, session));
//
// A conversion is compiled once per channel. After that a message passes from the decoder to the
// encoder without a tree in between; if both sides have the same fixed layout, it is copied. The
// functions below are the parts of it that other code uses: the type of a channel, a decoder for
// it, and errors that name the field.

namespace kitbag {

/// What happens to a message, or a channel, that cannot be decoded or encoded. Errors that must not
/// be skipped (is_final()) are always thrown.
enum class OnError {
  stop,  ///< an Error is thrown
  skip,  ///< it is left out and counted
  /// A channel that cannot be converted stays unchanged. A single message stays unchanged if its
  /// channel keeps its encoding; otherwise it is left out and counted.
  raw,
};

/// What was lost, by topic.
struct TranscodeReport {
  /// The losses of one topic.
  struct Topic {
    std::uint64_t skipped = 0;  ///< messages left out
    /// All messages are left out, because the channel cannot be decoded or converted; they are not
    /// counted.
    bool is_dropped = false;
    /// Messages that stayed unchanged. transcode() and where() do not count them.
    std::uint64_t raw = 0;
    /// Messages whose nested headers have a counter `seq` that the new type has no place for.
    std::uint64_t lost_counters = 0;
    /// Messages with text that is not UTF-8. Each invalid byte was replaced with U+FFFD.
    std::uint64_t replaced_texts = 0;
    std::string first_error;  ///< the reason for the first one
    std::string left_out;  ///< names of fields that the new type does not have, separated by commas
    std::string new_type;  ///< the name of the type that does not have them
    /// printer() of csv, which has columns for one type: the topic that the columns are of, if
    /// messages were left out because they have another type. They are counted in `skipped`.
    std::string columns_of;
  };
  std::map<std::string, Topic> topics;  ///< by name
  /// The types that rules of a Migration name, as they spell them, and whether a rule for that type
  /// applied to a channel.
  std::map<std::string, bool> rules;
};

/// Rules for the conversion of old definitions to new ones, if names have changed. Types are called
/// "package/Type", or as their language writes them.
struct Migration {
  std::map<std::string, std::string> types;  ///< the new name of a type, by its old name
  /// New names of fields by their old names, by the new name of their type.
  std::map<std::string, std::map<std::string, std::string>> fields;
  /// Values, in YAML, for fields that the old type does not have, by the new name of the type.
  std::map<std::string, std::map<std::string, std::string>> fills;
};

/// Parses rules in YAML, with the maps `types`, `fields` and `fill`. Throws Error (invalid).
KITBAG_API Migration parse_migration(const std::string& text);

/// Settings of transcode().
struct TranscodeOptions {
  /// The encoding of the result, such as "cdr"; empty: each channel keeps its own.
  std::string encoding;
  /// Options of the encoder.
  CodecOptions codec = {};
  /// Where to find the definitions to convert messages to. Channels whose types are not there keep
  /// their own. Empty: all channels keep their own.
  DefinitionPaths to_definitions = {};
  /// With `to_definitions`: types and fields with new names, and values for new fields. With
  /// `encoding`: the names of types and fields in the new encoding.
  Migration migration = {};
  OnError on_error = OnError::stop;  ///< for messages and channels
  /// Updated as messages pass. May be null; otherwise it must outlive the stage.
  TranscodeReport* report = nullptr;
};

/// Returns a stage that converts payloads to another encoding, and schemas to the language that
/// goes with it. Types and fields get the names that are usual there (docs/encodings/mapping.md).
/// The counter of a leading header is carried in Message::sequence.
///
/// With `to_definitions`, the stage converts messages that were recorded with an old definition to
/// the new one: fields of the same name are copied, numbers may widen, new fields get their
/// defaults, others are dropped. What cannot be converted is an Error (unsupported) that names the
/// path of the field and both types.
///
/// Throws Error (invalid) if the registry has no codec for `encoding`. With OnError::stop, the
/// stage throws Error before the first message of a channel: unsupported if the channel cannot be
/// converted, not_found if it has no definition. An error of a message names topic, time and field.
KITBAG_API std::unique_ptr<Stage> transcode(TranscodeOptions options, const Session& session);

/// Returns the type of the channel's payloads, from its schema. Returns null if the encoding is
/// self-describing and the channel has no definition, or one in a language that the registry does
/// not have. Throws Error: not_found without a definition, unsupported if the registry does not
/// have the language, corrupt if the schema does not parse. The message names the topic.
KITBAG_API TypePtr type_of(const Channel& channel, const Session& session);

/// How a channel compares with the definitions that it is to be converted to.
struct Evolution {
  /// Whether and how it would be converted.
  enum class Outcome {
    same,      ///< it has the same definition
    carried,   ///< it differs and can be converted
    refused,   ///< it differs and cannot be converted
    undefined  ///< there is no definition of its type, or it cannot be read
  };
  Outcome outcome = Outcome::undefined;  ///< see Outcome
  std::string type;                      ///< the name of the new type
  std::string reason;                    ///< why it is refused or undefined
};

/// Returns what transcode() with these options would do with the channel.
KITBAG_API Evolution evolution_of(const Channel& channel, const TranscodeOptions& options,
                                  const Session& session);

/// Returns whether messages of the channel can be decoded: the registry has a codec for them and,
/// if the codec needs it, the channel has a definition in a language that the registry has.
KITBAG_API bool is_decodable(const Channel& channel, const Session& session);

/// Returns a decoder for the channel's payloads. Throws as type_of() does, and Error (unsupported)
/// if the registry has no codec for the encoding or the encoding cannot hold the type.
KITBAG_API std::unique_ptr<Decoder> decoder_of(const Channel& channel, const Session& session);
/// The same, for a type that type_of() has returned for this channel.
KITBAG_API std::unique_ptr<Decoder> decoder_of(const Channel& channel, const TypePtr& type,
                                               const Session& session);

/// Returns `error`, which `decoder` threw for `message`, with topic, time and the path of the field
/// in front of its sentence. Decodes the message a second time to find the field. `visitor`
/// receives the values again; null: no visitor.
KITBAG_API Error located(const Error& error, const Message& message, Decoder& decoder,
                         Visitor* visitor = nullptr);

}  // namespace kitbag
