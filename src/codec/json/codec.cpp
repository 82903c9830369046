#include "codec/json/codec.h"

#include "codec/json/decoder.h"
#include "codec/json/encoder.h"
#include "codec/json/row_reader.h"

namespace kitbag::json {

Codec codec() {
  return {"json",
          "jsonschema",
          [](const TypePtr& type) -> std::unique_ptr<kitbag::Decoder> {
            return std::make_unique<Decoder>(type);
          },
          [](const TypePtr&, const CodecOptions& options) { return make_encoder(options); },
          true,
          make_row_reader};
}

}  // namespace kitbag::json
