#include "transport/framing/receiver.h"

#include <fmt/format.h>

#include <utility>

// What one sender sends comes in order, but a subscriber joins in the middle, and two
// pullers share one stream: the description of a channel may have gone to the other one. The sender
// repeats it every second, so two seconds are usually enough.
//
//   known id, or no id     pushed at once
//   unknown id             held, in the order of arrival, and listed under its topic and id
//   its description comes  all that wait under it are pushed
//   2 s, or 16 MiB held    the oldest is pushed on the channel of its own header, which names the
//                          encoding and the type, but has no definition
//
// Held messages come later than others that arrived after them; their log time is that of their
// arrival. Payloads from kLendBytes on stay in the memory of a transport that lends them and are
// not copied; while they are held they count in full.

namespace kitbag::framing {

namespace {

/// What a held message takes beside its texts and payload, roughly.
constexpr std::size_t kHeldBytes = 512;

std::size_t bytes_of(const Header& header) {
  std::size_t bytes = header.id.size() + header.encoding.size();
  if (header.schema) {
    bytes +=
        header.schema->name.size() + header.schema->language.size() + header.schema->text.size();
  }
  for (const auto& [key, value] : header.metadata) {
    bytes += kMetadataBytes + key.size() + value.size();
  }
  return bytes;
}

/// Of what waits for the description of `id` on `topic`.
std::string waiting_key(std::string_view topic, std::string_view id) {
  std::string key(topic);
  return key.append(1, '\0').append(id);
}

constexpr std::string_view kNoRoomText =
    "there are too many channels; the limit is 30,000, with 64 MiB of descriptions";

std::string_view text_of(std::size_t why) {
  return why < kFaults ? describe(static_cast<Fault>(why)) : kNoRoomText;
}

}  // namespace

Receiver::Receiver(const Subscription& wanted, std::string from, bool keeps_time,
                   const Session& session, Feed& feed, const ReceiverLimits& limits)
    : selector_(wanted.select),
      on_warning_(wanted.on_warning),
      from_(std::move(from)),
      keeps_time_(keeps_time),
      session_(session),
      feed_(feed),
      limits_(limits),
      book_(limits.channels) {}

bool Receiver::take(std::span<const ByteView> frames, const Lend& lend) {
  auto result = parse_frames(frames);
  if (const auto* fault = std::get_if<Fault>(&result)) {
    leave_out(*fault);
    return false;
  }
  return take(std::get<Parsed>(result), lend);
}

bool Receiver::take(Parsed& parsed, const Lend& lend) {
  switch (parsed.kind) {
    case Parsed::Kind::end:
      return true;
    case Parsed::Kind::description:
      describe(parsed);
      return false;
    case Parsed::Kind::message:
      accept(parsed, lend);
      return false;
  }
  return false;
}

void Receiver::describe(const Parsed& parsed) {
  ChannelBook::Entry* entry = book_.find_or_add(parsed.topic, parsed.header);
  if (!entry || !book_.describe(parsed.topic, parsed.header.id, *entry)) {
    return leave_out(kNoRoom);
  }
  topics_.add(entry->content);
  if (adds_described_) added(*entry);
  if (entry->pushed) numbers_.end(*entry->pushed, parsed.header.sender, parsed.header.number);
  auto waiting = waiting_.find(waiting_key(parsed.topic, parsed.header.id));
  if (waiting == waiting_.end()) return;
  std::deque<Place> places = std::move(waiting->second);
  waiting_.erase(waiting);
  for (Place place : places) release(place, added(*entry));
}

void Receiver::accept(Parsed& parsed, const Lend& lend) {
  Time log_time = clock_.wall();
  bool describes_itself = parsed.header.id.empty();
  ChannelBook::Entry* entry = describes_itself ? book_.find_or_add(parsed.topic, parsed.header)
                                               : book_.described(parsed.topic, parsed.header.id);
  if (!entry) return describes_itself ? leave_out(kNoRoom) : hold(parsed, lend, log_time);
  const Channel* channel = added(*entry);
  bool is_lent = lend && channel && parsed.payload.size() >= kLendBytes;
  push(channel, parsed.header, parsed.payload, is_lent ? lend() : Owner(), log_time);
}

void Receiver::hold(Parsed& parsed, const Lend& lend, Time log_time) {
  Held& held = held_.emplace_back();
  held.topic = parsed.topic;
  held.header = std::move(parsed.header);
  if (lend && parsed.payload.size() >= kLendBytes) {
    held.owner = lend();
    held.payload = parsed.payload;
  } else {
    held.copy.assign(parsed.payload.begin(), parsed.payload.end());
    held.payload = held.copy;
  }
  held.log_time = log_time;
  held.since = clock_.steady();
  held.bytes = kHeldBytes + held.topic.size() * 2 + bytes_of(held.header) + held.header.id.size() +
               held.payload.size();
  held_bytes_ += held.bytes;
  waiting_[waiting_key(held.topic, held.header.id)].push_back(std::prev(held_.end()));
  while (held_bytes_ > limits_.held_bytes) push_by_own_header(held_.begin());
}

/// The places of an id are in the order of arrival, so the oldest message is the first of its id.
void Receiver::push_by_own_header(Place place) {
  auto waiting = waiting_.find(waiting_key(place->topic, place->header.id));
  waiting->second.pop_front();
  if (waiting->second.empty()) waiting_.erase(waiting);
  ChannelBook::Entry* entry = book_.find_or_add(place->topic, place->header);
  if (!entry) leave_out(kNoRoom);
  release(place, entry ? added(*entry) : nullptr);
}

void Receiver::release(Place place, const Channel* channel) {
  Held held = std::move(*place);
  held_.erase(place);
  held_bytes_ -= held.bytes;
  push(channel, held.header, held.payload, held.owner, held.log_time);
}

const Channel* Receiver::added(ChannelBook::Entry& entry) {
  bool is_new = std::exchange(entry.is_new, false);
  if (is_new) topics_.add(entry.content);
  if (is_new && selector_.matches(entry.content)) entry.pushed = feed_.add(entry.content).get();
  return entry.pushed;
}

void Receiver::push(const Channel* channel, const Header& header, ByteView payload,
                    const Owner& owner, Time log_time) {
  if (!channel) return;
  Numbers::Verdict verdict = numbers_.take(*channel, header.sender, header.number);
  if (verdict.is_repeated) return;
  if (verdict.lost > 0) feed_.count_lost(*channel, verdict.lost);
  Message message{};
  message.channel = channel;
  message.sequence = header.sequence;
  message.log_time = keeps_time_ && header.log_time ? *header.log_time : log_time;
  message.publish_time = header.publish_time.value_or(message.log_time);
  message.data = payload;
  feed_.push(message, owner);
}

void Receiver::tick() {
  SteadyTime until = clock_.steady() - limits_.held_time;
  while (!held_.empty() && held_.front().since <= until) push_by_own_header(held_.begin());
}

void Receiver::finish() {
  while (!held_.empty()) push_by_own_header(held_.begin());
  numbers_.finish(
      [this](const Channel& channel, std::uint64_t lost) { feed_.count_lost(channel, lost); });
  std::uint64_t all = 0;
  std::string kinds;
  for (std::size_t why = 0; why < left_out_.size(); ++why) {
    if (left_out_[why] == 0) continue;
    all += left_out_[why];
    kinds += fmt::format("{}{} ({})", kinds.empty() ? "" : ", ", left_out_[why], text_of(why));
  }
  if (all > 1) tell(fmt::format("{} messages were left out: {}", all, kinds));
}

void Receiver::leave_out(std::size_t why) {
  if (left_out_[why]++ == 0) {
    tell(fmt::format("a message was left out: {}; further ones are counted", text_of(why)));
  }
}

void Receiver::warn(ErrorCode code, const std::string& what) const {
  if (on_warning_) on_warning_(Error(code, what, from_));
}

}  // namespace kitbag::framing
