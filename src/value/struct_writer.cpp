#include "kitbag/struct_writer.h"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "kitbag/error.h"
#include "kitbag/registry.h"
#include "kitbag/transcode.h"

// A struct becomes messages through the text of a definition:
//
//     description of the struct -> type -> adapted to the language -> text -> type -> encoder
//
// The text is parsed again and the encoder made for what came out, so a payload is what readers of
// the bag will take it for, whatever printing and parsing have changed. This is done once for a
// topic; a message then goes from the struct straight into the encoder.
//
// `identity` is the same for all calls with one struct. A second struct on a topic is refused, even
// one with equal fields: nobody compares descriptions.

namespace kitbag {

ChannelPtr channel_for(const std::string& topic, const std::string& encoding, const TypePtr& type,
                       const Session& session) {
  const Codec* codec = find_codec(session.registry(), encoding);
  if (!codec) throw Error(ErrorCode::invalid, fmt::format("unknown encoding \"{}\"", encoding));
  const Language* language = find_language(session.registry(), codec->language);
  if (!language || !language->print) {
    throw Error(ErrorCode::unsupported,
                fmt::format("definitions for {} cannot be written", encoding));
  }
  auto channel = std::make_shared<Channel>();
  channel->topic = topic;
  channel->encoding = encoding;
  try {
    TypePtr adapted = language->adapt ? language->adapt(*type) : type;
    Schema schema = language->print(*adapted);
    if (language->metadata) channel->metadata = language->metadata(schema, *adapted);
    channel->schema = std::make_shared<const Schema>(std::move(schema));
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("{}: {}", topic, error.message()));
  }
  return channel;
}

/// A topic that has messages.
struct StructWriter::Topic {
  ChannelPtr channel;
  const void* identity;  ///< of the struct
  TypePtr type;
  std::unique_ptr<Encoder> encoder;
};

struct StructWriter::State {
  std::unique_ptr<Writer> writer;
  std::string encoding;
  Session session;
  std::map<std::string, Topic> topics = {};
  Arena arena = {};
};

StructWriter::StructWriter(std::unique_ptr<Writer> writer, std::string encoding, Session session)
    : state_(new State{std::move(writer), std::move(encoding), std::move(session)}) {}
StructWriter::~StructWriter() = default;
StructWriter::StructWriter(StructWriter&&) noexcept = default;
StructWriter& StructWriter::operator=(StructWriter&&) noexcept = default;

StructWriter::Topic& StructWriter::find(const std::string& name, const void* identity,
                                        TypePtr (*type)()) {
  auto found = state_->topics.find(name);
  if (found != state_->topics.end()) {
    if (found->second.identity == identity) return found->second;
    throw Error(ErrorCode::invalid, fmt::format("{} has messages of another struct", name));
  }
  ChannelPtr channel = channel_for(name, state_->encoding, type(), state_->session);
  // As a reader will understand the definition.
  TypePtr read = kitbag::type_of(*channel, state_->session);
  auto encoder = find_codec(state_->session.registry(), state_->encoding)->encoder(read, {});
  Topic topic{std::move(channel), identity, std::move(read), std::move(encoder)};
  return state_->topics.emplace(name, std::move(topic)).first->second;
}

const Type& StructWriter::type_of(const Topic& topic) {
  return *topic.type;
}

Visitor& StructWriter::begin(Topic& topic) {
  topic.encoder->begin(state_->arena);
  return *topic.encoder;
}

void StructWriter::end(Topic& topic, const Stamp& stamp) {
  ByteView payload = topic.encoder->end();
  state_->writer->append(topic.channel, stamp, {&payload, 1});
  state_->arena.release();
}

Writer& StructWriter::writer() {
  return *state_->writer;
}

void StructWriter::close() {
  state_->writer->close();
}

}  // namespace kitbag
