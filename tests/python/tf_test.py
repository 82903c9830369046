#!/usr/bin/env python3
"""bag.tf: where frames are, beside what NumPy computes by other means: rotation matrices, and the
angle between two of them."""

import datetime
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

from peers import kitbag as program  # noqa: E402
from peers import main  # noqa: E402
from python_package import PackageTest, kitbag, make_demo  # noqa: E402

RULE = "=" * 80 + "\n"
TF = ("geometry_msgs/TransformStamped[] transforms\n" + RULE
      + "MSG: geometry_msgs/TransformStamped\nHeader header\nstring child_frame_id\n"
        "Transform transform\n" + RULE
      + "MSG: std_msgs/Header\nuint32 seq\ntime stamp\nstring frame_id\n" + RULE
      + "MSG: geometry_msgs/Transform\nVector3 translation\nQuaternion rotation\n" + RULE
      + "MSG: geometry_msgs/Vector3\nfloat64 x\nfloat64 y\nfloat64 z\n" + RULE
      + "MSG: geometry_msgs/Quaternion\nfloat64 x\nfloat64 y\nfloat64 z\nfloat64 w\n")
SECOND = 10**9
START = 1_700_000_000 * SECOND
UNTURNED = (0.0, 0.0, 0.0, 1.0)


def transform(parent, child, stamp, translation=(0.0, 0.0, 0.0), rotation=UNTURNED):
    return {"header": {"stamp": stamp, "frame_id": parent}, "child_frame_id": child,
            "transform": {"translation": dict(zip("xyz", translation)),
                          "rotation": dict(zip("xyzw", rotation))}}


def matrix_of(translation, rotation):
    """By Rodrigues' formula."""
    import numpy as np
    axis = np.array(rotation[:3])
    sine = np.linalg.norm(axis)
    angle = 2 * np.arctan2(sine, rotation[3])
    x, y, z = axis / sine if sine else (1.0, 0.0, 0.0)
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    whole = np.eye(4)
    whole[:3, :3] += np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross
    whole[:3, 3] = translation
    return whole


def between(first, second, share):
    """The rotation from one to the other, about its axis by a share of its angle."""
    import numpy as np
    turn = first[:3, :3].T @ second[:3, :3]
    angle = np.arccos(np.clip((np.trace(turn) - 1) / 2, -1, 1))
    axis = np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]])
    axis /= np.linalg.norm(axis)
    part = matrix_of((0, 0, 0), (*(axis * np.sin(share * angle / 2)), np.cos(share * angle / 2)))
    whole = np.eye(4)
    whole[:3, :3] = first[:3, :3] @ part[:3, :3]
    whole[:3, 3] = (1 - share) * first[:3, 3] + share * second[:3, 3]
    return whole


class Tf(PackageTest):
    def bag(self, messages, name="x.bag"):
        """A bag of (topic, log time, transforms)."""
        path = self.folder / name
        with kitbag.create(path, replace=True) as writer:
            for topic in sorted({message[0] for message in messages}):
                writer.topic(topic, "tf2_msgs/TFMessage", TF)
            for topic, time, transforms in messages:
                writer.write(topic, {"transforms": transforms}, time)
        return kitbag.open(path)

    def robot(self):
        """A base that turns and moves on, once a second, and a laser on it."""
        import numpy as np
        random = np.random.default_rng(5)
        self.laser = (1.0, -2.0, 0.5), (0.5, 0.5, -0.5, 0.5)
        self.poses = []
        messages = [("/tf_static", START, [transform("base", "laser", 0, *self.laser)])]
        for i in range(100):
            rotation = random.normal(size=4)
            rotation /= np.linalg.norm(rotation)
            self.poses.append((random.normal(size=3).tolist(), rotation.tolist()))
            stamp = START + i * SECOND
            messages.append(("/tf", stamp + SECOND // 10,
                             [transform("map", "base", stamp, *self.poses[-1])]))
        return self.bag(messages)

    def expected(self, time):
        """The laser in the map."""
        i, rest = divmod(time - START, SECOND)
        base = matrix_of(*self.poses[i])
        if rest:
            base = between(base, matrix_of(*self.poses[i + 1]), rest / SECOND)
        return base @ matrix_of(*self.laser)

    def test_between_transforms(self):
        import numpy as np
        bag = self.robot()
        random = np.random.default_rng(7)
        times = START + random.integers(0, 99 * SECOND, 500)
        times[:100] = START + np.arange(100) * SECOND
        found = bag.tf.lookup("map", "laser", times, matrix=True)
        self.assertEqual(found.shape, (500, 4, 4))
        for time, matrix in zip(times.tolist(), found):
            np.testing.assert_allclose(matrix, self.expected(time), atol=1e-9)
        back = bag.tf.lookup("laser", "map", times, matrix=True)
        np.testing.assert_allclose(found @ back, np.broadcast_to(np.eye(4), found.shape), atol=1e-9)
        rows = bag.tf.lookup("map", "laser", times)
        self.assertEqual(rows.shape, (500, 7))
        for row, matrix in zip(rows, found):
            np.testing.assert_allclose(matrix_of(row[:3], row[3:]), matrix, atol=1e-9)

    def test_one_time_and_many(self):
        import numpy as np
        bag = self.robot()
        time = START + 5 * SECOND + SECOND // 2
        one = bag.tf.lookup("map", "laser", time)
        self.assertEqual(one.shape, (7,))
        self.assertEqual(bag.tf.lookup("map", "laser", time, matrix=True).shape, (4, 4))
        date = datetime.datetime.fromtimestamp(time / SECOND, datetime.timezone.utc)
        for same in (np.datetime64(time, "ns"), np.int64(time), date, "1700000005.5", "+5.5s"):
            np.testing.assert_array_equal(bag.tf.lookup("/map", "laser", same), one)
        for many in ([time, time], (date, "+5.5s"), np.array([time] * 2),
                     np.array([time] * 2, "datetime64[ns]")):
            np.testing.assert_array_equal(bag.tf.lookup("map", "laser", many), [one, one])
        self.assertEqual(bag.tf.lookup("map", "laser", []).shape, (0, 7))
        stamp = bag["/tf"][7].data.transforms[0].header.stamp
        np.testing.assert_allclose(bag.tf.lookup("map", "base", stamp)[:3], self.poses[7][0])
        with self.assertRaisesRegex(TypeError, "not exact"):
            bag.tf.lookup("map", "laser", np.array([1.5]))
        with self.assertRaisesRegex(ValueError, "one dimension"):
            bag.tf.lookup("map", "laser", np.zeros((2, 2), np.int64))
        with self.assertRaisesRegex(ValueError, "missing"):
            bag.tf.lookup("map", "laser", time, missing="zero")

    def test_times_without_an_answer(self):
        import numpy as np
        bag = self.robot()
        first = r"the first transform of \"base\" is of 2023-11-14T22:13:20"
        last = r"the last transform of \"base\" is of 2023-11-14T22:14:59"
        for time, said in ((START - 1, first), (START + 99 * SECOND + 1, last), (0, first),
                           (2**62, last)):
            with self.assertRaisesRegex(kitbag.Error, said) as caught:
                bag.tf.lookup("map", "laser", [START, time])
            self.assertEqual(caught.exception.code, "not_found")
        found = bag.tf.lookup("map", "laser", [START - 1, START, 2**62], missing="nan")
        self.assertEqual(np.isnan(found).all(axis=1).tolist(), [True, False, True])
        for frame in ("nowhere", ""):
            for missing in ("raise", "nan"):
                with self.assertRaisesRegex(kitbag.Error, f'names the frame "{frame}"'):
                    bag.tf.lookup("map", frame, START, missing=missing)

    def test_frames_that_are_not_connected_and_loops(self):
        bag = self.bag([("/tf_static", START, [
            transform("a", "b", 0), transform("b", "c", 0), transform("c", "a", 0),
            transform("map", "base", 0), transform("world", "other", 0)])])
        with self.assertRaisesRegex(kitbag.Error, "not connected"):
            bag.tf.lookup("base", "other", START)
        with self.assertRaisesRegex(kitbag.Error, "lead back to themselves"):
            bag.tf.lookup("map", "a", START)

    def test_what_is_no_rotation_is_left_out(self):
        import numpy as np
        nan = float("nan")
        bag = self.bag([("/tf", START + i * SECOND, [
            transform("map", "base", START + i * SECOND, (i, 0.0, 0.0),
                      (nan, nan, nan, nan) if i == 1 else UNTURNED),
            transform("map", "zero", START + i * SECOND, (i, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0))])
            for i in range(3)])
        np.testing.assert_array_equal(bag.tf.lookup("map", "base", START + SECOND),
                                      [1, 0, 0, 0, 0, 0, 1])
        np.testing.assert_array_equal(bag.tf.lookup("map", "zero", START), [0, 0, 0, 0, 0, 0, 1])

    def test_stamps_of_a_simulation(self):
        """They have nothing to do with the log times; and it starts again."""
        bag = self.bag([("/tf", START + i * SECOND,
                         [transform("map", "base", i % 60 * SECOND + i // 60 * SECOND // 2,
                                    (float(i), 0.0, 0.0))]) for i in range(100)])
        def x(seconds):
            return bag.tf.lookup("map", "base", int(seconds * SECOND))[0]
        self.assertEqual(x(0), 0)
        self.assertEqual(x(0.5), 60)
        self.assertEqual(x(20), 79.5)
        self.assertEqual(x(39.5), 99)
        with self.assertRaisesRegex(kitbag.Error, "the last transform"):
            x(40)

    def test_of_several_bags(self):
        first = self.bag([("/tf", START, [transform("map", "base", START, (1.0, 0.0, 0.0))])],
                         "first.bag")
        self.bag([("/tf", START + SECOND,
                   [transform("map", "base", START + SECOND, (3.0, 0.0, 0.0))])], "second.mcap")
        both = kitbag.open([self.folder / "first.bag", self.folder / "second.mcap"])
        self.assertEqual(both.tf.lookup("map", "base", START + SECOND // 2)[0], 2)
        with self.assertRaises(kitbag.Error):
            first.tf.lookup("map", "base", START + SECOND // 2)
        first.close()
        with self.assertRaisesRegex(ValueError, "closed"):
            first.tf.lookup("map", "base", START)

    def test_encodings_and_sql_agree(self):
        import numpy as np
        path = make_demo(self.folder / "demo.bag", 5)
        bag = kitbag.open(path)
        times = [m.data.header.stamp.ns for m in bag["/scan"]]
        found = bag.tf.lookup("map", "laser", times, missing="nan")
        self.assertGreater(np.isfinite(found).all(axis=1).sum(), 40)
        query = ("SELECT l.* FROM scan "
                 "LEFT JOIN tf_lookup('map', 'laser', \"header.stamp\") l")
        said = json.loads(program("sql", "--format", "json", query, path))
        for row, in_sql in zip(found, said, strict=True):
            values = [in_sql[name] for name in ("x", "y", "z", "qx", "qy", "qz", "qw")]
            np.testing.assert_array_equal(row, [np.nan if v is None else v for v in values])
        for encoding in ("cdr", "json", "protobuf"):
            other = self.folder / f"{encoding}.mcap"
            program("convert", path, other, "--encoding", encoding)
            np.testing.assert_allclose(
                kitbag.open(other).tf.lookup("map", "laser", times, missing="nan"), found)


if __name__ == "__main__":
    main()
