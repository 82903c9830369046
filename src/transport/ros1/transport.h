#pragma once

#include <memory>

#include "kitbag/registry.h"

namespace kitbag::ros1 {

std::unique_ptr<Subscriber> subscribe(const Location& location, const Subscription& wanted,
                                      Clock& clock, Feed& feed);
std::unique_ptr<Publisher> publish(const Location& location, const Publication& how, Clock& clock);

}  // namespace kitbag::ros1
