#pragma once

#include <dds/dds.h>

#include "kitbag/message.h"

namespace kitbag::ros2 {

/// The definition of the type of an endpoint that was discovered, in IDL, from the TypeObject that
/// its participant gives. Applications of plain DDS have one, nodes of ROS 2 do not: then null.
/// Waits for a second at most. Throws Error: unsupported for what kitbag cannot write down.
SchemaPtr schema_of(dds_entity_t participant, dds_builtintopic_endpoint_t& endpoint);

}  // namespace kitbag::ros2
