#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "capi/handles.h"
#include "kitbag/registry.h"
#include "kitbag/rosbag2.h"
#include "kitbag/text.h"
#include "kitbag/transcode.h"

// A topic of C is a name. A bag may have several channels of one name (publishers, connections);
// they share the topic of the first. Topics are in a deque, since C holds pointers to them while
// more are added, and Topics is shared by bag, iterators and results, any of which may be closed
// first.

namespace {

std::string value_of(const kitbag::Channel& channel, const char* key) {
  auto found = channel.metadata.find(key);
  return found == channel.metadata.end() ? "" : found->second;
}

const char* or_null(const std::string& text) {
  return text.empty() ? nullptr : text.c_str();
}

}  // namespace

kitbag_topic::kitbag_topic(kitbag::ChannelPtr described)
    : channel(std::move(described)),
      md5_sum(value_of(*channel, "md5sum")),
      qos(value_of(*channel, "offered_qos_profiles")),
      header(KITBAG_CONNECTION_HEADER_INIT) {
  header.topic_name = channel->topic.c_str();
  header.topic_type = channel->type().c_str();
  header.message_md5_sum = or_null(md5_sum);
  header.quality_of_service = or_null(qos);
  header.is_latched = kitbag::is_latched(*channel);
  if (!channel->schema) return;
  header.message_definition = or_null(channel->schema->text);
  header.schema_language = or_null(channel->schema->language);
}

namespace kitbag::c {

const kitbag_topic* Topics::of(const ChannelPtr& channel) {
  std::lock_guard lock(mutex_);
  auto found = by_name_.find(channel->topic);
  if (found != by_name_.end()) return found->second;
  return by_name_[channel->topic] = &all_.emplace_back(channel);
}

/// Of two topics of one name, each has its channel; find() gives the first.
kitbag_topic* Topics::add(const ChannelPtr& channel) {
  std::lock_guard lock(mutex_);
  kitbag_topic* topic = &all_.emplace_back(channel);
  by_name_.emplace(channel->topic, topic);
  return topic;
}

kitbag_topic* Topics::find(const std::string& name) {
  std::lock_guard lock(mutex_);
  auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : found->second;
}

std::vector<std::string> Topics::names() const {
  std::lock_guard lock(mutex_);
  std::vector<std::string> names;
  for (const auto& [name, topic] : by_name_) names.push_back(name);
  return names;
}

bool Topics::has(const kitbag_topic* topic) const {
  std::lock_guard lock(mutex_);
  return std::any_of(all_.begin(), all_.end(),
                     [&](const kitbag_topic& each) { return &each == topic; });
}

namespace {

ChannelPtr channel_of(const kitbag_connection_header& header, const std::string& encoding,
                      const kitbag_pair* pairs) {
  auto channel = std::make_shared<Channel>();
  channel->topic = text_of(header.topic_name);
  if (channel->topic.empty()) throw Error(ErrorCode::invalid, "the topic has no name");
  channel->encoding = encoding;
  for (; pairs && pairs->name; ++pairs) channel->metadata[pairs->name] = text_of(pairs->value);
  if (header.message_md5_sum) channel->metadata["md5sum"] = header.message_md5_sum;
  if (header.quality_of_service) {
    // To refuse what no reader would understand; it is stored as it was given.
    rosbag2::parse_qos(header.quality_of_service);
    channel->metadata["offered_qos_profiles"] = header.quality_of_service;
  }
  if (header.is_latched) channel->metadata["latching"] = "1";
  if (!header.topic_type) return channel;
  auto schema = std::make_shared<Schema>();
  schema->name = header.topic_type;
  schema->text = text_of(header.message_definition);
  const Codec* codec = find_codec(session().registry(), encoding);
  if (header.schema_language) {
    schema->language = header.schema_language;
  } else if (codec && header.message_definition) {
    schema->language = codec->language;
  }
  channel->schema = schema;
  const Language* language = find_language(session().registry(), schema->language);
  if (!language || !language->metadata) return channel;
  TypePtr type = type_of(*channel, session());
  // By emplace(), so that what the caller has said stays.
  for (auto& [key, value] : language->metadata(*schema, *type)) {
    channel->metadata.emplace(key, value);
  }
  return channel;
}

[[noreturn]] void throw_unknown(const std::string& name, const kitbag_bag& bag) {
  auto similar = nearest_texts(name, bag.topics->names(), 3);
  throw Error(ErrorCode::not_found,
              fmt::format("no topic \"{}\"{}{}", name,
                          similar.empty() ? "" : "; similar: ", fmt::join(similar, ", ")),
              bag.path);
}

/// A chunk size is one of the whole bag's options, so the bag is begun again.
void give_chunks(kitbag_bag& bag, const std::string& topic, std::uint64_t bytes) {
  if (bag.has_messages) {
    throw Error(ErrorCode::invalid,
                "topics with chunks of their own are created before the first message is written",
                bag.path);
  }
  bag.writing.topic_chunks.push_back({topic, static_cast<std::size_t>(bytes)});
  bag.open_for_writing();
}

}  // namespace

void require_topics(const kitbag_bag& bag, const Selection& select) {
  const Summary& summary = bag.to_read().summary();
  // Nobody knows yet which topics a stream has, and an empty bag need not have any.
  if (summary.is_stream || summary.messages == 0) return;
  for (const std::string& name : select.topics) {
    bool is_glob = name.find_first_of("*?[") != std::string::npos;
    if (!is_glob && !bag.topics->find(name)) throw_unknown(name, bag);
  }
}

}  // namespace kitbag::c

kitbag_code kitbag_create_topic(kitbag_bag* bag, const kitbag_connection_header* header,
                                const char* encoding_id, uint64_t chunk_size, const void* impl_data,
                                kitbag_topic** topic, kitbag_error** error) {
  using namespace kitbag::c;
  return call(error, [&] {
    require(bag, "bag").to_write();
    require(header, "header");
    require(topic, "topic");
    auto known = versioned<kitbag_connection_header>(header, KITBAG_CONNECTION_HEADER_INIT,
                                                     "the connection header");
    auto channel =
        channel_of(known, text_of(encoding_id), static_cast<const kitbag_pair*>(impl_data));
    const kitbag_topic* same = bag->topics->find(channel->topic);
    if (same && same->channel->encoding != channel->encoding) {
      throw kitbag::Error(kitbag::ErrorCode::invalid,
                          "the topic " + channel->topic + " has the encoding \"" +
                              same->channel->encoding + "\"; a topic has one encoding",
                          bag->path);
    }
    if (chunk_size > 0) give_chunks(*bag, channel->topic, chunk_size);
    bag->channels.push_back(channel);
    *topic = bag->topics->add(channel);
    bag->written[*topic] = false;
  });
}

kitbag_code kitbag_open_topic(kitbag_bag* bag, const char* topic_name, kitbag_topic** topic,
                              kitbag_error** error) {
  using namespace kitbag::c;
  return call(error, [&] {
    require(bag, "bag").to_read();
    std::string name = &require(topic_name, "topic_name");
    kitbag_topic* found = bag->topics->find(name);
    if (!found) throw_unknown(name, *bag);
    require(topic, "topic") = found;
  });
}

const char* kitbag_topic_name(const kitbag_topic* topic) {
  return topic ? topic->header.topic_name : "";
}

const char* kitbag_topic_type(const kitbag_topic* topic) {
  return topic ? topic->header.topic_type : "";
}

const char* kitbag_topic_encoding(const kitbag_topic* topic) {
  return topic ? topic->channel->encoding.c_str() : "";
}

const kitbag_connection_header* kitbag_topic_header(const kitbag_topic* topic) {
  return topic ? &topic->header : nullptr;
}
