#pragma once

#include "kitbag/session.h"

namespace kitbag {

/// Format::open, and a bag that compares: whoever reads all of it to the end has it reported to
/// `options.on_problem` when that was more or less than Bag::promise(), unless the damage that was
/// reported on the way explains it. It costs nothing for a message. Everything is delivered.
///
/// Loss::messages of 0 in such a report: nothing is known to be missing, but the index was wrong.
BagPtr open_by(const Format& format, const Input& input, const ReadOptions& options,
               const Session& session);

}  // namespace kitbag
