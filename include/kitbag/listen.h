#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kitbag/export.h"
#include "kitbag/live.h"
#include "kitbag/session.h"
#include "kitbag/stream.h"
#include "kitbag/time.h"
#include "kitbag/transport.h"

namespace kitbag {

/// Listens to several live systems as to one. Each is listened to as Session::listen() does, with
/// an equal part of `options.bytes`. The source ends when all systems have ended; if one fails, it
/// throws that error, and the others are not read any more. Messages of one system keep their
/// order; those of different systems may be some milliseconds out of order. Channels of equal
/// content are one channel. Throws Error: invalid if there are no `uris`, and as Session::listen()
/// does.
KITBAG_API std::unique_ptr<LiveSource> listen(const std::vector<std::string>& uris,
                                              const Subscription& wanted,
                                              const FeedOptions& options, const Session& session);

/// Returns the messages of `source` and, in between, those of `companion` as they come. It ends
/// with `source`, however long the companion would go on. Channels of equal content are one.
KITBAG_API std::unique_ptr<Source> join(std::unique_ptr<Source> source,
                                        std::unique_ptr<Source> companion, ClockPtr clock);

}  // namespace kitbag
