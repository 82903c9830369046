#include <fmt/format.h>

#include <unordered_map>
#include <utility>

#include "kitbag/error.h"
#include "kitbag/transcode.h"
#include "kitbag/value.h"

// Values of messages and back. A reader keeps a decoder for each channel: what is compiled for a
// type costs more than many messages.

namespace kitbag {

struct ValueReader::State {
  struct KnownChannel {
    ChannelPtr copy;  ///< another channel may get its address
    TypePtr type;
    std::unique_ptr<Decoder> decoder;
  };

  explicit State(Session owner) : session(std::move(owner)) {}

  KnownChannel& known(const Channel& channel) {
    auto found = channels.find(&channel);
    if (found != channels.end() && same_content(*found->second.copy, channel)) return found->second;
    TypePtr type = type_of(channel, session);
    KnownChannel made{std::make_shared<Channel>(channel), type, decoder_of(channel, type, session)};
    // Values refer to the types of channels that are gone.
    if (found != channels.end()) past.push_back(found->second.type);
    return channels.insert_or_assign(&channel, std::move(made)).first->second;
  }

  Session session;
  std::unordered_map<const Channel*, KnownChannel> channels;
  std::vector<TypePtr> past;
  ValueBuilder builder;
};

ValueReader::ValueReader(Session session) : state_(std::make_unique<State>(std::move(session))) {}
ValueReader::~ValueReader() = default;
ValueReader::ValueReader(ValueReader&&) noexcept = default;
ValueReader& ValueReader::operator=(ValueReader&&) noexcept = default;

Value ValueReader::read(const Message& message, const Owner& owner) {
  State::KnownChannel& channel = state_->known(*message.channel);
  state_->builder.begin(message.data, owner);
  try {
    channel.decoder->decode(message.data, state_->builder);
  } catch (const Error& error) {
    if (is_final(error.code())) throw;
    throw located(error, message, *channel.decoder);
  }
  return state_->builder.end();
}

TypePtr ValueReader::type(const Channel& channel) {
  return state_->known(channel).type;
}

struct ValueWriter::State {
  std::string topic;
  TypePtr type;
  std::unique_ptr<Encoder> encoder;
  Arena arena;
  Owner last;  ///< the memory of the payload that was returned
};

ValueWriter::ValueWriter(const Channel& channel, const Session& session)
    : state_(std::make_unique<State>()) {
  const Codec* codec = find_codec(session.registry(), channel.encoding);
  if (!codec) {
    throw Error(ErrorCode::unsupported, fmt::format("{}: payloads in \"{}\" cannot be encoded",
                                                    channel.topic, channel.encoding));
  }
  state_->topic = channel.topic;
  state_->type = type_of(channel, session);
  state_->encoder = codec->encoder(state_->type, {});
}
ValueWriter::~ValueWriter() = default;
ValueWriter::ValueWriter(ValueWriter&&) noexcept = default;
ValueWriter& ValueWriter::operator=(ValueWriter&&) noexcept = default;

Value ValueWriter::make() const {
  return state_->type ? Value::of(*state_->type) : Value::structure();
}

ByteView ValueWriter::write(const Value& value) {
  try {
    Value fitted = state_->type ? fit(value, *state_->type) : value;
    state_->encoder->begin(state_->arena);
    visit(fitted, *state_->encoder);
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("{}: {}", state_->topic, error.message()));
  }
  ByteView payload = state_->encoder->end();
  // The payload is valid until the next one is written, when its block goes back to the pool.
  state_->last = state_->arena.release();
  return payload;
}

}  // namespace kitbag
