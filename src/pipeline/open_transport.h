#pragma once

#include "kitbag/registry.h"

namespace kitbag {

/// What `transport` gives for `location`; its parameter `encoding` is heeded here, for all of them.
BagPtr open_transport(const Transport& transport, const Location& location,
                      const Registry& registry);

}  // namespace kitbag
