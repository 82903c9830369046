#include "kitbag/session.h"

#include <utility>

#include "model/session_parts.h"

namespace kitbag {

Session::Session(std::shared_ptr<Parts> parts, ClockPtr clock)
    : parts_(std::move(parts)), clock_(clock ? std::move(clock) : system_clock()) {}

Session::Session(Registry registry, ClockPtr clock)
    : Session(std::make_shared<Parts>(std::move(registry)), std::move(clock)) {}

Session Session::with_clock(ClockPtr clock) const {
  return {parts_, std::move(clock)};
}

const Registry& Session::registry() const {
  return parts_->registry();
}

const std::shared_ptr<ChunkCache>& Session::chunk_cache() const {
  return parts_->chunk_cache();
}

const Transport* Session::find_transport(std::string_view scheme) const {
  const Transport* known = kitbag::find_transport(registry(), scheme);
  return known ? known : parts_->load_transport(scheme);
}

}  // namespace kitbag
