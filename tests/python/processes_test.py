#!/usr/bin/env python3
"""Bags in several processes: pickled ones, and those that a forked process finds open. What threads
do meanwhile is in forks_test.py and forks_beside_threads_test.py."""

import multiprocessing
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

from peers import main  # noqa: E402
from python_package import PackageTest, kitbag, make_demo  # noqa: E402

WORKERS = 4


class Dataset:
    """As a data loader of training has one."""

    def __init__(self, path):
        self.bag = kitbag.open(path)

    def __getitem__(self, index):
        return self.bag["/imu"][index].data.linear_acceleration.x


def item(dataset, index):
    return dataset[index]


class Processes(PackageTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.path = make_demo(cls.folder / "demo.mcap", 3, "--compression", "zstd")

    def test_workers_read_at_random(self):
        dataset = Dataset(self.path)
        expected = [m.data.linear_acceleration.x for m in dataset.bag["/imu"]]
        order = [(i * 89) % 300 for i in range(300)]
        running = dataset.bag.read()  # with threads that read ahead, which no child has
        next(running)
        for method in ("fork", "spawn"):
            with multiprocessing.get_context(method).Pool(WORKERS) as pool:
                found = pool.starmap(item, [(dataset, i) for i in order], chunksize=20)
            self.assertEqual(found, [expected[i] for i in order], method)
        self.assertEqual(sum(1 for _ in running), len(dataset.bag) - 1)

    def test_an_inherited_bag_is_opened_again(self):
        bag = kitbag.open(self.path)
        rest = bag.read()
        kept = next(rest)

        def work():
            nonlocal bag, rest
            found = len(list(bag.read("/odom"))), kept.topic, len(bag.to_numpy("/imu")["time"])
            del bag, rest  # what reads in the parent is not destroyed here
            return found

        self.assertEqual(self.in_child(work), str((150, kept.topic, 300)))
        self.assertIn("forked", self.in_child(lambda: len(list(rest))))

    def test_a_bag_that_is_written_stays_with_its_process(self):
        path = self.folder / "written.mcap"
        writer = kitbag.create(path)
        writer.topic("/a", "a/msg/A", "int32 a\n")

        def work():
            nonlocal writer
            try:
                writer.write("/a", {"a": 2}, 2)
            finally:
                del writer

        self.assertIn("forked", self.in_child(work))
        writer.write("/a", {"a": 1}, 1)
        writer.close()
        self.assertEqual([m.data.a for m in kitbag.open(path)], [1])


if __name__ == "__main__":
    main()
