#pragma once

#include "kitbag/session.h"

namespace kitbag {

/// What `transport` gives for `location`; its parameter `encoding` is heeded here, for all of them.
BagPtr open_transport(const Transport& transport, const Location& location, const Session& session);

}  // namespace kitbag
