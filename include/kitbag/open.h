#pragma once

#include <memory>
#include <optional>
#include <string>

#include "kitbag/bag.h"
#include "kitbag/registry.h"
#include "kitbag/session.h"

namespace kitbag {

/// The formats that are built in.
KITBAG_API Registry standard_registry();

/// The path that `uri` means: itself, or what a `file://` URI holds, its %XX decoded.
/// Throws Error: unsupported for another scheme, invalid for a file on another machine.
KITBAG_API std::string path_of(const std::string& uri);

/// What a URI of another scheme says, such as "demo://?seconds=5"; nothing for paths and files.
KITBAG_API std::optional<Location> location_of(const std::string& uri);
/// `uri` with that parameter besides.
KITBAG_API std::string with_parameter(const std::string& uri, std::string_view name,
                                      std::string_view value);

/// Opens the bag at `uri`: a path, a `file://` URI, or one of a transport that need not be waited
/// for; its parameter `encoding` is what payloads are brought to. Throws Error.
KITBAG_API BagPtr open(const std::string& uri, const ReadOptions& options, const Session& session);
/// Opens bytes that are somewhere else than in a file; `input.path` names them in messages.
KITBAG_API BagPtr open(const Input& input, const ReadOptions& options, const Session& session);

/// Starts a new bag at `uri`; the format is the one called `format`, or when that is empty the one
/// that the extension tells. A `uri` that ends with "/" is a directory of rosbag2, and `format`
/// that of its files. Throws Error (exists: see WriteOptions::may_replace).
KITBAG_API std::unique_ptr<Writer> create(const std::string& uri, const std::string& format,
                                          const WriteOptions& options, const Session& session);

/// Name of the format that create() would take for it. Throws Error (invalid) where none is told.
KITBAG_API std::string format_for(const std::string& uri, const std::string& format,
                                  const Session& session);

/// create() would make one bag of several files there.
KITBAG_API bool makes_container(const std::string& uri, const std::string& format,
                                const Session& session);

/// Adds to the bag at `uri`, which must exist; it stays readable as it was until close().
KITBAG_API std::unique_ptr<Writer> append(const std::string& uri, const WriteOptions& options,
                                          const Session& session);

/// Verifies the bag at `uri`: structure, index against content, order in time. What is found goes
/// to options.on_problem, with its offset. Throws Error only when there is nothing to check, or
/// it cannot be read (io, locked).
KITBAG_API void check(const std::string& uri, const ReadOptions& options, const Session& session);
KITBAG_API void check(const Input& input, const ReadOptions& options, const Session& session);

}  // namespace kitbag
