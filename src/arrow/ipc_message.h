#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "arrow/ipc_body.h"
#include "arrow/ipc_field.h"

// The metadata of the Arrow IPC format: tables of FlatBuffers. `root` is the struct whose fields
// are the columns.

namespace kitbag::arrow {

/// Where a message is in a file: a struct of format/File.fbs.
struct IpcBlock {
  std::int64_t offset = 0;
  std::int32_t metadata_bytes = 0;  ///< with the length in front of it, and what fills it up
  std::int32_t unused = 0;
  std::int64_t body_bytes = 0;
};

using IpcMetadata = std::vector<std::byte>;

IpcMetadata schema_message(const IpcField& root);
IpcMetadata batch_message(std::int64_t rows, const IpcBody& body);
/// `is_delta`: the values follow those that the dictionary has.
IpcMetadata dictionary_message(std::int64_t id, std::int64_t values, bool is_delta,
                               const IpcBody& body);
/// What ends a file.
IpcMetadata file_footer(const IpcField& root, const std::vector<IpcBlock>& dictionaries,
                        const std::vector<IpcBlock>& batches);

}  // namespace kitbag::arrow
