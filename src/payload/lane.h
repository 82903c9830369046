#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kitbag/codec.h"
#include "kitbag/message.h"
#include "kitbag/session.h"
#include "kitbag/transcode.h"
#include "kitbag/type.h"
#include "payload/bridge.h"
#include "payload/carrier.h"
#include "payload/evolution.h"
#include "payload/mapping.h"

namespace kitbag {

/// What one channel's messages go through: from a decoder of its encoding to an encoder of the
/// other, and between them a carrier where the types differ.
struct Lane {
  ChannelPtr channel;  ///< as it came
  TypePtr source;
  TypePtr target;
  std::unique_ptr<Decoder> decoder;
  std::unique_ptr<Encoder> encoder;
  Migration migration;  ///< the rules for this channel
  /// Null: the target's type is the source's.
  std::unique_ptr<Mappings> mappings;
  std::unique_ptr<Carrier> carrier;
  bool counts_down = false;  ///< the target's header takes the sequence, which messages then lose

  std::vector<std::string> left_out;  ///< fields that the new type has no place for

  Visitor& receiver() { return carrier ? static_cast<Visitor&>(*carrier) : *encoder; }
};

/// Compiles lanes, and the channels that they lead to: their schemas in the language that goes with
/// the new encoding, their types under the names that are usual there, their metadata.
class LaneBuilder {
 public:
  /// `options` and `evolver` must outlive it.
  LaneBuilder(const TranscodeOptions& options, Evolver& evolver, const Session& session)
      : options_(options), evolver_(evolver), session_(session) {}

  /// The channel that `channel` becomes in the encoding of `codec`, with its lane; `channel` itself
  /// where nothing is to be done. Throws Error (unsupported, not_found, corrupt), which names the
  /// topic.
  ChannelPtr build(const ChannelPtr& channel, const Codec& codec, Lane& lane);

 private:
  ChannelPtr converted(const ChannelPtr& channel, const Codec& codec, Lane& lane);
  ChannelPtr bridged(const ChannelPtr& channel, const Codec& codec, Lane& lane,
                     const Bridge& bridge);
  const std::pair<const std::string, std::string>* rule_for(const Channel& channel) const;
  void note_use(const std::string& rule) const;
  void rename(Lane& lane, const std::string& name) const;
  std::map<std::string, std::string> metadata_of(const Channel& channel, const Language& language,
                                                 const Schema& schema, const Type& type) const;

  const TranscodeOptions& options_;
  Evolver& evolver_;
  const Session& session_;
};

}  // namespace kitbag
