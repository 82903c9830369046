#!/usr/bin/env python3
"""Forks while threads read: whatever they hold at that moment, no child waits for it."""

import sys
import threading
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

from peers import main  # noqa: E402
from python_package import PackageTest, kitbag, make_demo  # noqa: E402

WORKERS = 4
FORKS = 20
FIELD = "linear_acceleration.x"


def value(bag, index):
    return bag["/imu"][index].data.linear_acceleration.x


class Forks(PackageTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.path = make_demo(cls.folder / "demo.mcap", 3, "--compression", "zstd")

    def test_no_child_waits(self):
        bag = kitbag.open(self.path)
        expected = [m.data.linear_acceleration.x for m in bag["/imu"]]
        bag.to_numpy("/imu", [FIELD])  # a child would wait for what others import
        rounds = [0] * WORKERS
        is_over = threading.Event()

        def load(number):
            while not is_over.is_set():
                value(bag, (rounds[number] * 7) % 300)
                bag.to_numpy("/imu", [FIELD])
                sum(1 for _ in bag.read("/odom"))
                rounds[number] += 1

        def read():
            found = [value(bag, i) for i in range(number, 300, FORKS)]
            column = bag.to_numpy("/imu", [FIELD])
            return found == expected[number::FORKS], column[FIELD].tolist() == expected

        threads = [threading.Thread(target=load, args=(i,)) for i in range(WORKERS)]
        for thread in threads:
            thread.start()
        try:
            for number in range(FORKS):
                self.assertEqual(self.in_child(read), str((True, True)))
        finally:
            is_over.set()
            for thread in threads:
                thread.join()
        self.assertGreater(min(rounds), 0)


if __name__ == "__main__":
    main()
