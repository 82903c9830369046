#include "codec/ros1/codec.h"

#include "codec/ros1/decoder.h"
#include "codec/ros1/encoder.h"
#include "codec/ros1/row_reader.h"

namespace kitbag::ros1 {

Codec codec() {
  return {"ros1",
          "ros1msg",
          [](const TypePtr& type) -> std::unique_ptr<kitbag::Decoder> {
            return std::make_unique<Decoder>(type);
          },
          [](const TypePtr& type, const CodecOptions&) { return make_encoder(type); },
          false,
          make_row_reader};
}

}  // namespace kitbag::ros1
