#include "storage/sqlite3/write/gathered_pages.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <new>
#include <utility>

#include "storage/sqlite3/pages/pages.h"

// The pages of a transaction are divided by where they belong:
//
//     | pages that the file had before      | new pages, window of 1 MiB: some of them |
//       ^ kept until the transaction ends             ^ kept           ^ moves the window
//
// A new page within the window is kept there. A page behind it moves the window to itself; before
// that, what the window holds goes to the file, up to 64 KiB by one call. A new page before the
// window is written at once. The cache of SQLite gives its pages away nearly in the order of the
// file. Nothing in the file refers to new pages yet.
//
// Pages that replace others are written when the transaction ends, after all new ones, and so that
// a reader beside meets no page whose content is still missing: the first page, which counts the
// changes and so tells the reader that there was one, then leaves, then the pages above them. A
// program that is killed in the middle of a transaction leaves what was committed. Messages in any
// order of times change many pages of the time index; what is beyond 8 MiB is written at once.
//
// Refused: larger pages, because the bytes of bags would change; and a cache of SQLite that holds
// a whole transaction, which is written in order of the pages, but no longer fits the processor's.

namespace kitbag::sqlite3 {

namespace {

constexpr std::size_t kReplacedBytes = 8 << 20;
/// The largest page that SQLite has, and the most that it writes at once.
constexpr std::size_t kMostAtOnce = 64 << 10;

int write_to(sqlite3_file* file, const std::byte* data, std::size_t size, Offset at) {
  return file->pMethods->xWrite(file, data, static_cast<int>(size), at);
}

bool is_above_leaves(const std::vector<std::byte>& page) {
  auto type = static_cast<std::uint8_t>(page[0]);
  return type == kIndexInterior || type == kTableInterior;
}

}  // namespace

int Window::write(const std::byte* data, std::size_t size, Offset at) {
  if (at < begin_) {
    bool reaches_in = at + static_cast<Offset>(size) > begin_;
    if (int result = reaches_in ? flush() : SQLITE_OK; result != SQLITE_OK) return result;
    return write_to(file_, data, size, at);
  }
  if (at + static_cast<Offset>(size) > begin_ + kBytes) {
    if (int result = flush(); result != SQLITE_OK) return result;
    begin_ = at;
  }
  auto place = static_cast<std::size_t>(at - begin_);
  std::memcpy(&bytes_[place], data, size);
  for (std::size_t byte = place; byte < place + size; byte += kUnitBytes) {
    is_kept_.set(byte / kUnitBytes);
  }
  is_empty_ = false;
  return SQLITE_OK;
}

int Window::flush() {
  if (is_empty_) return SQLITE_OK;
  for (std::size_t unit = 0; unit < kUnits;) {
    std::size_t end = unit;
    while (end < kUnits && is_kept_[end] && end - unit < kMostAtOnce / kUnitBytes) ++end;
    if (int result = write_kept(unit, end); result != SQLITE_OK) return result;
    unit = std::max(end, unit + 1);
  }
  is_kept_.reset();
  is_empty_ = true;
  return SQLITE_OK;
}

int Window::write_kept(std::size_t begin_unit, std::size_t end_unit) {
  if (begin_unit == end_unit) return SQLITE_OK;
  std::size_t place = begin_unit * kUnitBytes;
  return write_to(file_, &bytes_[place], end_unit * kUnitBytes - place,
                  begin_ + static_cast<Offset>(place));
}

bool Replacements::is_full() const {
  return bytes_ >= kReplacedBytes;
}

int Replacements::keep(const std::byte* data, std::size_t size, Offset at) {
  try {
    std::vector<std::byte> page(data, data + size);
    std::vector<std::byte>& kept = pages_[at];
    bytes_ = bytes_ - kept.size() + size;
    kept = std::move(page);
  } catch (const std::bad_alloc&) {
    return SQLITE_IOERR_NOMEM;
  }
  return SQLITE_OK;
}

bool Replacements::overlap(std::size_t size, Offset at) const {
  auto after = pages_.lower_bound(at + static_cast<Offset>(size));
  if (after == pages_.begin()) return false;
  const auto& [begin, page] = *std::prev(after);
  return begin + static_cast<Offset>(page.size()) > at;
}

const std::byte* Replacements::find(std::size_t size, Offset at) const {
  auto after = pages_.upper_bound(at);
  if (after == pages_.begin()) return nullptr;
  const auto& [begin, page] = *std::prev(after);
  auto from = static_cast<std::size_t>(at - begin);
  return from <= page.size() && size <= page.size() - from ? page.data() + from : nullptr;
}

int Replacements::flush() {
  int result = SQLITE_OK;
  for (auto each = pages_.begin(); each != pages_.end() && result == SQLITE_OK; ++each) {
    if (!is_above_leaves(each->second)) result = write(*each);
  }
  for (auto each = pages_.rbegin(); each != pages_.rend() && result == SQLITE_OK; ++each) {
    if (is_above_leaves(each->second)) result = write(*each);
  }
  if (result != SQLITE_OK) return result;
  pages_.clear();
  bytes_ = 0;
  return SQLITE_OK;
}

int Replacements::write(const Pages::value_type& page) {
  return write_to(file_, page.second.data(), page.second.size(), page.first);
}

int GatheredPages::take_end() {
  return file_->pMethods->xFileSize(file_, &committed_end_);
}

int GatheredPages::write(const void* data, int size, Offset at) {
  auto bytes = static_cast<std::size_t>(size);
  const auto* page = static_cast<const std::byte*>(data);
  bool is_pages =
      at % static_cast<Offset>(Window::kUnitBytes) == 0 && bytes % Window::kUnitBytes == 0;
  if (!is_pages || bytes > kMostAtOnce || (at < committed_end_ && at + size > committed_end_)) {
    int result = flush();
    return result == SQLITE_OK ? write_to(file_, page, bytes, at) : result;
  }
  if (at >= committed_end_) return window_.write(page, bytes, at);
  if (int result = replacements_.is_full() ? write_kept() : SQLITE_OK; result != SQLITE_OK) {
    return result;
  }
  return replacements_.keep(page, bytes, at);
}

int GatheredPages::read(void* to, int size, Offset at) {
  if (const std::byte* kept = replacements_.find(static_cast<std::size_t>(size), at)) {
    std::memcpy(to, kept, static_cast<std::size_t>(size));
    return SQLITE_OK;
  }
  bool is_beside = replacements_.overlap(static_cast<std::size_t>(size), at);
  if (int result = is_beside ? flush() : window_.flush(); result != SQLITE_OK) return result;
  return file_->pMethods->xRead(file_, to, size, at);
}

int GatheredPages::flush() {
  int result = write_kept();
  return result == SQLITE_OK ? take_end() : result;
}

int GatheredPages::write_kept() {
  int result = window_.flush();
  return result == SQLITE_OK ? replacements_.flush() : result;
}

}  // namespace kitbag::sqlite3
