#include "storage/sqlite3/pages/cell_area.h"

#include "storage/sqlite3/pages/big_endian.h"
#include "storage/sqlite3/pages/pages.h"

// The head of a page says where its cells begin, and from there to the end of the page each byte
// belongs to a cell, to a free block or to a fragment:
//
//     type | first free block u16 | cells u16 | begin of cells u16 | bytes of fragments u8 | ...
//
// Free blocks are a chain in ascending order; each begins with the place of the next one and its
// own size.

namespace kitbag::sqlite3 {

std::size_t head_of(std::uint32_t number) {
  return number == 1 ? kHeadBytes : 0;
}

std::size_t varint_bytes(std::uint64_t number) {
  std::size_t bytes = 1;
  while (bytes < 9 && number >> (7 * bytes) != 0) ++bytes;
  return bytes;
}

bool fills_page(ByteView page, std::size_t head, std::size_t cell_bytes) {
  std::size_t begin = load_be16(page.data() + head + 5);
  if (begin == 0) begin = 65536;
  if (begin > page.size()) return false;
  std::size_t taken = cell_bytes + static_cast<std::size_t>(page[head + 7]);
  std::size_t at = load_be16(page.data() + head + 1);
  for (std::size_t least = begin; at != 0;) {
    if (at < least || at + 4 > page.size()) return false;
    std::size_t bytes = load_be16(page.data() + at + 2);
    if (bytes < 4 || bytes > page.size() - at) return false;
    taken += bytes;
    least = at + bytes;
    at = load_be16(page.data() + at);
  }
  return taken == page.size() - begin;
}

}  // namespace kitbag::sqlite3
