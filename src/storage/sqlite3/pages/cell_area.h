#pragma once

#include <cstddef>
#include <cstdint>

#include "kitbag/bytes.h"

namespace kitbag::sqlite3 {

/// What a cell takes of its page, however small it is.
inline constexpr std::size_t kLeastCellBytes = 4;

/// Where the head of a B-tree page begins; page 1 has that of the database before it.
std::size_t head_of(std::uint32_t number);

/// Bytes of a number of variable length.
std::size_t varint_bytes(std::uint64_t number);

/// Whether the cells of a B-tree page, of `cell_bytes` in all, and its free bytes make up what lies
/// behind its pointers (fileformat2, section 1.6). `page` is what can be used of it, and its head
/// begins at `head`. False: the head leaves out cells, or has too many, or is damaged otherwise.
bool fills_page(ByteView page, std::size_t head, std::size_t cell_bytes);

}  // namespace kitbag::sqlite3
