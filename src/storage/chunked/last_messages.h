#pragma once

#include <memory>
#include <optional>

#include "kitbag/bag.h"
#include "storage/chunked/chunk_store.h"

namespace kitbag {

/// Bag::find_last() of a chunked bag by its index: from the chunk that ends last backwards, the
/// chunks' own indexes say which of them holds the last message of each channel, and only those are
/// loaded, each once. Nothing: the index does not say it, or a chunk differs from its index, so
/// that the bag has to be read backwards.
std::optional<Batch> find_last_messages(std::shared_ptr<const ChunkStore> store,
                                        const LastQuery& query, const Wait& wait);

}  // namespace kitbag
