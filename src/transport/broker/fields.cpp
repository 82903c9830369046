#include "transport/broker/fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <random>

#include "kitbag/escape.h"

// Whoever may publish at the broker can send these fields. So a value that is not as documented
// makes the whole message invalid, and it is counted as left out. To ignore the field alone would
// be worse: a wrong number makes a message a repeat of another one, and a wrong time puts it
// elsewhere.
//
// The fields of a channel are made once. For a message only the values behind `fixed_` are
// replaced:
//
//   channel [topic] [encoding] [type] sender | log-time publish-time sequence number
//                                            fixed_
//
// last_description_fields() relies on the sender being the last one in front of it.

namespace kitbag::broker {
namespace {

template <class Number>
bool take_number(std::string_view text, Number& into, int base = 10) {
  auto parsed = std::from_chars(text.data(), text.data() + text.size(), into, base);
  return parsed.ec == std::errc() && parsed.ptr == text.data() + text.size();
}

/// No sender's clock is before 1970, and formats cannot store it.
bool take_time(std::string_view text, std::optional<Time>& into) {
  std::int64_t ns = 0;
  if (!take_number(text, ns) || ns < 0) return false;
  into = from_ns(ns);
  return true;
}

bool take_text(std::string_view text, std::string& into) {
  into = text;
  return text.size() <= framing::kMostTopicBytes;
}

}  // namespace

const std::vector<const char*> kFieldNames = {
    "kitbag-channel",      kTopicField,       "kitbag-encoding", "kitbag-type", "kitbag-log-time",
    "kitbag-publish-time", "kitbag-sequence", kSenderField,      kNumberField,  kEndField};

void Fields::take(std::string_view name, std::string_view value) {
  bool is_taken = true;
  if (name == "kitbag-channel") {
    is_taken = take_text(value, header.id);
    is_foreign = false;
  } else if (name == kTopicField) {
    is_taken = take_text(value, topic);
  } else if (name == "kitbag-encoding") {
    is_taken = take_text(value, header.encoding);
    is_foreign = false;
  } else if (name == "kitbag-type") {
    header.schema.emplace();
    is_taken = take_text(value, header.schema->name);
    is_foreign = false;
  } else if (name == "kitbag-log-time") {
    is_taken = take_time(value, header.log_time);
  } else if (name == "kitbag-publish-time") {
    is_taken = take_time(value, header.publish_time);
  } else if (name == "kitbag-sequence") {
    is_taken = take_number(value, header.sequence);
  } else if (name == kSenderField) {
    is_taken = take_number(value, header.sender, 16);
  } else if (name == kNumberField) {
    is_taken = take_number(value, header.number);
  } else if (name == kEndField) {
    header.is_end = value == "1";
  }
  is_valid = is_valid && is_taken;
}

SentChannel::SentChannel(const Channel& channel, std::uint64_t sender, bool names_topic)
    : header_(channel), description_fields_{{kTopicField, channel.topic}} {
  fields_.push_back({"kitbag-channel", header_.id()});
  if (names_topic) fields_.push_back({kTopicField, channel.topic});
  // Who has no description is helped by these. The description has them too.
  if (!channel.encoding.empty() && is_plain(channel.encoding)) {
    fields_.push_back({"kitbag-encoding", channel.encoding});
  }
  if (channel.schema && is_plain(channel.type())) {
    fields_.push_back({"kitbag-type", channel.type()});
  }
  fields_.push_back({kSenderField, fmt::format("{:016x}", sender)});
  fixed_ = fields_.size();
  for (const char* name :
       {"kitbag-log-time", "kitbag-publish-time", "kitbag-sequence", kNumberField}) {
    fields_.push_back({name, {}});
  }
}

std::vector<Field> SentChannel::last_description_fields() const {
  std::vector<Field> fields = description_fields_;
  fields.push_back(fields_[fixed_ - 1]);
  fields.push_back({kNumberField, std::to_string(number_)});
  return fields;
}

const std::vector<Field>& SentChannel::fields(const Message& message) {
  fields_[fixed_].value = std::to_string(to_ns(message.log_time));
  fields_[fixed_ + 1].value = std::to_string(to_ns(message.publish_time));
  fields_[fixed_ + 2].value = std::to_string(message.sequence);
  fields_[fixed_ + 3].value = std::to_string(++number_);
  return fields_;
}

std::uint64_t random_sender() {
  std::random_device random;
  // 0 is a sender that does not number its messages.
  return (std::uint64_t{random()} << 32 | random()) | 1;
}

bool is_plain(std::string_view text) {
  // A line break would end a header of NATS. MQTT 5 (1.5.4) lets a broker drop the connection over
  // a control character.
  std::size_t replaced = 0;
  valid_utf8(text, &replaced);
  return replaced == 0 && std::none_of(text.begin(), text.end(), [](char c) {
           return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
         });
}

}  // namespace kitbag::broker
