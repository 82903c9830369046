#include "live/record/paused_state.h"

#include <map>
#include <utility>

#include "kitbag/calls.h"

namespace kitbag {

bool PausedState::is_kept(const Message& message) {
  std::uint32_t slot = message.channel->slot;
  if (slot >= kinds_.size()) kinds_.resize(std::size_t{slot} + 1);
  Kind& kind = kinds_[slot];
  if (kind == Kind::unknown) kind = is_state(*message.channel) ? Kind::latched : Kind::other;
  return kind == Kind::latched;
}

void PausedState::keep(const Batch& batch) {
  std::map<std::uint32_t, const Message*> last;
  for (const Message& message : batch.messages()) {
    if (is_kept(message)) last[message.channel->slot] = &message;
  }
  if (last.empty()) return;
  kept_.drop_if([&](const Message& earlier) { return last.contains(earlier.channel->slot); });
  kept_.keep(batch);
  if (batch.channels) kept_.channels = batch.channels;
  for (const Message& message : batch.messages()) {
    auto found = last.find(message.channel->slot);
    if (found != last.end() && found->second == &message) kept_.add(message);
  }
  kept_.compact();
}

Batch PausedState::take() {
  return std::exchange(kept_, {});
}

}  // namespace kitbag
