#pragma once

#include <functional>
#include <memory>

#include "files/remote/object_requests.h"
#include "files/remote/part_sizes.h"
#include "files/remote/store.h"
#include "kitbag/file_system.h"

namespace kitbag::remote {

/// How objects are uploaded.
struct UploadSettings {
  PartSizes sizes;
  std::uint64_t most_memory_bytes = std::uint64_t{64} << 20;  ///< of one upload
};

/// Begins to write an object, and asks the store whether it may. Throws Error (io, exists).
/// `on_written` is called when the object has changed.
std::unique_ptr<WriteFile> write_object(ObjectRequestsPtr object, std::shared_ptr<Store> store,
                                        const UploadSettings& settings,
                                        const WriteFileOptions& options,
                                        std::function<void()> on_written);

}  // namespace kitbag::remote
