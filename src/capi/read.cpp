#include "capi/read.h"

#include <fmt/format.h>

#include <utility>

#include "kitbag/fields.h"

// With a condition, `nth` and `count` count the messages that meet it, so they are taken out of the
// query and applied behind the stage. Without one, the bag skips by its index.
//
// What lives how long: an iterator has one batch, and what it gave points into it until the next
// call. kitbag_messages keeps all batches; one that pins more than twice its payload is copied
// together first, as it may be kept for long.
//
// Slots are translated to topics once for each slot, not for each message.

namespace kitbag::c {

namespace {

Order order_of(kitbag_order order) {
  switch (order) {
    case KITBAG_BY_TIME:
      return Order::time;
    case KITBAG_BY_TIME_REVERSE:
      return Order::reverse_time;
    case KITBAG_BY_FILE:
      return Order::file;
  }
  throw Error(ErrorCode::invalid, "the order is not one of kitbag_order");
}

}  // namespace

Wanted::Wanted(const kitbag_query* given, kitbag_order order) {
  auto known = versioned<kitbag_query>(given, KITBAG_QUERY_INIT, "the query");
  for (std::size_t i = 0; i < known.topic_count; ++i) {
    const char* topic = (&require(known.topics, "topics of the query"))[i];
    query.select.topics.emplace_back(&require(topic, "a topic of the query"));
  }
  query.begin = from_ns(known.start);
  query.end = known.end == INT64_MAX ? Time::max() : from_ns(known.end);
  query.order = order_of(order);
  query.nth = known.nth;
  query.count = known.count;
  query.latched_before = known.latched_before;
  where = text_of(known.where);
  max_bytes = known.max_bytes;
}

std::unique_ptr<Source> read(const kitbag_bag& bag, const Wanted& wanted) {
  require_topics(bag, wanted.query.select);
  if (wanted.where.empty()) return bag.to_read().read(wanted.query);
  Query all = wanted.query;
  all.nth = 0;
  all.count = UINT64_MAX;
  auto stage = kitbag::where(wanted.where, OnError::stop, nullptr, session());
  auto source = bag.to_read().read(all);
  require_condition(wanted.where, *source->channels(), session());
  return slice(through(std::move(source), std::move(stage)), wanted.query.nth, wanted.query.count);
}

MessageReader::MessageReader(const kitbag_bag& bag, const Wanted& wanted)
    : source_(c::read(bag, wanted)),
      topics_(bag.topics),
      values_(std::make_shared<ValueReader>(session())),
      max_bytes_(wanted.max_bytes) {}

bool MessageReader::read(Batch& batch, const Wait& wait) {
  batch.clear();
  while (source_->read(batch, wait)) {
    const Channels& channels = *batch.channels;
    for (std::size_t slot = topic_of_slot_.size(); slot < channels.size(); ++slot) {
      topic_of_slot_.push_back(channels[slot] ? topics_->of(channels[slot]) : nullptr);
    }
    if (!batch.empty()) return true;
    if (wait.stop.stop_requested()) return false;
    batch.clear();
  }
  return false;
}

kitbag_serialized_data MessageReader::data_of(const Message& message) const {
  return {reinterpret_cast<const std::uint8_t*>(message.data.data()),
          message.data.size(),
          topic_of_slot_[message.channel->slot],
          to_ns(message.log_time),
          to_ns(message.publish_time),
          message.sequence,
          (message.flags & kState) != 0};
}

kitbag_value MessageReader::decode(const Message& message) {
  return {values_->read(message), values_};
}

std::unique_ptr<kitbag_messages> read_all(const kitbag_bag& bag, const kitbag_query* query,
                                          kitbag_order order, bool is_decoded) {
  MessageReader reader(bag, Wanted(query, order));
  auto all = std::make_unique<kitbag_messages>();
  all->topics = bag.topics;
  std::uint64_t bytes = 0;
  for (Batch batch; reader.read(batch); batch = Batch()) {
    bytes += batch.payload();
    if (bytes > reader.max_bytes()) {
      throw Error(ErrorCode::limit,
                  fmt::format("the messages take more than {} bytes; read them with an iterator, "
                              "or set kitbag_query::max_bytes",
                              reader.max_bytes()),
                  bag.path);
    }
    if (batch.pinned() > 2 * batch.payload()) batch.compact();
    for (const Message& message : std::as_const(batch).messages()) {
      all->data.push_back(reader.data_of(message));
      if (is_decoded) all->values.push_back(reader.decode(message));
    }
    all->batches.push_back(std::move(batch));
  }
  return all;
}

}  // namespace kitbag::c

const kitbag::Message* kitbag_iterator::next(const kitbag_topic* topic) {
  for (;;) {
    if (at == batch.messages().size()) {
      at = 0;
      if (!messages.read(batch)) return nullptr;
    }
    const kitbag::Message& message = batch.messages()[at++];
    if (!topic || message.channel->topic == topic->header.topic_name) return &message;
  }
}
