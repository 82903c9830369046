#!/usr/bin/env python3
"""Images and point clouds as arrays: the values of the payload."""

import io
import struct
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

from peers import main  # noqa: E402
from python_package import PackageTest, kitbag, make_demo  # noqa: E402


class Sensors(PackageTest):
    modules = ("numpy", "PIL")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.bag = kitbag.open(make_demo(cls.folder / "demo.bag", 1))

    def one(self, topic, data, name="x.bag"):
        """The message of a bag that holds it alone."""
        path = self.folder / name
        with kitbag.create(path, replace=True) as writer:
            writer.write("/x", data, 1, type=topic)
        return kitbag.open(path)["/x"][0]

    def test_an_image_is_its_payload(self):
        import numpy
        message = self.bag["/camera/image"][0]
        pixels = kitbag.image(message)
        self.assertEqual(pixels.tobytes(), message.data.data.tobytes())
        self.assertTrue(numpy.shares_memory(pixels, numpy.frombuffer(message.raw, numpy.uint8)))
        self.assertTrue(numpy.array_equal(kitbag.picture(message), pixels))
        self.assertEqual(message.data.encoding, "rgb8")

    def test_encodings_and_steps(self):
        image = self.bag["/camera/image"]
        data = bytes(range(32))
        for encoding, big, step, expected in (
                ("mono8", 0, 4, [[0, 1, 2], [4, 5, 6]]),
                ("bayer_rggb8", 0, 3, [[0, 1, 2], [3, 4, 5]]),
                ("16UC1", 1, 6, [[1, 515, 1029], [1543, 2057, 2571]]),
                ("mono16", 0, 8, [[256, 770, 1284], [2312, 2826, 3340]]),
                ("8SC2", 0, 6, [[[0, 1], [2, 3], [4, 5]], [[6, 7], [8, 9], [10, 11]]])):
            message = self.one(image, {"height": 2, "width": 3, "step": step, "is_bigendian": big,
                                       "encoding": encoding, "data": data})
            self.assertEqual(kitbag.image(message).tolist(), expected, encoding)
        for wrong in ({"step": 2}, {"height": 1000}, {"encoding": "yuv"}, {"encoding": "8UC0"}):
            message = self.one(image, {"height": 2, "width": 3, "step": 3, "encoding": "mono8",
                                       "data": data, **wrong})
            with self.assertRaises(ValueError):
                kitbag.image(message)

    def test_compressed_images(self):
        import numpy
        from PIL import Image
        pixels = numpy.arange(8 * 6 * 3, dtype=numpy.uint8).reshape(6, 8, 3)
        file = io.BytesIO()
        Image.fromarray(pixels).save(file, "PNG")
        path = self.folder / "png.bag"
        with kitbag.create(path, replace=True) as writer:
            writer.topic("/x", "sensor_msgs/CompressedImage", "string format\nuint8[] data\n")
            writer.write("/x", {"format": "png", "data": file.getvalue()}, 1)
            writer.write("/x", {"format": "png", "data": b"none"}, 2)
        message, damaged = kitbag.open(path)["/x"]
        self.assertTrue(numpy.array_equal(kitbag.picture(message), pixels))
        self.assertEqual(kitbag.picture(message, width=4).shape, (3, 4, 3))
        with self.assertRaisesRegex(kitbag.Error, "/x"):
            kitbag.picture(damaged)
        with self.assertRaises(TypeError):
            kitbag.picture(pixels)

    def test_points(self):
        import numpy
        message = self.bag["/points"][0]
        cloud = kitbag.points(message)
        data = message.data
        self.assertEqual(cloud.shape, (data.width,))
        for index in (0, 7, data.width - 1):
            for field in data.fields:
                at = index * data.point_step + field.offset
                self.assertEqual(field.datatype, 7)
                expected = struct.unpack_from("<f", data.data.tobytes(), at)[0]
                self.assertEqual(cloud[field.name][index], numpy.float32(expected))
        self.assertTrue(numpy.shares_memory(cloud, numpy.frombuffer(message.raw, numpy.uint8)))

    def test_clouds_with_rows_and_wrong_ones(self):
        fields = [{"name": "a", "offset": 0, "datatype": 4, "count": 1},
                  {"name": "b", "offset": 2, "datatype": 2, "count": 2}]
        right = {"height": 2, "width": 2, "fields": fields, "point_step": 4, "row_step": 10,
                 "data": bytes(range(20))}
        cloud = kitbag.points(self.one(self.bag["/points"], right))
        self.assertEqual(cloud["a"].tolist(), [[256, 1284], [2826, 3854]])
        self.assertEqual(cloud["b"].tolist(), [[[2, 3], [6, 7]], [[12, 13], [16, 17]]])
        for wrong in ({"row_step": 7}, {"height": 3}, {"point_step": 3},
                      {"fields": [{**fields[0], "datatype": 9}]},
                      {"fields": [{**fields[0], "offset": 2**31}]}):
            with self.assertRaises((ValueError, OverflowError)):
                kitbag.points(self.one(self.bag["/points"], {**right, **wrong}))


if __name__ == "__main__":
    main()
