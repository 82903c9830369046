#include <algorithm>
#include <array>
#include <utility>

#include "capi/handles.h"
#include "capi/read.h"

// An append takes the payload in the call, so the caller's memory is free afterwards. Which topics
// may be written is checked by a table of the bag: a topic of another bag would otherwise pass for
// one of this.
//
// An encoder is made for each topic when its first value is written, and kept: it resolves the type
// once.

using kitbag::Error;
using kitbag::ErrorCode;

namespace kitbag::c {

namespace {

/// Appends a payload; `topic` must be one that was created for the bag.
void append(kitbag_bag& bag, const kitbag_topic* topic, std::int64_t time, const void* impl_data,
            ByteView payload) {
  auto known = bag.written.find(topic);
  if (known == bag.written.end()) {
    throw Error(ErrorCode::invalid, "the topic was not created with this bag", bag.path);
  }
  // Without a stamp of the caller, both times are the same.
  kitbag_stamp unpublished = KITBAG_STAMP_INIT;
  unpublished.time_published = time;
  auto stamp = versioned<kitbag_stamp>(impl_data, unpublished, "impl_data");
  std::array pieces = {payload};
  bag.to_write().append(topic->channel,
                        {from_ns(time), from_ns(stamp.time_published), stamp.sequence}, pieces);
  known->second = true;
  bag.has_messages = true;
}

ValueWriter& encoder_of(kitbag_bag& bag, const kitbag_topic* topic) {
  auto known = bag.encoders.find(topic);
  if (known != bag.encoders.end()) return known->second;
  return bag.encoders.emplace(topic, ValueWriter(*topic->channel, session())).first->second;
}

}  // namespace

}  // namespace kitbag::c

kitbag_code kitbag_write_serialized(kitbag_bag* bag, const kitbag_topic* topic,
                                    int64_t time_received, const kitbag_serialized_data* data,
                                    const void* impl_data, kitbag_error** error) {
  using namespace kitbag::c;
  return call(error, [&] {
    require(bag, "bag").to_write();
    require(data, "data");
    if (data->size > 0) require(data->payload, "the payload");
    kitbag::ByteView payload(reinterpret_cast<const std::byte*>(data->payload),
                             static_cast<std::size_t>(data->size));
    append(*bag, &require(topic, "topic"), time_received, impl_data, payload);
  });
}

kitbag_code kitbag_write(kitbag_bag* bag, const kitbag_topic* topic, int64_t time_received,
                         const kitbag_value* message, const void* impl_data, kitbag_error** error) {
  using namespace kitbag::c;
  return call(error, [&] {
    require(bag, "bag").to_write();
    require(message, "message");
    kitbag::ByteView payload = encoder_of(*bag, &require(topic, "topic")).write(message->value);
    append(*bag, topic, time_received, impl_data, payload);
  });
}

kitbag_code kitbag_create_iterator(kitbag_bag* bag, const kitbag_query* query, kitbag_order order,
                                   kitbag_iterator** iterator, kitbag_error** error) {
  using namespace kitbag::c;
  return call(error, [&] {
    require(iterator, "iterator");
    *iterator = std::make_unique<kitbag_iterator>(require(bag, "bag"), query, order).release();
  });
}

void kitbag_close_iterator(kitbag_iterator* iterator) {
  kitbag::c::call(nullptr, [&] { delete iterator; });
}

kitbag_code kitbag_read_next_serialized(kitbag_iterator* iterator, const kitbag_topic* topic,
                                        const void* /*impl_data*/, kitbag_serialized_data* data,
                                        kitbag_error** error) {
  using namespace kitbag::c;
  return call(error, [&] {
    const kitbag::Message* message = require(iterator, "iterator").next(topic);
    if (!message) return KITBAG_END;
    require(data, "data") = iterator->messages.data_of(*message);
    return KITBAG_OK;
  });
}

kitbag_code kitbag_read_next(kitbag_iterator* iterator, const kitbag_topic* topic,
                             const void* /*impl_data*/, const kitbag_value** message,
                             kitbag_serialized_data* data, kitbag_error** error) {
  using namespace kitbag::c;
  return call(error, [&] {
    const kitbag::Message* next = require(iterator, "iterator").next(topic);
    if (!next) return KITBAG_END;
    require(message, "message");
    iterator->value.emplace(iterator->messages.decode(*next));
    *message = &*iterator->value;
    if (data) *data = iterator->messages.data_of(*next);
    return KITBAG_OK;
  });
}

kitbag_code kitbag_read_serialized(kitbag_bag* bag, const kitbag_query* query, kitbag_order order,
                                   const void* /*impl_data*/, kitbag_messages** messages,
                                   kitbag_error** error) {
  using namespace kitbag::c;
  return call(error, [&] {
    require(messages, "messages") = read_all(require(bag, "bag"), query, order, false).release();
  });
}

kitbag_code kitbag_read(kitbag_bag* bag, const kitbag_query* query, kitbag_order order,
                        const void* /*impl_data*/, kitbag_messages** messages,
                        kitbag_error** error) {
  using namespace kitbag::c;
  return call(error, [&] {
    require(messages, "messages") = read_all(require(bag, "bag"), query, order, true).release();
  });
}

size_t kitbag_messages_count(const kitbag_messages* messages) {
  return messages ? messages->data.size() : 0;
}

const kitbag_serialized_data* kitbag_messages_data(const kitbag_messages* messages, size_t index) {
  return index < kitbag_messages_count(messages) ? &messages->data[index] : nullptr;
}

const kitbag_value* kitbag_messages_value(const kitbag_messages* messages, size_t index) {
  return messages && index < messages->values.size() ? &messages->values[index] : nullptr;
}

void kitbag_messages_free(kitbag_messages* messages) {
  delete messages;
}

kitbag_code kitbag_create_message(const kitbag_topic* topic, kitbag_value** message,
                                  kitbag_error** error) {
  using namespace kitbag::c;
  return call(error, [&] {
    require(message, "message");
    kitbag::TypePtr type = kitbag::type_of(*require(topic, "topic").channel, session());
    auto value = type ? kitbag::Value::of(*type) : kitbag::Value::structure();
    *message = std::make_unique<kitbag_value>(std::move(value), type).release();
  });
}
