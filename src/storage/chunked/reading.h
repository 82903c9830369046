#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "kitbag/bag.h"
#include "storage/chunked/chunk_store.h"
#include "storage/chunked/plan.h"

namespace kitbag {

/// Of an open chunk: which of its messages comes next, in the order of the query.
struct OpenPlace {
  std::uint32_t chunk = 0;
  std::size_t message = 0;
  bool has_begun = false;
};

/// What a reader of a bag reads, and how far it has come: all of it but its memory.
struct Reading {
  std::shared_ptr<const ChunkStore> store;
  Order order = Order::time;
  ChannelsPtr channels;
  Wanted wanted;
  OnProblem on_problem;
  std::shared_ptr<const std::vector<std::uint32_t>> plan;  ///< all chunks

  std::size_t next = 0;           ///< of the plan, that is not open yet
  std::vector<OpenPlace> open;    ///< chunks that are
  std::optional<StartKey> start;  ///< the messages before it are skipped
  std::uint64_t remaining = 0;    ///< of the query's count
};

/// From the first message of `query` on. Throws Error as make_plan() does.
Reading reading_of(std::shared_ptr<const ChunkStore> store, const Query& query, const Wait& wait);

/// The chunks that are to be loaded from there on: first those that are open, as if they came next
/// in the plan.
std::vector<std::uint32_t> chunks_to_load(const Reading& reading);

}  // namespace kitbag
