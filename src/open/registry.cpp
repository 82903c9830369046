#include "codec/cdr/codec.h"
#include "codec/json/codec.h"
#include "codec/protobuf/codec.h"
#include "codec/ros1/codec.h"
#include "kitbag/open.h"
#include "language/jsonschema/language.h"
#include "language/protobuf/language.h"
#include "language/ros1msg/language.h"
#include "language/ros2idl/language.h"
#include "language/ros2msg/language.h"
#include "storage/directory/format.h"
#include "storage/mcap/format.h"
#include "storage/packed/format.h"
#include "storage/rosbag/format.h"
#include "storage/sqlite3/format.h"
#include "transport/demo/transport.h"
#include "transport/foxglove/transport.h"

namespace kitbag {

Registry standard_registry() {
  Registry registry;
  registry.formats = {rosbag_format(), mcap_format(), sqlite3_format(), directory_format(),
                      packed_format()};
  registry.codecs = {ros1::codec(), cdr::codec(), json::codec(), protobuf::codec()};
  registry.languages = {ros1msg::language(), ros2msg::language(), ros2idl::language(),
                        jsonschema::language(), protobuf::language()};
  registry.transports = {demo::transport(), foxglove::ws_transport(), foxglove::wss_transport()};
  registry.file_systems = {local_file_system(), memory_file_system()};
  return registry;
}

}  // namespace kitbag
