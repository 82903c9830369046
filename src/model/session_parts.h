#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kitbag/session.h"
#include "model/chunk_cache.h"
#include "model/definition_cache.h"

namespace kitbag {

/// What is plugged into a session.
class Session::Parts {
 public:
  explicit Parts(Registry registry, std::size_t cache_bytes = SessionOptions().cache_bytes)
      : registry_(std::move(registry)), cache_(std::make_shared<ChunkCache>(cache_bytes)) {
    for (const FileSystemPtr& files : registry_.file_systems) {
      if (files->is_local()) return;
    }
    registry_.file_systems.push_back(local_file_system());
  }
  virtual ~Parts() = default;
  Parts(const Parts&) = delete;
  Parts& operator=(const Parts&) = delete;

  const Registry& registry() const { return registry_; }
  const std::shared_ptr<ChunkCache>& chunk_cache() const { return cache_; }
  DefinitionCache& definition_cache() { return definitions_; }
  /// A transport that is not in the registry; null: there is none. Any thread.
  virtual const Transport* load_transport(std::string_view /*scheme*/) { return nullptr; }
  /// A video codec that is not in the registry; null: there is none. Any thread.
  virtual const VideoCodec* load_video_codec(std::string_view /*format*/) { return nullptr; }
  /// An export format that is not in the registry; null: there is none. Any thread.
  virtual const ExportFormat* load_export_format(std::string_view /*name*/) { return nullptr; }
  /// A kind of database that is not in the registry; null: there is none. Any thread.
  virtual const DatabaseEngine* load_database(std::string_view /*scheme*/) { return nullptr; }
  /// A file system that is not in the registry; null: there is none. Any thread.
  virtual FileSystemPtr load_file_system(std::string_view /*scheme*/) { return nullptr; }
  /// The schemes that load_file_system() knows.
  virtual std::vector<std::string_view> loadable_file_systems() const { return {}; }
  /// The schemes that load_transport() would find.
  virtual std::vector<std::string> loadable_schemes() const { return {}; }

 private:
  Registry registry_;
  std::shared_ptr<ChunkCache> cache_;
  DefinitionCache definitions_;
};

}  // namespace kitbag
