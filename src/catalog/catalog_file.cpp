#include "catalog/file_state.h"
#include "catalog/fingerprint.h"
#include "kitbag/catalog.h"
#include "kitbag/error.h"

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

}  // namespace kitbag
