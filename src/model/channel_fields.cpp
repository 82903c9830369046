#include "model/channel_fields.h"

// The first thread that asks makes the state; those that come at the same time take the one that
// was first.

namespace kitbag {

/// A copy of a channel has its session and makes its own readers: it may get another type.
ChannelFields::ChannelFields(const ChannelFields& other) {
  State* shared = other.state_.load(std::memory_order_acquire);
  if (!shared) return;
  std::lock_guard lock(shared->session_mutex);
  if (shared->session) state().session = shared->session;
}

ChannelFields& ChannelFields::operator=(const ChannelFields& other) {
  if (this == &other) return *this;
  ChannelFields copy(other);
  delete state_.exchange(copy.state_.exchange(nullptr));
  return *this;
}

ChannelFields::~ChannelFields() {
  delete state_.load(std::memory_order_acquire);
}

ChannelFields::State& ChannelFields::state() const {
  State* known = state_.load(std::memory_order_acquire);
  if (known) return *known;
  auto made = std::make_unique<State>();
  if (state_.compare_exchange_strong(known, made.get(), std::memory_order_acq_rel)) {
    return *made.release();
  }
  return *known;
}

std::optional<Session> session_of(const Channel& channel) {
  ChannelFields::State& state = channel.fields.state();
  std::lock_guard lock(state.session_mutex);
  return state.session;
}

void set_session(const Channel& channel, const Session& session) {
  ChannelFields::State& state = channel.fields.state();
  std::lock_guard lock(state.session_mutex);
  state.session = session;
}

}  // namespace kitbag
