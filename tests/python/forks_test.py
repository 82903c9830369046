#!/usr/bin/env python3
"""Forks of a process that has read with many threads. All of them rest at that moment, so that this
runs under AddressSanitizer, too; what they do else is in forks_beside_threads_test.py."""

import contextlib
import os
import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

from peers import main  # noqa: E402
from python_package import PackageTest, kitbag, make_demo  # noqa: E402

WORKERS = 4
FORKS = 10
FIELD = "linear_acceleration.x"


def rest():
    """Waits until no other thread runs: Python's end a little after join() has returned."""
    me = str(threading.get_native_id())
    calm = 0
    while calm < 3:
        states = set()
        for task in Path("/proc/self/task").iterdir():
            if task.name != me:
                with contextlib.suppress(OSError):  # it has ended
                    states.add((task / "stat").read_text().rpartition(")")[2].split()[0])
        calm = calm + 1 if states <= {"S"} else 0
        time.sleep(0.005)


class Forks(PackageTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.path = make_demo(cls.folder / "demo.mcap", 3, "--compression", "zstd")

    def setUp(self):
        self.bag = kitbag.open(self.path)
        self.expected = [m.data.linear_acceleration.x for m in self.bag["/imu"]]

    def read(self, number=0):
        """Whether a part of the bag is what it was, in all the ways in which threads share it."""
        found = [self.bag["/imu"][i].data.linear_acceleration.x for i in range(number, 300, FORKS)]
        return (found == self.expected[number::FORKS] and
                self.bag.to_numpy("/imu", [FIELD])[FIELD].tolist() == self.expected and
                sum(1 for _ in self.bag.read("/odom")) == 150)

    def read_in_threads(self):
        found = [False] * WORKERS

        def read(number):
            found[number] = self.read(number)

        threads = [threading.Thread(target=read, args=(i,)) for i in range(WORKERS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(found, [True] * WORKERS)
        rest()

    def test_children_of_a_process_whose_threads_have_read(self):
        for number in range(FORKS):
            self.read_in_threads()
            self.assertEqual(self.in_child(lambda number=number: self.read(number)), "True")

    def test_threads_that_wait_between_two_calls(self):
        can_go_on = threading.Event()
        has_read = threading.Barrier(WORKERS + 1)
        found = []

        def read(number):
            before = self.read(number)
            has_read.wait()
            can_go_on.wait()
            found.append(before and self.read(number))

        threads = [threading.Thread(target=read, args=(i,)) for i in range(WORKERS)]
        for thread in threads:
            thread.start()
        has_read.wait()
        rest()
        for number in range(FORKS):
            self.assertEqual(self.in_child(lambda number=number: self.read(number)), "True")
        can_go_on.set()
        for thread in threads:
            thread.join()
        self.assertEqual(found, [True] * WORKERS)

    def test_a_child_has_threads_and_children_of_its_own(self):
        def work():
            self.read_in_threads()
            return self.in_child(lambda: self.in_child(self.read))

        self.read_in_threads()
        self.assertEqual(self.in_child(work), "True")

    def test_children_at_the_same_time(self):
        self.read_in_threads()
        children = []
        for number in range(WORKERS):
            child = os.fork()
            if child == 0:
                code = 1
                try:
                    code = 0 if self.read(number) else 1
                finally:
                    os._exit(code)
            children.append(child)
        self.assertTrue(self.read())
        self.assertEqual([os.waitpid(child, 0)[1] for child in children], [0] * WORKERS)


if __name__ == "__main__":
    main()
