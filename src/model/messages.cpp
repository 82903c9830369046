#include "kitbag/messages.h"

#include <utility>

#include "kitbag/bag.h"

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
