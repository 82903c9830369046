#include "transport/broker/intake.h"

#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>

#include <optional>
#include <utility>

#include "kitbag/escape.h"

// The first payload of a topic decides for all: a bag holds one encoding a topic, and what is not
// JSON among JSON is better stored as it is than left out.

namespace kitbag::broker {
namespace {

/// Beyond these the question is asked for each payload, so that ever new names do not fill the
/// memory.
constexpr std::size_t kMostTopics = 30'000;
/// A larger payload is not looked at.
constexpr std::size_t kMostJsonBytes = 16 << 20;

bool is_json_text(ByteView payload) {
  if (payload.empty() || payload.size() > kMostJsonBytes) return false;
  std::string_view text = as_text(payload);
  rapidjson::MemoryStream bytes(text.data(), text.size());
  rapidjson::BaseReaderHandler<> nothing;
  rapidjson::Reader reader;
  constexpr unsigned kFlags =
      rapidjson::kParseIterativeFlag | rapidjson::kParseValidateEncodingFlag;
  return !reader.Parse<kFlags>(bytes, nothing).IsError();
}

}  // namespace

bool Intake::is_json(const std::string& topic, ByteView payload) {
  auto known = json_topics_.find(topic);
  if (known != json_topics_.end()) return known->second;
  bool is_json = is_json_text(payload);
  if (json_topics_.size() < kMostTopics) json_topics_.emplace(topic, is_json);
  return is_json;
}

bool Intake::take(std::string topic, Fields& fields, ByteView payload,
                  const framing::Receiver::Lend& lend) {
  using Kind = framing::Parsed::Kind;
  if (!fields.is_valid) {
    receiver_.leave_out(framing::Fault::field);
    return false;
  }
  if (fields.header.is_end && topic == kEndTopic) return true;
  framing::Parsed parsed;
  parsed.kind = Kind::message;
  // A description has its topic in a field. What has none is a message of somebody who uses such
  // names.
  if (topic.starts_with(kChannelsTopic) && !fields.topic.empty()) {
    if (payload.empty()) return false;  // it was withdrawn
    std::optional<framing::Header> header;
    if (payload.size() <= framing::kMostHeaderBytes) {
      header = framing::parse_header(as_text(payload));
    }
    if (!header) {
      receiver_.leave_out(framing::Fault::header);
      return false;
    }
    parsed.kind = Kind::description;
    parsed.header = std::move(*header);
    // A last description has these: they say how many messages the channel had (fields.h).
    parsed.header.sender = fields.header.sender;
    parsed.header.number = fields.header.number;
  } else {
    parsed.header = std::move(fields.header);
    parsed.payload = payload;
  }
  if (!fields.topic.empty()) topic = std::move(fields.topic);
  std::size_t replaced = 0;
  if (topic.size() <= framing::kMostTopicBytes) valid_utf8(topic, &replaced);
  if (topic.size() > framing::kMostTopicBytes || replaced > 0) {
    receiver_.leave_out(replaced > 0 ? framing::Fault::utf8 : framing::Fault::topic);
    return false;
  }
  if (fields.is_foreign && parsed.kind == Kind::message && is_json(topic, payload)) {
    parsed.header.encoding = "json";
  }
  parsed.topic = topic;
  receiver_.take(parsed, lend);
  return false;
}

}  // namespace kitbag::broker
