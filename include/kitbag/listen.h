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
/// an equal part of `options.bytes`. Messages of one system keep their order; those of different
/// systems may be some milliseconds out of order. Channels of equal content are one channel. The
/// source ends when all systems have ended.
///
/// While one system is there, others may be missing (ErrorCode::io): they are tried again after 1
/// to 30 s, and LiveSource::missing() names them. `wanted.on_warning` is called when a system is
/// missing, and with a remark when it is there. If none is left, or one fails otherwise, read()
/// throws its error.
///
/// Throws Error: invalid if there are no `uris`, and as Session::listen() does if no system can be
/// reached.
KITBAG_API std::unique_ptr<LiveSource> listen(const std::vector<std::string>& uris,
                                              const Subscription& wanted,
                                              const FeedOptions& options, const Session& session);

/// Returns the messages of `source` and, in between, those of `companion` as they come. It ends
/// with `source`, however long the companion would go on. Channels of equal content are one.
KITBAG_API std::unique_ptr<Source> join(std::unique_ptr<Source> source,
                                        std::unique_ptr<Source> companion, ClockPtr clock);

}  // namespace kitbag
