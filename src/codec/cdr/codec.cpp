#include "codec/cdr/codec.h"

#include "codec/cdr/decoder.h"
#include "codec/cdr/encoder.h"
#include "codec/cdr/row_reader.h"

namespace kitbag::cdr {

Codec codec() {
  return {"cdr",
          "ros2msg",
          [](const TypePtr& type) -> std::unique_ptr<kitbag::Decoder> {
            return std::make_unique<Decoder>(type);
          },
          [](const TypePtr& type, const CodecOptions&) { return make_encoder(type); },
          false,
          make_row_reader};
}

}  // namespace kitbag::cdr
