#include "transport/foxglove/transport.h"

namespace kitbag::foxglove {
namespace {

Transport transport(std::string_view scheme) {
  Transport made;
  made.scheme = scheme;
  made.subscribe = subscribe;
  made.publish = publish;
  return made;
}

}  // namespace

Transport ws_transport() {
  return transport("foxglove+ws");
}

Transport wss_transport() {
  return transport("foxglove+wss");
}

}  // namespace kitbag::foxglove
