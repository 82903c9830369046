"""A bag of entities of Foxglove, in JSON and in protobuf."""

import base64
import json
import struct

from mcap_file import McapFile
from protobuf_bytes import descriptors, encode

START = 1_700_000_000
POINT = [(1, "x", "double"), (2, "y", "double"), (3, "z", "double")]
TIME = [(1, "sec", "int64"), (2, "nsec", "int32")]
SHAPE = [(1, "pose", "foxglove.Pose"), (2, "size", "foxglove.Vector3"),
         (3, "color", "foxglove.Color")]
# As the .proto files of Foxglove have them; fields that no message here has are left out.
TYPES = {
    "google.protobuf.Timestamp": TIME,
    "google.protobuf.Duration": TIME,
    "foxglove.Vector2": POINT[:2],
    "foxglove.Vector3": POINT,
    "foxglove.Point3": POINT,
    "foxglove.Quaternion": [*POINT, (4, "w", "double")],
    "foxglove.Color": [(i, name, "double") for i, name in enumerate("rgba", 1)],
    "foxglove.Pose": [(1, "position", "foxglove.Vector3"),
                      (2, "orientation", "foxglove.Quaternion")],
    "foxglove.CubePrimitive": SHAPE,
    "foxglove.TriangleListPrimitive": [
        (1, "pose", "foxglove.Pose"), (2, "points", "*foxglove.Point3"),
        (3, "color", "foxglove.Color"), (4, "colors", "*foxglove.Color"),
        (5, "indices", "*fixed32")],
    "foxglove.SceneEntity": [
        (1, "timestamp", "google.protobuf.Timestamp"), (2, "frame_id", "string"),
        (3, "id", "string"), (4, "lifetime", "google.protobuf.Duration"),
        (5, "frame_locked", "bool"), (8, "cubes", "*foxglove.CubePrimitive"),
        (12, "triangles", "*foxglove.TriangleListPrimitive")],
    "foxglove.SceneEntityDeletion": [
        (1, "timestamp", "google.protobuf.Timestamp"), (2, "type", {"MATCHING_ID": 0, "ALL": 1}),
        (3, "id", "string")],
    "foxglove.SceneUpdate": [(1, "deletions", "*foxglove.SceneEntityDeletion"),
                             (2, "entities", "*foxglove.SceneEntity")],
    "foxglove.PackedElementField": [(1, "name", "string"), (2, "offset", "fixed32"),
                                    (3, "type", {"UNKNOWN": 0, "FLOAT32": 7})],
    "foxglove.Grid": [
        (1, "timestamp", "google.protobuf.Timestamp"), (2, "frame_id", "string"),
        (3, "pose", "foxglove.Pose"), (4, "column_count", "fixed32"),
        (5, "cell_size", "foxglove.Vector2"), (6, "row_stride", "fixed32"),
        (7, "cell_stride", "fixed32"), (8, "fields", "*foxglove.PackedElementField"),
        (9, "data", "bytes")],
}
# What time is called in protobuf.
NAMES = {"sec": "seconds", "nsec": "nanos"}
DESCRIPTORS = descriptors({name: [(number, NAMES.get(key, key), type_)
                                  for number, key, type_ in fields]
                           for name, fields in TYPES.items()})
BASE64 = {"type": "string", "contentEncoding": "base64"}
SCHEMAS = {
    "foxglove.SceneUpdate": '{"type": "object"}',
    "foxglove.Grid": json.dumps({"type": "object", "properties": {
        key: BASE64 if key == "data" else {} for _, key, _ in TYPES["foxglove.Grid"]}}),
}


def make_entities(path, encoding):
    """Entities of foxglove.SceneUpdate: a red cube from 1 s to 3 s, a green one that a deletion
    with an older stamp does not take, a blue triangle; a foxglove.Grid of two by two cells.
    `encoding`: json or protobuf."""
    file = McapFile(path)
    is_text = encoding == "json"

    def at(x, y):
        return {"position": {"x": x, "y": y, "z": 0},
                "orientation": {"x": 0, "y": 0, "z": 0, "w": 1}}

    def entity(id_, second, **shapes):
        return {"id": id_, "frame_id": "map", "timestamp": {"sec": START + second, "nsec": 0},
                "lifetime": {"sec": 0, "nsec": 0}, "frame_locked": False, **shapes}

    def cube(x, y, r, g):
        return {"pose": at(x, y), "size": {"x": 2, "y": 2, "z": 0.1},
                "color": {"r": r, "g": g, "b": 0, "a": 1}}

    def deletion(id_, second):
        return {"id": id_, "type": 0, "timestamp": {"sec": START + second, "nsec": 0}}

    corners = [{"x": 0, "y": 0, "z": 0}, {"x": 3, "y": 0, "z": 0}, {"x": 0, "y": 3, "z": 0}]
    triangle = {"pose": at(-4, -4), "points": corners, "indices": [0, 1, 2], "colors": [],
                "color": {"r": 0, "g": 0, "b": 1, "a": 1}}
    cells = {"timestamp": {"sec": START, "nsec": 0}, "frame_id": "map", "pose": at(2, 2),
             "column_count": 2, "cell_size": {"x": 1, "y": 1}, "row_stride": 9, "cell_stride": 4,
             "fields": [{"name": "height", "offset": 0, "type": 7}],
             "data": struct.pack("<2fx2fx", 0, 0, 0, 5)}
    updates = [(0, {"deletions": [], "entities": [entity("blue", 0, triangles=[triangle])]}),
               (1, {"deletions": [], "entities": [entity("red", 1, cubes=[cube(-3, 3, 1, 0)]),
                                                  entity("green", 2, cubes=[cube(3, -3, 0, 1)])]}),
               (3, {"deletions": [deletion("red", 3), deletion("green", 1)], "entities": []}),
               (6, {"deletions": [{"type": 1, "id": ""}], "entities": []})]
    if is_text:
        cells["data"] = base64.b64encode(cells["data"]).decode()
    topics = {"/grid": ("foxglove.Grid", [(0, cells)]), "/scene": ("foxglove.SceneUpdate", updates)}
    for topic, (type_, messages) in topics.items():
        if is_text:
            channel = file.channel(topic, "json", type_, "jsonschema", SCHEMAS[type_])
        else:
            channel = file.channel(topic, "protobuf", type_, "protobuf", DESCRIPTORS)
        for second, message in messages:
            payload = (json.dumps(message).encode() if is_text
                       else encode(TYPES, type_, message))
            file.message(channel, (START + second) * 10**9, payload)
    file.close()
