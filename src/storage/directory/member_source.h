#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "storage/directory/store.h"

namespace kitbag::directory {

/// More files that overlap in time are not kept open all at once: neither the system's limit of
/// open files nor memory would hold them.
inline constexpr std::size_t kMostOpenMembers = 64;

/// A file of the directory, opened when it is first read.
std::unique_ptr<Source> read_member(std::shared_ptr<const Store> store, std::size_t member,
                                    const Query& query);

/// The files `members`, which are read in turn. At most kMostOpenMembers are open at a time: the
/// others keep only their position, and are opened again there. The memory of their batches is
/// bounded too, so the more there are, the smaller the batches. The caller, which reads all of
/// them, applies the nth and count of `query`.
std::vector<std::unique_ptr<Source>> read_many_members(const std::shared_ptr<const Store>& store,
                                                       std::span<const std::size_t> members,
                                                       const Query& query);

}  // namespace kitbag::directory
