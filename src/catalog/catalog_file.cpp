#include <fmt/format.h>

#include <charconv>

#include "catalog/bag_query.h"
#include "catalog/file_state.h"
#include "catalog/fingerprint.h"
#include "kitbag/catalog.h"
#include "kitbag/error.h"
#include "kitbag/escape.h"

namespace kitbag {

CatalogFileState state_of(const CatalogFile& file, const Session& session) {
  auto now = catalog::state_of(file.path, session);
  if (!now) return CatalogFileState::gone;
  bool is_same = catalog::is_as_known({0, file.size_bytes, to_ns(file.modified)}, *now);
  return is_same ? CatalogFileState::same : CatalogFileState::changed;
}

std::string catalog_fingerprint(const std::string& path, const Session& session) {
  ReadOptions read;
  read.on_problem = [](const Error&) {};
  return catalog::fingerprint(path, *session.open(path, read), session);
}

std::string cursor_of(const CatalogBag& bag) {
  return fmt::format("{}_{}", to_ns(bag.start), bag.number);
}

std::optional<CatalogBag> catalog::bag_before(const std::string& cursor) {
  if (cursor.empty()) return std::nullopt;
  std::int64_t start_ns = 0;
  CatalogBag bag;
  const char* end = cursor.data() + cursor.size();
  auto [middle, error] = std::from_chars(cursor.data(), end, start_ns);
  bool is_cursor = error == std::errc() && middle != end && *middle == '_';
  if (is_cursor) {
    auto [last, second] = std::from_chars(middle + 1, end, bag.number);
    is_cursor = second == std::errc() && last == end;
  }
  if (!is_cursor) throw Error(ErrorCode::invalid, "no place in the list: " + escaped(cursor));
  bag.start = from_ns(start_ns);
  return bag;
}

}  // namespace kitbag
