"""Images and point clouds as NumPy arrays."""

import re

from . import _kitbag

_CHANNELS = {"mono": 1, "rgb": 3, "bgr": 3, "rgba": 4, "bgra": 4}
_NAMED = re.compile(r"(mono|rgba|bgra|rgb|bgr|bayer_....)(8|16)$")
_OPENCV = re.compile(r"(8|16|32|64)([USF])C([1-9]\d*)$")
_KINDS = {"U": "u", "S": "i", "F": "f"}
# sensor_msgs/PointField: INT8 is 1
_POINT_FIELDS = ("i1", "u1", "i2", "u2", "i4", "u4", "f4", "f8")


def _data(message):
    return message.data if isinstance(message, _kitbag.Message) else message


def _pixel(encoding):
    """The type of a value, and how many a pixel has."""
    if named := _NAMED.match(encoding):
        return f"u{int(named[2]) // 8}", _CHANNELS.get(named[1], 1)
    if opencv := _OPENCV.match(encoding):
        return f"{_KINDS[opencv[2]]}{int(opencv[1]) // 8}", int(opencv[3])
    raise ValueError(f"images in the encoding {encoding!r} are no array of pixels; picture() gives "
                     "the colours of those that can be shown")


def image(message):
    """The pixels of a sensor_msgs/Image as they are stored, without a copy: an array of (height,
    width), or (height, width, channels), in the type and the order of its encoding."""
    import numpy as np
    data = _data(message)
    kind, channels = _pixel(data.encoding)
    dtype = np.dtype(kind).newbyteorder(">" if data.is_bigendian else "<")
    shape = (data.height, data.width, channels)
    pixel_bytes = dtype.itemsize * channels
    if data.step < data.width * pixel_bytes or len(data.data) < data.step * data.height:
        raise ValueError(f"an image of {data.width} x {data.height} pixels in {data.encoding} "
                         f"needs more than {len(data.data)} bytes with a step of {data.step}")
    pixels = np.ndarray(shape, dtype, data.data, strides=(data.step, pixel_bytes, dtype.itemsize))
    return pixels[:, :, 0] if channels == 1 else pixels


def picture(message, *, width=0, height=0):
    """What a message shows, in colours: (height, width, 3) of red, green and blue, or (height,
    width) of gray, in bytes. Of Image in any encoding, and CompressedImage with a JPEG or PNG. It
    is scaled down to at most `width` and `height`, if they are given."""
    import numpy as np
    high, wide, channels, pixels = _kitbag._picture(message, width, height)
    array = np.frombuffer(pixels, np.uint8)
    return array.reshape((high, wide) if channels == 1 else (high, wide, channels))


def points(message):
    """The points of a sensor_msgs/PointCloud2, without a copy: an array of structures with the
    fields of the cloud, so that points(message)["x"] are all x. It has two dimensions if the cloud
    has rows."""
    import numpy as np
    data = _data(message)
    order = ">" if data.is_bigendian else "<"
    names, formats, offsets = [], [], []
    for field in data.fields:
        if not 1 <= field.datatype <= len(_POINT_FIELDS):
            raise ValueError(f"the field {field.name!r} has the unknown type {field.datatype}")
        kind = order + _POINT_FIELDS[field.datatype - 1]
        names.append(field.name)
        formats.append(kind if field.count <= 1 else (kind, (field.count,)))
        offsets.append(field.offset)
    dtype = np.dtype({"names": names, "formats": formats, "offsets": offsets,
                      "itemsize": data.point_step})
    if data.row_step < data.width * data.point_step or \
            len(data.data) < data.row_step * data.height:
        raise ValueError(f"a cloud of {data.width} x {data.height} points needs more than "
                         f"{len(data.data)} bytes with a step of {data.row_step}")
    array = np.ndarray((data.height, data.width), dtype, data.data,
                       strides=(data.row_step, data.point_step))
    return array[0] if data.height == 1 else array
