#include "codec/cdr/codec.h"

#include "codec/cdr/decoder.h"
#include "codec/cdr/encoder.h"

namespace kitbag::cdr {

Codec codec() {
  return {"cdr", "ros2msg",
          [](const TypePtr& type) -> std::unique_ptr<kitbag::Decoder> {
            return std::make_unique<Decoder>(type);
          },
          [](const TypePtr& type, const CodecOptions&) { return make_encoder(type); }};
}

}  // namespace kitbag::cdr
