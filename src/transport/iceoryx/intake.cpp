#include "transport/iceoryx/intake.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

// Each name has a queue of its own, but a recording should have the order of the sender. What was
// taken in one pass over all queues is therefore kept until the next pass: whatever was sent before
// it is in that next pass at the latest. So a message is given on when all that is older than the
// newest one of the pass before has been taken. A queue that gave as much as may be held has more,
// and nothing younger than its last message is given on.
//
// iceoryx counts the messages of each sender, whoever it is, so losses are seen without a header.

namespace kitbag::iceoryx_transport {

namespace {

/// Names that senders that are kitbag have told.
constexpr std::size_t kMostDescribed = 30'000;
constexpr std::int64_t kAlways = std::numeric_limits<std::int64_t>::max();

std::int64_t steady_ns() {
  return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

ByteView payload_of(const iox::mepoo::ChunkHeader& chunk) {
  return {static_cast<const std::byte*>(chunk.userPayload()), chunk.userPayloadSize()};
}

ByteView user_header_of(const iox::mepoo::ChunkHeader& chunk) {
  if (chunk.userHeaderSize() == 0) return {};
  return {static_cast<const std::byte*>(chunk.userHeader()), chunk.userHeaderSize()};
}

HeardPort::HeardPort(std::string topic, iox::popo::SubscriberPortData* data,
                     iox::popo::ConditionVariableData& condition)
    : topic_(std::move(topic)), port_(data) {
  port_.setConditionVariable(condition, 0);
}

HeardPort::~HeardPort() {
  for (const Taken& each : taken_) port_.releaseChunk(each.chunk);
  port_.unsetConditionVariable();
  port_.unsubscribe();
  port_.destroy();
}

bool HeardPort::take(std::int64_t now_ns) {
  while (taken_.size() < kMostTaken) {
    auto chunk = port_.tryGetChunk();
    if (chunk.has_error()) return true;
    auto header = user_header_in(user_header_of(**chunk));
    std::int64_t order_ns = header ? header->sent_ns : now_ns;
    if (!taken_.empty()) order_ns = std::max(order_ns, taken_.back().order_ns);
    taken_.push_back({order_ns, *chunk});
    ++messages;
  }
  return false;
}

bool Intake::describe(HeardPort& port) {
  bool has_ended = false;
  std::string own_prefix = endpoint_.prefix_text();
  port.take(0);
  for (; !port.taken().empty(); port.taken().pop_front()) {
    const auto* chunk = port.taken().front().chunk;
    auto header = user_header_in(user_header_of(*chunk));
    if (header && header->json == framing::kEndHeader) {
      has_ended = has_ended || header->topic == own_prefix;
    } else if (header) {
      for (const Description& each : descriptions_in(payload_of(*chunk))) {
        auto name = name_of(parts_of(header->topic), each.topic);
        if (!name || !topic_of(endpoint_.prefix, *name)) continue;
        note(*name);
        broker::Fields fields;
        fields.topic = each.topic;
        intake_.take(std::string(broker::kChannelsTopic), fields, as_bytes(each.json), nullptr);
      }
    }
    port.release(chunk);
  }
  return has_ended;
}

void Intake::note(const Name& name) {
  std::lock_guard lock(mutex_);
  if (described_.size() < kMostDescribed) described_.insert(name);
}

bool Intake::is_described(const Name& name) const {
  std::lock_guard lock(mutex_);
  return described_.contains(name);
}

bool Intake::take(Ports& ports) {
  std::int64_t now_ns = steady_ns();
  std::int64_t until_ns = 0;  // the newest of the pass before
  std::int64_t bound_ns = kAlways;
  bool is_more = false;
  for (auto& [name, port] : ports) {
    std::size_t before = port->taken().size();
    if (before > 0) until_ns = std::max(until_ns, port->taken().back().order_ns);
    bool is_all = port->take(now_ns);
    if (!is_all) bound_ns = std::min(bound_ns, port->taken().back().order_ns);
    is_more = is_more || !port->taken().empty();
  }
  until_ns = std::min(until_ns, bound_ns);
  // The oldest first.
  auto is_later = [](const HeardPort* a, const HeardPort* b) {
    return a->taken().front().order_ns > b->taken().front().order_ns;
  };
  std::vector<HeardPort*> heap;
  for (auto& [name, port] : ports) {
    if (!port->taken().empty()) heap.push_back(port.get());
  }
  std::make_heap(heap.begin(), heap.end(), is_later);
  while (!heap.empty()) {
    std::pop_heap(heap.begin(), heap.end(), is_later);
    HeardPort* port = heap.back();
    heap.pop_back();
    HeardPort::Taken oldest = port->taken().front();
    if (oldest.order_ns > until_ns) break;
    port->taken().pop_front();
    give(*port, *oldest.chunk);
    port->release(oldest.chunk);
    if (port->taken().empty()) continue;
    heap.push_back(port);
    std::push_heap(heap.begin(), heap.end(), is_later);
  }
  return is_more;
}

void Intake::give(const HeardPort& port, const iox::mepoo::ChunkHeader& chunk) {
  broker::Fields fields;
  if (auto header = user_header_in(user_header_of(chunk))) {
    auto parsed = framing::parse_header(header->json);
    fields.is_valid = parsed.has_value();
    if (parsed) fields.header = std::move(*parsed);
    fields.topic = header->topic;
    fields.is_foreign = false;
  } else if (!endpoint_.encoding.empty() || endpoint_.schema) {
    fields.header.encoding = endpoint_.encoding;
    fields.header.schema = endpoint_.schema;
    fields.is_foreign = false;
  }
  fields.header.is_end = false;
  fields.header.sender = static_cast<std::uint64_t>(chunk.originId());
  fields.header.number = chunk.sequenceNumber() + 1;
  intake_.take(port.topic(), fields, payload_of(chunk), nullptr);
}

}  // namespace kitbag::iceoryx_transport
