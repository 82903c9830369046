#include <kitbag/plugin.h>

#include "cbor.h"

namespace {

void add_cbor(kitbag::Registry& registry) {
  registry.codecs.push_back({"cbor", "jsonschema", cbor::make_decoder, cbor::make_encoder, true});
}

}  // namespace

KITBAG_PLUGIN(add_cbor);
