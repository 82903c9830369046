#include "transport/broker/publisher.h"

#include <fmt/format.h>

#include <utility>

// What does not depend on the broker is here; a derived class sends, in submit(), which may wait:
//
//   send(batch)    declare    a name at the broker for each new channel
//                  describe   if the channel was not described in this round, or too long ago
//                  submit     the message
//   send_end()     describe   each channel that had messages, with their number
//                  submit     the end
//
// A description is sent only in front of a message of its channel, so a channel that is silent
// costs nothing. describe_anew() only begins a new round. So a thread of the library may call it at
// any time; send() notices at the next message of each channel.
//
// A topic that can have no name at the broker is reported and left out; the others go on.

namespace kitbag::broker {

BrokerPublisher::Sent::Sent(const Channel& of, std::uint64_t sender, bool names_topic)
    : topic(of.topic), channel(of, sender, names_topic), is_latched(kitbag::is_latched(of)) {}

BrokerPublisher::BrokerPublisher(std::string peer, std::string shown, Naming naming,
                                 std::optional<Duration> describe_again, const Publication& how,
                                 const Session& session)
    : peer_(std::move(peer)),
      shown_(std::move(shown)),
      naming_(std::move(naming)),
      describe_again_(describe_again),
      how_(how),
      clock_(session.clock()) {}

void BrokerPublisher::send(const Batch& batch) {
  for (const auto& channel : batch.channels ? *batch.channels : Channels()) declare(channel);
  for (const Message& message : batch.messages()) send(message);
}

void BrokerPublisher::declare(const ChannelPtr& channel) {
  if (!channel) return;
  if (channels_.size() <= channel->slot) channels_.resize(channel->slot + 1);
  auto& sent = channels_[channel->slot];
  if (sent) return;
  // Receivers know the topic by the name below the prefix, whatever the prefix is.
  std::string below = naming_.name_of("", channel->topic);
  sent.emplace(*channel, sender_, naming_.topic_of("", below) != channel->topic);
  if (!below.empty()) sent->name = naming_.name_of(naming_.prefix, channel->topic);
  if (sent->name.empty()) leave_out(*sent, naming_.rule);
}

void BrokerPublisher::send(const Message& message) {
  Sent& sent = *channels_[message.channel->slot];
  if (sent.name.empty()) {
    ++left_out_;
    return;
  }
  bool is_due = sent.described_in != round_ ||
                (describe_again_ && clock().steady() - sent.described_at >= *describe_again_);
  if (is_due) describe(sent);
  submit({Kind::message, sent.name, message.data, sent.channel.fields(message), &sent});
}

void BrokerPublisher::describe(Sent& sent) {
  describe(sent, sent.channel.description_fields());
}

void BrokerPublisher::describe(Sent& sent, const std::vector<Field>& fields) {
  // Before submit(), which may wait for a connection: if a new round begins meanwhile, the channel
  // is described once more.
  sent.described_in = round_;
  sent.described_at = clock().steady();
  std::string name =
      naming_.name_of(naming_.prefix, std::string(kChannelsTopic) + sent.channel.id());
  submit({Kind::description, name, as_bytes(sent.channel.description()), fields, &sent});
}

void BrokerPublisher::send_end() {
  for (auto& sent : channels_) {
    if (sent && sent->channel.messages() > 0) {
      describe(*sent, sent->channel.last_description_fields());
    }
  }
  std::string name = naming_.name_of(naming_.prefix, kEndTopic);
  std::vector<Field> fields = {{kEndField, "1"}};
  submit({Kind::end, name, {}, fields});
}

SteadyTime BrokerPublisher::patience_end() const {
  return is_closed_ ? clock().steady() + kPatience : kNever;
}

void BrokerPublisher::report(std::uint64_t refused, const std::string& why) const {
  if (refused > 0) {
    throw Error(ErrorCode::io,
                fmt::format("the {} has refused {} messages: {}", peer_, refused, why), shown_);
  }
  if (left_out_ > 0) {
    warn(ErrorCode::unsupported, fmt::format("{} messages were left out", left_out_));
  }
}

void BrokerPublisher::leave_out(Sent& sent, const std::string& why) {
  if (std::exchange(sent.is_left_out, true)) return;
  warn(ErrorCode::unsupported, fmt::format("{}: left out; {}", sent.topic, why));
}

void BrokerPublisher::leave_out_message(Sent& sent, const std::string& why) {
  ++left_out_;
  leave_out(sent, why + "; further ones are counted");
}

void BrokerPublisher::warn(ErrorCode code, const std::string& what) const {
  if (how_.on_warning) how_.on_warning(Error(code, what, shown_));
}

void BrokerPublisher::warn_lost(const Error& error) const {
  warn(error.code(), error.message() + "; trying again until it succeeds");
}

Error BrokerPublisher::stopped(std::size_t messages) const {
  std::string what = fmt::format("stopped while waiting for the {}", peer_);
  if (messages > 0) {
    what += fmt::format("; it has not acknowledged the last {} messages", messages);
  }
  return {ErrorCode::cancelled, what, shown_};
}

Error BrokerPublisher::not_acknowledged(std::size_t messages) const {
  return {ErrorCode::io,
          fmt::format("the {} has not acknowledged the last {} messages", peer_, messages), shown_};
}

}  // namespace kitbag::broker
