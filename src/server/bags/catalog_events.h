#pragma once

#include "server/bags/catalog_pool.h"
#include "server/bags/events.h"

namespace kitbag::server {

/// The events in a catalog. Throws Refusal (503) if it cannot be reached.
class CatalogEvents final : public EventStore {
 public:
  /// `pool` outlives it.
  explicit CatalogEvents(CatalogPool& pool) : pool_(pool) {}

  std::string read(const BagEntry& bag) const override;
  std::optional<std::string> update(
      const BagEntry& bag,
      const std::function<std::optional<std::string>(const std::string& stored)>& change) override;
  bool is_full(const BagEntry&, std::uint64_t) const override { return false; }

 private:
  CatalogPool& pool_;
};

}  // namespace kitbag::server
