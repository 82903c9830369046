#!/usr/bin/env python3
"""Every message of the real ROS 1 bags as kitbag gives it in Python and as the real rosbag does,
value by value; and back: what kitbag writes of rosbag's messages, rosbag reads."""

import sys
import tempfile
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import ros1  # noqa: E402
from peers import REAL_BAGS, main, need_real_bags  # noqa: E402
from python_package import PackageTest, kitbag  # noqa: E402

MOST = 2000  # messages of a bag


def is_same(ours, theirs):
    """Floats that are not numbers count as equal."""
    import numpy
    if ours is None:  # the bag has no definition; the real one takes it for an empty type
        return not theirs.__slots__
    if hasattr(theirs, "to_nsec"):
        return ours.ns == theirs.to_nsec()
    if hasattr(theirs, "__slots__"):
        return list(ours) == list(theirs.__slots__) and all(
            is_same(ours[name], getattr(theirs, name)) for name in theirs.__slots__)
    if isinstance(ours, numpy.ndarray):
        if isinstance(theirs, bytes):
            return ours.tobytes() == theirs
        return numpy.array_equal(ours, numpy.array(theirs, ours.dtype),
                                 equal_nan=ours.dtype.kind == "f")
    if isinstance(theirs, (list, tuple)):
        return len(ours) == len(theirs) and all(map(is_same, ours, theirs))
    return ours == theirs or (ours != ours and theirs != theirs)


class Rosbag(PackageTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        ros1.need_rosbag()

    def compare(self, path):
        with ros1.rosbag.Bag(str(path)) as theirs, kitbag.open(path) as ours:
            messages = list(zip(range(MOST), ours.read(order="file"), strict=False))
            by_time = {}
            for _, message in messages:
                by_time.setdefault((message.topic, message.time), []).append(message)
            compared = 0
            for topic, message, time in theirs.read_messages():
                found = by_time.get((topic, time.to_nsec()))
                if not found:
                    continue
                self.assertTrue(any(is_same(each.data, message) for each in found),
                                f"{path.name}: {topic} at {time}")
                compared += 1
            self.assertEqual(compared, len(messages), path.name)
            return compared

    def test_real_bags(self):
        need_real_bags()
        compared = 0
        for path in sorted(REAL_BAGS.glob("v2.0_*.bag")):
            with self.subTest(bag=path.name), warnings.catch_warnings():
                warnings.simplefilter("ignore", kitbag.TypeWarning)
                try:
                    compared += self.compare(path)
                except ros1.rosbag.ROSBagException:
                    continue  # cut off: the real one does not read it
        self.assertGreater(compared, 1000)

    def test_both_ways(self):
        import geometry_msgs.msg
        import nav_msgs.msg
        from genpy import Time
        message = nav_msgs.msg.Odometry(child_frame_id="base")
        message.header.stamp = Time(5, 6)
        message.pose.pose.position.x = 0.1
        message.pose.covariance = [float(i) for i in range(36)]
        path = nav_msgs.msg.Path(poses=[geometry_msgs.msg.PoseStamped() for _ in range(3)])
        with tempfile.TemporaryDirectory() as folder:
            target = Path(folder) / "x.bag"
            with kitbag.create(target) as writer:
                for topic, each in (("/odom", message), ("/path", path)):
                    writer.write(topic, each, Time(7, 8), type=each._type,
                                 definition=each._full_text)
            self.assertEqual(self.compare(target), 2)
            with ros1.rosbag.Bag(str(target)) as bag:
                read = {topic: (each, time.to_nsec()) for topic, each, time in bag.read_messages()}
        for topic, each in (("/odom", message), ("/path", path)):
            self.assertEqual((str(read[topic][0]), read[topic][1]), (str(each), 7_000_000_008))


if __name__ == "__main__":
    main()
