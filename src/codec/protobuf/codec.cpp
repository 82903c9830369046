#include "codec/protobuf/codec.h"

#include "codec/protobuf/decoder.h"
#include "codec/protobuf/encoder.h"
#include "codec/protobuf/row_reader.h"

namespace kitbag::protobuf {

Codec codec() {
  return {"protobuf",
          "protobuf",
          [](const TypePtr& type) -> std::unique_ptr<kitbag::Decoder> {
            return std::make_unique<Decoder>(type);
          },
          [](const TypePtr& type, const CodecOptions&) { return make_encoder(type); },
          false,
          make_row_reader};
}

}  // namespace kitbag::protobuf
