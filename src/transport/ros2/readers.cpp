#include "transport/ros2/readers.h"

#include <utility>

#include "transport/ros2/warn.h"

// Publishers of one topic may offer different qualities. Each is heard by a reader that asks for
// just what it offers, so a topic may have several readers; a sample counts where its publisher
// belongs. But a node whose publisher offers less than a reader asks for warns of that reader. So
// reliable publishers are heard as best-effort ones where there are such on the topic, until one of
// their messages is missing.

namespace kitbag::ros2 {

namespace {

/// What a publisher that offers `offer` is asked for.
Offer heard_as(const Topic& topic, const Offer& offer) {
  if (!offer.is_reliable || offer.is_transient_local) return offer;
  Offer lesser = offer;
  lesser.is_reliable = false;
  return topic.offers.contains(lesser) ? lesser : offer;
}

}  // namespace

Topic& Readers::topic_of(const TopicName& name, bool is_keyed, const std::string& type_hash) {
  for (Topic& topic : topics_) {
    if (topic.name == name && topic.is_keyed == is_keyed) return topic;
  }
  std::string on_wire = name.is_ros ? dds_topic(name.topic) : name.topic;
  std::string type = name.is_ros ? dds_type(name.type) : name.type;
  RawTopic raw = RawTopic::make(participant_.get(), on_wire, type, is_keyed, participant_.clock());
  Topic& topic = topics_.emplace_back();
  topic.name = name;
  topic.is_keyed = is_keyed;
  topic.raw = std::move(raw);
  topic.type_hash = type_hash;
  auto wanted = settings_.qos.find(name.topic);
  if (wanted != settings_.qos.end()) {
    topic.has_override = true;
    add_reader(topic, {}, reader_qos(wanted->second));
  }
  return topic;
}

/// Existing readers may have been made before the hash was known.
void Readers::learn_type_hash(Topic& topic, const std::string& type_hash) {
  if (!topic.type_hash.empty() || type_hash.empty()) return;
  topic.type_hash = type_hash;
  Qos qos(dds_create_qos());
  set_user_data(qos.get(), endpoint_user_data(type_hash));
  for (const Reader& reader : topic.readers) dds_set_qos(reader.entity.get(), qos.get());
}

Reader& Readers::hear(Topic& topic, const Offer& offer) {
  topic.offers.insert(offer);
  return reader_for(topic, heard_as(topic, offer));
}

Reader& Readers::reader_for(Topic& topic, const Offer& offer) {
  for (Reader& reader : topic.readers) {
    if (topic.has_override || reader.offer == offer) return reader;
  }
  return add_reader(topic, offer, reader_qos(offer));
}

void Readers::hear_anybody(Topic& topic) {
  if (!topic.readers.empty()) return;
  Offer least;
  least.is_reliable = false;
  add_reader(topic, least, reader_qos(least));
}

Reader& Readers::add_reader(Topic& topic, const Offer& offer, const Qos& qos) {
  if (topic.name.is_ros) {
    std::string hash = topic.type_hash.empty() ? type_hashes_.of(topic.name.type) : topic.type_hash;
    set_user_data(qos.get(), endpoint_user_data(hash));
  }
  // Made first: if that fails, watch() must not meet a reader without it.
  Entity entity(dds_create_reader(participant_.get(), topic.raw.entity.get(), qos.get(), nullptr),
                "reader of " + topic.name.topic);
  Reader& reader = topic.readers.emplace_back();
  reader.topic = &topic;
  reader.offer = offer;
  reader.entity = std::move(entity);
  participant_.add_reader(reader.entity);
  if (topic.channel) reader.has_samples = wait_set_.watch(reader.entity);
  return reader;
}

void Readers::watch(Topic& topic) const {
  for (Reader& reader : topic.readers) {
    if (!reader.has_samples) reader.has_samples = wait_set_.watch(reader.entity);
  }
}

void Readers::tell_mismatches() const {
  for (const Topic& topic : topics_) {
    if (!topic.has_override) continue;
    for (const Reader& reader : topic.readers) tell_mismatches(reader);
  }
}

void Readers::tell_mismatches(const Reader& reader) const {
  dds_requested_incompatible_qos_status_t status{};
  if (dds_get_requested_incompatible_qos_status(reader.entity.get(), &status) != DDS_RETCODE_OK ||
      status.total_count_change == 0) {
    return;
  }
  warn(on_warning_,
       "a publisher offers a lower quality of service than is requested: " +
           policy_name(status.last_policy_id) + "; its messages are not received",
       reader.topic->name.topic);
}

}  // namespace kitbag::ros2
