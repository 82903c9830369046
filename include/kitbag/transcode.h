#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "kitbag/registry.h"
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
    std::string first_error;          ///< why, of the first
  };
  std::map<std::string, Topic> topics;
};

struct TranscodeOptions {
  /// Of the payloads to come, "cdr"; empty: that of each channel.
  std::string encoding;
  CodecOptions codec = {};
  OnError on_error = OnError::stop;
  /// Is filled as messages pass; must outlive the stage. May be null.
  TranscodeReport* report = nullptr;
};

/// Brings payloads to another encoding, and schemas to the language that goes with it. Names of
/// types and fields become those of the other world (docs/encodings/mapping.md); the counter of a
/// leading header travels in Message::sequence. Throws Error (invalid) for an encoding that the
/// registry does not have; the stage throws Error: unsupported for a channel that cannot be brought
/// to it, not_found for one without a definition, both before any of its messages. What it throws
/// names topic, time and field. `registry` must outlive it.
KITBAG_API std::unique_ptr<Stage> transcode(TranscodeOptions options, const Registry& registry);

/// The type of the channel's payloads, from its schema; null where it has none and its encoding
/// needs none. Throws Error: not_found without a definition, unsupported for a language that the
/// registry does not have, corrupt for a schema that does not parse; each names the topic.
KITBAG_API TypePtr type_of(const Channel& channel, const Registry& registry);

/// The registry has a codec for the channel's payloads and, where that needs one, the channel has a
/// definition in a language that the registry has.
KITBAG_API bool is_decodable(const Channel& channel, const Registry& registry);

/// A decoder of the channel's payloads. Throws as type_of() does, and Error (unsupported) for an
/// encoding that the registry does not have.
KITBAG_API std::unique_ptr<Decoder> decoder_of(const Channel& channel, const Registry& registry);

/// `error`, met while `payload` was decoded by `decoder` and told to `visitor`, with the topic, the
/// time and the path of the field where it was met in front. Decodes a second time to find it.
KITBAG_API Error located(const Error& error, const Message& message, Decoder& decoder,
                         Visitor* visitor = nullptr);

}  // namespace kitbag
