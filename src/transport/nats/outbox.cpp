#include "transport/nats/outbox.h"

#include <utility>

//   number     first_                              next()
//   messages_  [waits] [confirmed] [waits] [waits]
//
// Confirmations come in any order. A confirmed message is freed at once, but its entry stays until
// all in front of it are confirmed. So a number leads to its entry by a subtraction.

namespace kitbag::nats {

void Outbox::add(NatsMessage message, std::size_t bytes) {
  messages_.push_back({std::move(message), bytes});
  bytes_ += bytes;
  ++unconfirmed_;
}

bool Outbox::confirm(std::uint64_t number) {
  if (number < first_ || number - first_ >= messages_.size()) return false;
  Entry& entry = messages_[number - first_];
  if (!entry.message) return false;
  entry.message.reset();
  bytes_ -= entry.bytes;
  --unconfirmed_;
  while (!messages_.empty() && !messages_.front().message) {
    messages_.pop_front();
    ++first_;
  }
  return true;
}

void Outbox::confirm_all() {
  first_ += messages_.size();
  messages_.clear();
  unconfirmed_ = 0;
  bytes_ = 0;
}

void Outbox::each(const std::function<bool(natsMsg* message)>& send) const {
  for (const Entry& entry : messages_) {
    if (entry.message && !send(entry.message.get())) return;
  }
}

}  // namespace kitbag::nats
