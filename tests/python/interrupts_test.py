#!/usr/bin/env python3
"""A KeyboardInterrupt ends whatever takes long within a second. A timer stands for the keyboard."""

import importlib
import os
import signal
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

from peers import main  # noqa: E402
from python_package import kitbag, need_package  # noqa: E402

ENDLESS = "demo://?seconds=2592000"
NEVER = "linear_acceleration.x > 1000"
SLOWER = 3 if os.environ.get("KITBAG_SANITIZE") else 1
BAGS = 5000  # more than any machine scans before the interrupt
AFTER_S = 0.3 * SLOWER
WITHIN_S = 1.0 * SLOWER


class Interrupts(unittest.TestCase):
    def setUp(self):
        need_package("numpy")
        importlib.import_module("numpy")  # takes long too, but is not what is interrupted here
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        before = signal.signal(signal.SIGALRM, signal.default_int_handler)
        self.addCleanup(signal.signal, signal.SIGALRM, before)
        self.addCleanup(signal.setitimer, signal.ITIMER_REAL, 0)

    def assert_interrupted(self, call, after_s=AFTER_S):
        begin = time.monotonic()
        signal.setitimer(signal.ITIMER_REAL, after_s)
        with self.assertRaises(KeyboardInterrupt):
            call()
        self.assertLess(time.monotonic() - begin - after_s, WITHIN_S)

    def test_iterating(self):
        bag = kitbag.open(ENDLESS)
        self.assert_interrupted(lambda: sum(1 for _ in bag.read()))
        self.assert_interrupted(lambda: list(bag.read("/imu", where=NEVER)))
        self.assertEqual(next(bag.read("/imu")).topic, "/imu")  # the bag is as it was

    def test_columns(self):
        bag = kitbag.open(ENDLESS)
        self.assert_interrupted(lambda: bag.to_numpy("/imu"))
        self.assert_interrupted(lambda: bag.to_numpy("/imu", where=NEVER))
        self.assert_interrupted(lambda: bag["/odom"].to_numpy(["pose.pose.position.x"]))
        self.assert_interrupted(
            lambda: bag.align(["/imu"], anchor="/battery", method="linear"))

    def test_pandas(self):
        need_package("pandas")
        importlib.import_module("pandas")
        bag = kitbag.open(ENDLESS)
        self.assert_interrupted(lambda: bag.to_pandas("/imu"))
        self.assert_interrupted(lambda: bag.to_pandas("/imu", where=NEVER))

    def test_converting(self):
        target = self.folder / "x.mcap"
        self.assert_interrupted(lambda: kitbag.convert(ENDLESS, target))
        self.assert_interrupted(
            lambda: kitbag.convert(ENDLESS, target, "/imu", where=NEVER))
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_scanning(self):
        kitbag.convert("demo://?seconds=20&seed=7", self.folder / "0.bag")
        for number in range(1, BAGS):
            os.link(self.folder / "0.bag", self.folder / f"{number}.bag")
        catalog = kitbag.Catalog(self.folder / "fleet.db", create=True)
        self.assert_interrupted(lambda: catalog.scan(self.folder))
        self.assertLess(len(catalog.find()), BAGS)
        is_known = catalog.bag(self.folder / "0.bag") is not None
        self.assertEqual(catalog.add(self.folder / "0.bag", index_only=True),
                         "unchanged" if is_known else "added")

    def test_exporting(self):
        target = self.folder / "x"
        for topic, more in (("/imu", {}), ("/imu", {"where": NEVER}), ("/odom", {"format": "tum"}),
                            ("/camera/image", {"format": "images"}),
                            ("/odom", {"partition": "bag"})):
            self.assert_interrupted(lambda: kitbag.export(ENDLESS, target, topic, **more))
        self.assertEqual([path for path in self.folder.rglob("*") if path.is_file()], [])

    def test_importing(self):
        target, imu = self.folder / "x.bag", kitbag.open(ENDLESS)["/imu"]
        self.assert_interrupted(lambda: kitbag.import_tables(
            imu, target, topic="/imu", type="sensor_msgs/Imu"))
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_plotting(self):
        for more in ({}, {"where": NEVER}):
            self.assert_interrupted(
                lambda: kitbag.plot(ENDLESS, "/imu.angular_velocity.x", **more))

    def test_recording(self):
        target = self.folder / "x.mcap"
        for after_s in AFTER_S, 5 * AFTER_S, 50 * AFTER_S:  # a busy machine takes long to begin
            self.assert_interrupted(lambda: kitbag.record("demo://", target), after_s)
            if len(kitbag.open(target, strict=True)) > 0:
                break
            target.unlink()
        self.assertTrue(target.exists(), "something is recorded")
        target = self.folder / "silent.mcap"
        silent = f"zmq+ipc://{self.folder}/silent?bind=1"
        self.assert_interrupted(lambda: kitbag.record(silent, target))
        self.assertEqual(len(kitbag.open(target, strict=True)), 0)

    def test_playing(self):
        bag = self.folder / "gap.mcap"
        with kitbag.create(bag) as writer:
            writer.topic("/a", "a/msg/A", "int32 a\n")
            for time_ns in (0, 10**9, 10**13):
                writer.write("/a", {"a": 1}, time_ns)
        nobody = f"zmq+ipc://{self.folder}/nobody"
        self.assert_interrupted(lambda: kitbag.play(bag, nobody))
        self.assert_interrupted(lambda: kitbag.play(ENDLESS, nobody, rate=1000))
        listening = f"zmq+ipc://{self.folder}/pubsub?pattern=pubsub&bind=1"
        self.assert_interrupted(lambda: kitbag.play(bag, listening))


if __name__ == "__main__":
    main()
