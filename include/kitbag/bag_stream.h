#pragma once

#include <functional>
#include <memory>

#include "kitbag/bag.h"
#include "kitbag/bytes.h"
#include "kitbag/export.h"
#include "kitbag/session.h"

namespace kitbag {

/// Returns a writer whose bag goes to no file: `write` gets its bytes, in order, as soon as the
/// format has made them, and the rest with close(). For responses of a server and other streams.
/// `options.format` names the format. What `write` throws is thrown by the Writer. Throws Error:
/// invalid without such a format, unsupported if the format cannot be streamed
/// (Format::can_stream).
KITBAG_API std::unique_ptr<Writer> create_bag_stream(std::function<void(ByteView bytes)> write,
                                                     const WriteOptions& options,
                                                     const Session& session);

}  // namespace kitbag
