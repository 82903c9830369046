#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kitbag/bag.h"
#include "storage/chunked/chunk_store.h"

namespace kitbag {

/// A place in the order of a query: messages before it are skipped.
struct StartKey {
  Position position;
  Order order;

  /// True if a message whose payload lies at `here` comes before the key.
  bool skips(const Position& here) const;
};

/// The chunks that a query has to look at, in the order in which they are needed, and where in them
/// it begins. Worked out from the table; the chunks' own indexes are read only where `nth` falls
/// among chunks that overlap or reach beyond the time range.
struct Plan {
  std::vector<std::uint32_t> chunks;
  std::optional<StartKey> start;
  std::uint64_t skipped = 0;  ///< messages before the first; less than nth: there are no more
};

/// `wanted` holds the query's channels and times. Throws Error (cancelled) if `wait.stop` is
/// requested while chunks are looked into.
Plan make_plan(const ChunkStore& store, const Query& query, const Wanted& wanted,
               const Wait& wait = {});

/// Adds the positions of the messages wanted of a chunk: from its own index, or where that is not
/// sound by loading it, which may report damage.
void add_positions(const ChunkStore& store, std::uint32_t chunk, const Wanted& wanted,
                   const OnProblem& on_problem, const Wait& wait, std::vector<Position>& into);

}  // namespace kitbag
