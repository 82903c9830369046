#include "kitbag/transcode.h"

#include <fmt/format.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kitbag/error.h"
#include "kitbag/session.h"
#include "payload/evolution.h"
#include "payload/lane.h"

// What is decided for a channel is decided in map(): decoder, mapping, encoder. A message is then
// one call that runs through all three, and its bytes land in an arena that the batch takes over at
// its end. The batch keeps the memory of the old payloads too, until it is cleared.
//
// Errors have no path: to know where in a message a value lies, each visitor call would have to
// keep count. The message that failed is decoded again with a PathFinder in front of the encoder,
// which costs something only then. The carrier and the encoder have to begin anew for that, and
// what the encoder has written by then is dropped.
//
// An encoding may blow up what it encodes: a few bytes may stand for defaults of a large array. The
// arena's limit grows with the payload.

namespace kitbag {

namespace {

/// Null: that of each channel.
const Codec* target_codec(const TranscodeOptions& options, const Session& session) {
  const Codec* codec = find_codec(session.registry(), options.encoding);
  if (codec || options.encoding.empty()) return codec;
  std::vector<std::string_view> known;
  for (const Codec& each : session.registry().codecs) known.push_back(each.encoding);
  throw Error(ErrorCode::invalid, fmt::format("unknown encoding \"{}\"; supported encodings: {}",
                                              options.encoding, fmt::join(known, ", ")));
}

/// None of them has applied yet, unless another stage has said so.
void list_rules(const Migration& migration, std::map<std::string, bool>& rules) {
  for (const auto& rule : migration.types) rules.emplace(rule.first, false);
  for (const auto& rule : migration.fields) rules.emplace(rule.first, false);
  for (const auto& rule : migration.fills) rules.emplace(rule.first, false);
}

class Transcode final : public Stage {
 public:
  Transcode(TranscodeOptions options, const Session& session)
      : options_(std::move(options)),
        session_(session),
        codec_(target_codec(options_, session_)),
        evolver_(options_, session_),
        builder_(options_, evolver_, session_) {
    if (options_.report) list_rules(options_.migration, options_.report->rules);
  }

  ChannelPtr map(const ChannelPtr& channel) override;
  void apply(Batch& batch) override;

 private:
  ByteView encode(Lane& lane, Message& message);
  void take_error(Lane& lane, const Message& message, const Error& error);
  void report_left_out(const Lane& lane, const std::string& new_type);
  TranscodeReport::Topic* report(const Channel& channel) {
    return options_.report ? &options_.report->topics[channel.topic] : nullptr;
  }

  TranscodeOptions options_;
  Session session_;
  const Codec* codec_;  ///< null: that of each channel
  Evolver evolver_;
  LaneBuilder builder_;
  std::vector<std::unique_ptr<Lane>> lanes_;  ///< by slot; null: nothing is to be done
  Arena arena_;
};

ChannelPtr Transcode::map(const ChannelPtr& channel) {
  if (lanes_.size() <= channel->slot) lanes_.resize(channel->slot + 1);
  const Codec* codec = codec_ ? codec_ : find_codec(session_.registry(), channel->encoding);
  if (!codec || (channel->encoding == codec->encoding && !evolver_.is_needed())) return channel;
  auto lane = std::make_unique<Lane>();
  try {
    ChannelPtr mapped = builder_.build(channel, *codec, *lane);
    report_left_out(*lane, mapped->type());
    if (mapped != channel) lanes_[channel->slot] = std::move(lane);
    return mapped;
  } catch (const Error& error) {
    if (options_.on_error == OnError::stop || is_final(error.code())) throw;
    bool is_dropped = options_.on_error == OnError::skip;
    if (TranscodeReport::Topic* topic = report(*channel)) {
      topic->is_dropped = is_dropped;
      topic->first_error = error.message();
    }
    return is_dropped ? nullptr : channel;
  }
}

/// A topic may have several channels, and each of their fields is named once.
void Transcode::report_left_out(const Lane& lane, const std::string& new_type) {
  if (lane.left_out.empty()) return;
  TranscodeReport::Topic* topic = report(*lane.channel);
  if (!topic) return;
  topic->new_type = new_type;
  for (const std::string& field : lane.left_out) {
    bool is_named = (", " + topic->left_out + ",").find(", " + field + ",") != std::string::npos;
    if (is_named) continue;
    topic->left_out += (topic->left_out.empty() ? "" : ", ") + field;
  }
}

ByteView Transcode::encode(Lane& lane, Message& message) {
  if (lane.carrier) lane.carrier->begin(message.sequence, message.data.size());
  std::uint64_t replaced = lane.encoder->replaced_bytes();
  arena_.limit_for(message.data.size());
  lane.encoder->begin(arena_);
  lane.decoder->decode(message.data, lane.receiver());
  ByteView encoded = lane.encoder->end();
  if (lane.encoder->replaced_bytes() > replaced) {
    if (TranscodeReport::Topic* topic = report(*lane.channel)) ++topic->replaced_texts;
  }
  if (lane.carrier) {
    if (auto sequence = lane.carrier->sequence()) message.sequence = *sequence;
    if (lane.counts_down) message.sequence = 0;
    if (lane.carrier->has_lost_counters()) {
      if (TranscodeReport::Topic* topic = report(*lane.channel)) ++topic->lost_counters;
    }
  }
  return encoded;
}

/// A message of a channel that has another encoding now cannot stay as it is: OnError::raw leaves
/// it out, too. One that a stranger sends must not end a recording.
void Transcode::take_error(Lane& lane, const Message& message, const Error& error) {
  Message as_it_came = message;
  as_it_came.channel = lane.channel.get();
  if (lane.carrier) lane.carrier->begin(message.sequence, message.data.size());
  lane.encoder->begin(arena_);
  Error located_error = located(error, as_it_came, *lane.decoder, &lane.receiver());
  arena_.drop();
  if (options_.on_error == OnError::stop) throw located_error;
  if (TranscodeReport::Topic* topic = report(*lane.channel)) {
    if (topic->skipped++ == 0) topic->first_error = located_error.message();
  }
}

void Transcode::apply(Batch& batch) {
  bool has_changed = false;
  batch.drop_if([&](Message& message) {
    Lane* lane = lanes_[message.channel->slot].get();
    if (!lane) return false;
    try {
      batch.set_data(message, encode(*lane, message));
      has_changed = true;
      return false;
    } catch (const Error& error) {
      if (is_final(error.code())) throw;
      take_error(*lane, message, error);
      return true;
    }
  });
  if (!has_changed) return;
  std::size_t size = arena_.size();
  batch.keep(arena_.release(), size);
}

}  // namespace

std::unique_ptr<Stage> transcode(TranscodeOptions options, const Session& session) {
  return std::make_unique<Transcode>(std::move(options), session);
}

Evolution evolution_of(const Channel& channel, const TranscodeOptions& options,
                       const Session& session) {
  target_codec(options, session);  // throws if it does not exist
  Evolver evolver(options, session);
  try {
    Evolved evolved = evolver.evolve(channel, type_of(channel, session));
    if (evolved.schema) return {Evolution::Outcome::carried, evolved.schema->name, {}};
    if (evolver.knows(channel)) return {Evolution::Outcome::same, channel.schema->name, {}};
    return {Evolution::Outcome::undefined, {}, "no target definition found"};
  } catch (const Error& error) {
    if (is_final(error.code())) throw;
    bool is_refused = error.code() == ErrorCode::unsupported;
    return {is_refused ? Evolution::Outcome::refused : Evolution::Outcome::undefined,
            {},
            error.message()};
  }
}

}  // namespace kitbag
