#include "kitbag/bag.h"

#include <utility>

#include "kitbag/selector.h"
#include "model/backward_walk.h"
#include "model/state_before.h"

namespace kitbag {

Messages::Iterator Messages::begin() {
  Iterator first;
  first.owner_ = this;
  next_batch(first);
  return first;
}

/// Batches may be without messages: a source gives them to declare channels.
void Messages::next_batch(Iterator& iterator) {
  do {
    batch_.clear();
    if (!source_->read(batch_, Wait{})) {
      iterator.at_ = iterator.end_ = nullptr;
      return;
    }
  } while (batch_.empty());
  auto messages = std::as_const(batch_).messages();
  iterator.at_ = messages.data();
  iterator.end_ = messages.data() + messages.size();
}

std::unique_ptr<Source> Bag::read(const Query& query, const Wait& wait) const {
  if (!query.latched_before) return read_messages(query, wait);
  if (query.order != Order::time) {
    throw Error(ErrorCode::invalid, "latched messages from before the start require time order");
  }
  return read_with_state(*this, query, wait);
}

Batch Bag::last_before(Time time, const Selection& select, const Wait& wait) const {
  Selector selector(select);
  LastQuery query;
  query.time = time;
  for (const ChannelPtr& channel : *channels()) {
    query.slots.push_back(channel && selector.matches(*channel) ? 1 : 0);
  }
  return find_last(query, wait);
}

Batch Bag::find_last(const LastQuery& query, const Wait& wait) const {
  // A walk that remembers nothing. Formats that are asked again and again keep one.
  return BackwardWalk().find_last(*this, query, wait);
}

Messages Bag::messages() const {
  return Messages(read());
}

Messages Bag::messages(const Query& query) const {
  return Messages(read(query));
}

Messages Bag::messages(const Selection& select) const {
  return messages(Query{.select = select});
}

}  // namespace kitbag
