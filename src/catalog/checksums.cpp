#include "catalog/checksums.h"

#include <algorithm>

#include "base/path.h"
#include "base/sha256.h"
#include "kitbag/error.h"
#include "kitbag/registry.h"

namespace kitbag::catalog {
namespace {

constexpr std::size_t kBlockBytes = 1 << 20;  // read at once

CatalogChecksum checksum_of(const std::string& path, const Session& session,
                            const std::stop_token& stop) {
  auto file = session.file_system(path)->open(path);
  CatalogChecksum made{std::string(file_name(path)), file->size(), {}};
  std::vector<std::byte> block(kBlockBytes);
  Sha256 sum;
  for (std::uint64_t offset = 0; offset < made.size_bytes;) {
    if (stop.stop_requested()) throw Error(ErrorCode::cancelled, "interrupted");
    auto wanted = std::min<std::uint64_t>(kBlockBytes, made.size_bytes - offset);
    // The next block is on its way while this one is hashed.
    file->prefetch(offset + wanted, kBlockBytes);
    std::size_t read = file->read(offset, std::span(block).first(std::size_t(wanted)));
    if (read == 0) {
      throw Error(ErrorCode::truncated, "the file became shorter while it was read", path, offset);
    }
    sum.add(ByteView(block).first(read));
    offset += read;
  }
  made.sha256 = sum.finish();
  return made;
}

}  // namespace

std::vector<std::string> files_of(const std::string& path, const Session& session) {
  Input input = session.input_at(path);
  if (input.file) return {path};
  const Format* format = match_format(session.registry(), input);
  if (!format || !format->parts) return {path};
  std::vector<std::string> parts = format->parts(input, session);
  std::sort(parts.begin(), parts.end());
  return parts;
}

std::vector<CatalogChecksum> checksums_of(const std::string& path, const Session& session,
                                          const std::stop_token& stop) {
  std::vector<CatalogChecksum> sums;
  for (const std::string& file : files_of(path, session)) {
    sums.push_back(checksum_of(file, session, stop));
  }
  return sums;
}

}  // namespace kitbag::catalog
