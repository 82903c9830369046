#pragma once

#include <memory>

#include "kitbag/registry.h"

namespace kitbag::ros1 {

std::unique_ptr<Subscriber> subscribe(const Location& location, const Subscription& wanted,
                                      Feed& feed, const Session& session);
std::unique_ptr<Publisher> publish(const Location& location, const Publication& how,
                                   const Session& session);

}  // namespace kitbag::ros1
