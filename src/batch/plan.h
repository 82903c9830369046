#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "batch/record.h"
#include "kitbag/batch.h"
#include "kitbag/session.h"

namespace kitbag::batch {

/// Returns the request with paths of this machine that hold in every folder, and with the folder of
/// the job. Throws Error (invalid) for one that lacks something.
BatchRequest complete(BatchRequest request, const Session& session);

/// Returns the tasks of a complete request, sorted by source. Throws as BatchJob::BatchJob().
std::vector<Task> plan(const BatchRequest& request, const Session& session,
                       const std::stop_token& stop);

}  // namespace kitbag::batch
