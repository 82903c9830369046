#include "kitbag/field.h"

#include <fmt/format.h>

#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>

#include "kitbag/error.h"
#include "kitbag/open.h"
#include "model/channel_fields.h"
#include "value/field_decoder.h"

// Two ways to keep what was worked out for a field. field_value() keeps it with the channel, behind
// a mutex, since any thread may ask. A FieldFinder has its own and needs no lock, but has to notice
// when a channel is gone and another one has its address.

namespace kitbag {

namespace {

/// Programs may ask for each element of a list by a path of its own.
constexpr std::size_t kMostReaders = 1024;

/// An error about the channel's messages, with its topic.
Error with_topic(const Error& error, const Channel& channel) {
  const std::string& sentence = error.message();
  if (sentence.starts_with(channel.topic + ":") || sentence.starts_with(channel.topic + " at ")) {
    return error;
  }
  return {error.code(), fmt::format("{}: {}", channel.topic, sentence)};
}

Value read(FieldDecoder& decoder, const Message& message, TimeForm form) {
  return form == TimeForm::nanoseconds ? decoder.read(message) : decoder.read_whole(message);
}

/// That which opened the bag, or one with the built-in parts.
Session session_for(const Channel& channel) {
  auto known = session_of(channel);
  if (!known) {
    known = Session(standard_registry());
    set_session(channel, *known);
  }
  return *known;
}

/// With `state.mutex` held.
FieldDecoder& decoder_in(ChannelFields::State& state, const Channel& channel,
                         std::string_view path) {
  auto found = state.readers.find(path);
  if (found == state.readers.end()) {
    Session session = session_for(channel);
    if (!state.values) state.values = std::make_shared<ValueReader>(session);
    auto values = std::static_pointer_cast<ValueReader>(state.values);
    auto made = std::make_shared<FieldDecoder>(channel, std::string(path), session, values);
    // All of them: a path that is asked for again costs one compilation.
    if (state.readers.size() >= kMostReaders) state.readers.clear();
    found = state.readers.emplace(path, std::move(made)).first;
  }
  return *static_cast<FieldDecoder*>(found->second.get());
}

}  // namespace

Value field_value(const Message& message, std::string_view path, TimeForm form) {
  const Channel& channel = *message.channel;
  ChannelFields::State& state = channel.fields.state();
  std::lock_guard lock(state.mutex);
  try {
    return read(decoder_in(state, channel, path), message, form);
  } catch (const Error& error) {
    throw with_topic(error, channel);
  }
}

void throw_for_field(const Error& error, const Message& message, std::string_view path) {
  const std::string& topic = message.channel->topic;
  throw Error(error.code(), path.empty() ? fmt::format("{}: {}", topic, error.message())
                                         : fmt::format("{}: {}: {}", topic, path, error.message()));
}

struct FieldFinder::State {
  struct Known {
    std::weak_ptr<const bool> life;  ///< of the channel
    std::unique_ptr<FieldDecoder> decoder;
  };

  FieldDecoder& decoder_of(const Channel& channel, const std::string& path) {
    if (last == &channel && !last_known->life.expired()) return *last_known->decoder;
    Known& known = channels[&channel];
    if (known.life.expired()) known = make(channel, path);
    last = &channel;
    last_known = &known;
    return *known.decoder;
  }

  Known make(const Channel& channel, const std::string& path) const {
    Session used = session ? *session : session_for(channel);
    auto values = std::make_shared<ValueReader>(used);
    return {channel.fields.state().life,
            std::make_unique<FieldDecoder>(channel, path, used, std::move(values))};
  }

  std::optional<Session> session;
  std::unordered_map<const Channel*, Known> channels = {};
  const Channel* last = nullptr;
  Known* last_known = nullptr;
};

FieldFinder::FieldFinder(std::string path)
    : path_(std::move(path)), state_(new State{std::nullopt}) {}
FieldFinder::FieldFinder(std::string path, Session session)
    : path_(std::move(path)), state_(new State{std::move(session)}) {}
FieldFinder::~FieldFinder() = default;
FieldFinder::FieldFinder(FieldFinder&&) noexcept = default;
FieldFinder& FieldFinder::operator=(FieldFinder&&) noexcept = default;

Value FieldFinder::find(const Message& message, TimeForm form) {
  try {
    return read(state_->decoder_of(*message.channel, path_), message, form);
  } catch (const Error& error) {
    throw with_topic(error, *message.channel);
  }
}

}  // namespace kitbag
