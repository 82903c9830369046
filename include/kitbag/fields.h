#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kitbag/codec.h"
#include "kitbag/session.h"
#include "kitbag/stream.h"
#include "kitbag/transcode.h"

namespace kitbag {

/// A visitor that tells `target`, which must outlive it, only the fields at `paths`, such as
/// "pose.position.x"; a path goes through lists as if they were not there. Structures around them
/// stay. Throws Error (invalid) for an empty path.
KITBAG_API std::unique_ptr<Visitor> select_fields(const std::vector<std::string>& paths,
                                                  Visitor& target);

/// Throws Error (not_found), naming the fields that there are, if `path` is none in `type`.
KITBAG_API void require_field(const Type& type, const std::string& path);

/// Keeps the messages for which an expression on their decoded fields is true, such as
/// `linear.x > 0.5 && status == "OK"`; docs/expressions.md has the language. Channels whose types
/// lack a field that it names are dropped. Throws Error (invalid) where it cannot be understood;
/// what cannot be decoded is treated as `on_error` says. `report` must outlive it.
KITBAG_API std::unique_ptr<Stage> where(const std::string& expression, OnError on_error,
                                        TranscodeReport* report, const Session& session);

}  // namespace kitbag
