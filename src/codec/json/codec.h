#pragma once

#include "kitbag/codec.h"

namespace kitbag::json {

/// JSON (RFC 8259): structures are objects, in the order of their type; integers are exact whatever
/// their width, reals the shortest text that gives them back. What JSON has no word for is said
/// by strings: "NaN", "Infinity", "-Infinity", and bytes as base64 (RFC 4648), unless CodecOptions
/// say otherwise.
Codec codec();

}  // namespace kitbag::json
