#pragma once

#include "kitbag/codec.h"

namespace kitbag::jsonschema {

/// JSON Schema (draft 2020-12), as far as it describes fields. What it has no word for stands in
/// `format`, which it leaves to others: "uint8", "float32", "time". Types are written out where
/// they are used, since readers of bags know no `$ref`; of others `$ref` is understood.
Language language();

}  // namespace kitbag::jsonschema
