#pragma once

#include <memory>

#include "storage/chunked/chunk_store.h"

namespace kitbag {

/// `store` with its chunks ordered by the publish times of their messages. No index contains these,
/// so every chunk is read once when this is called. Throws Error (cancelled) if `wait.stop` is
/// requested meanwhile.
std::shared_ptr<const ChunkStore> by_publish_time(std::shared_ptr<const ChunkStore> store,
                                                  const OnProblem& on_problem, const Wait& wait);

}  // namespace kitbag
