#pragma once

#include <memory>
#include <vector>

#include "storage/chunked/chunk_store.h"

namespace kitbag {

/// A cursor over the chunks of `store`.
///
/// Constraints: a bag can be far larger than memory, its chunks may overlap in time, and their
/// declared times may be a little wrong. So chunks are opened in the order of their declared start,
/// and one more than it takes unless the times are sure, and merged by a heap of open chunks: the
/// best one runs on until the second best or the next unopened chunk comes first. Disjoint chunks
/// cost one comparison a run. Memory is bounded by the chunks that truly overlap. The store reports
/// a chunk that holds messages outside its declared times: they may be out of order.
///
/// Its bookmark is a list of the open chunks with a place in each, not a time: where the declared
/// times are wrong, a query from that time on would look into other chunks.
/// `extras` come with the first batch. Throws Error (cancelled) if `wait.stop` is requested before
/// the query's first message is found.
std::unique_ptr<Source> read_chunks(std::shared_ptr<const ChunkStore> store, const Query& query,
                                    std::vector<Extra> extras = {}, const Wait& wait = {});

}  // namespace kitbag
