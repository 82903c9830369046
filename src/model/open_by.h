#pragma once

#include "kitbag/session.h"

namespace kitbag {

/// Format::open, for a bag that compares: when a reader has read all of it, and that was more or
/// less than Bag::promise(), the difference is reported to `options.on_problem`, unless damage that
/// was reported on the way explains it. This costs nothing per message. Everything is delivered.
///
/// Loss::messages of 0 in such a report: nothing is known to be missing, but the index was wrong.
BagPtr open_by(const Format& format, const Input& input, const ReadOptions& options,
               const Session& session);

}  // namespace kitbag
