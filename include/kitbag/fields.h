#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kitbag/codec.h"
#include "kitbag/session.h"
#include "kitbag/stream.h"
#include "kitbag/transcode.h"

namespace kitbag {

/// Returns a visitor that passes only the fields at `paths`, such as "pose.position.x" or
/// "transforms[0].child_frame_id", on to `target`, which must outlive it. A path goes through lists
/// as if they were not there, unless it selects one element; `[-1]` is the last one. The structures
/// around selected fields are kept, and fields are passed on in the order of `paths` (those of
/// payloads that describe themselves, in their own order). Throws Error (invalid) for what is no
/// path.
KITBAG_API std::unique_ptr<Visitor> select_fields(const std::vector<std::string>& paths,
                                                  Visitor& target);

/// Throws Error (not_found) if `type` has no field at `path`, such as "poses[0].position.x"; the
/// message names similar fields, or those that exist.
KITBAG_API void require_field(const Type& type, const std::string& path);

/// Returns a stage that keeps the messages for which an expression on their decoded fields is true,
/// such as `linear.x > 0.5 && status == "OK"`; docs/expressions.md describes the language. Channels
/// are dropped whose types lack a field in the expression, or have one that cannot be compared so;
/// require_condition() says if these are all. Messages that cannot be decoded are handled as
/// `on_error` says; with OnError::raw they are kept. `report` may be null; otherwise it must
/// outlive the stage. Throws Error (invalid) for an expression that is not valid.
KITBAG_API std::unique_ptr<Stage> where(const std::string& expression, OnError on_error,
                                        TranscodeReport* report, const Session& session);

/// Throws Error if no channel can have messages that meet an expression for where(): not_found if
/// fields or topics do not exist, with names that are similar, invalid if values are compared that
/// cannot be. Does not throw if there are no channels, or if one cannot be decoded.
KITBAG_API void require_condition(const std::string& expression, const Channels& channels,
                                  const Session& session);

/// Returns the paths of the fields that an expression for where() names, each once, without indexes
/// of elements. Throws Error (invalid) as where() does.
KITBAG_API std::vector<std::string> fields_of_condition(const std::string& expression);

/// Returns a stage that keeps the messages with a text that contains `word`, in any field. Upper
/// and lower case of ASCII letters are the same. `on_error`, `report` and messages that cannot be
/// decoded are as for where(). Throws Error (invalid) if `word` is empty.
KITBAG_API std::unique_ptr<Stage> containing(const std::string& word, OnError on_error,
                                             TranscodeReport* report, const Session& session);

}  // namespace kitbag
