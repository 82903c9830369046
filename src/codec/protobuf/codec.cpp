#include "codec/protobuf/codec.h"

#include "codec/protobuf/decoder.h"
#include "codec/protobuf/encoder.h"

namespace kitbag::protobuf {

Codec codec() {
  return {"protobuf", "protobuf",
          [](const TypePtr& type) -> std::unique_ptr<kitbag::Decoder> {
            return std::make_unique<Decoder>(type);
          },
          [](const TypePtr& type, const CodecOptions&) -> std::unique_ptr<kitbag::Encoder> {
            return std::make_unique<Encoder>(type);
          }};
}

}  // namespace kitbag::protobuf
