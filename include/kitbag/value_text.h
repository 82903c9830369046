#pragma once

#include <string>
#include <vector>

#include "kitbag/export.h"
#include "kitbag/time.h"
#include "kitbag/type.h"
#include "kitbag/value.h"

namespace kitbag {

/// Returns the value of `type`, which must outlive it, that a person has written as YAML or JSON:
///
///   {"linear: {x: 0.5}"}       fields by name; those left out have their defaults
///   {"[1, 2, 3]"}              a list, or the fields of a structure in their order
///   {"[1, 0, 0]", "[0, 0, 0]"} several texts: the fields of `type` in their order, all of them
///   {"hello"}                  a scalar: the one field of `type`
///   {}                         defaults
///
/// Texts are read as `type` says: "1" is a text where there is one in the type. Bytes are a list or
/// base64. A time is its two numbers, what parse_time() takes, with +5s and -5s counting from
/// `now`, or "now"; a duration is its two numbers, or what parse_duration() takes. "now" and "auto"
/// for a structure with a field `stamp` set that field. If `uses_now` is not null, it says whether
/// `now` was used. Throws Error (invalid) that names the field.
KITBAG_API Value parse_value(const std::vector<std::string>& texts, const Type& type, Time now,
                             bool* uses_now = nullptr);

}  // namespace kitbag
