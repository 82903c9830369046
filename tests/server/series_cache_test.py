#!/usr/bin/env python3
"""Plots are kept as files in the cache: a server that is restarted reads no bag again, a damaged
file is made anew, and without room for files the answers are the same."""

import concurrent.futures
import re
import resource
import shutil
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import peers  # noqa: E402
from bag_folder import OwnFolder  # noqa: E402
from peers import kitbag  # noqa: E402
from server import Server  # noqa: E402

PLOT = "/bags/a.mcap/series?topics=/odom&fields=pose.pose.position.x,twist.twist.linear.x"


def chunks(server):
    """How often a chunk was asked for."""
    text = server.ask("/metrics").body.decode()
    return sum(int(count) for count in
               re.findall(r"^kitbag_chunks_(?:loaded|shared)_total (\d+)", text, re.M))


class SeriesCacheTest(OwnFolder):
    def setUp(self):
        super().setUp()
        self.bags, self.cache = self.folder / "bags", self.folder / "cache"
        self.bags.mkdir()
        self.bag = self.bags / "a.mcap"
        kitbag("convert", "demo://?seconds=6&seed=3", self.bag, "--compression", "zstd")

    def serve(self, *options):
        return Server(self.bags, "--cache-dir", self.cache, *options)

    def plot(self, server, more=""):
        reply = server.ask(PLOT + more)
        self.assertEqual(reply.status, 200, reply.body)
        return reply.body

    def files(self):
        return sorted(self.cache.glob("*"))

    def first_plot(self):
        with self.serve() as server:
            body = self.plot(server)
            self.assertGreater(chunks(server), 0)
        file, = self.files()
        self.assertRegex(file.name, r"^[0-9a-f]{32}\.series$")
        return body, file

    def test_a_server_that_is_restarted_reads_no_messages(self):
        body, file = self.first_plot()
        part = "&start_time=1767225602&end_time=1767225604&buckets=50"
        with self.serve() as server:
            in_part = self.plot(server, part)
            self.assertEqual(self.plot(server), body)
            self.assertEqual(chunks(server), 0)
        file.unlink()
        with self.serve() as server:
            read = self.plot(server, part)
            self.assertGreater(chunks(server), 0)
            self.assertEqual(re.sub(rb'"mean".*', b"", read), re.sub(rb'"mean".*', b"", in_part))

    def test_a_damaged_file_is_made_anew(self):
        body, file = self.first_plot()
        whole = file.read_bytes()
        flipped = bytearray(whole)
        flipped[len(whole) // 2] ^= 1
        for damaged in b"", b"no series", whole[:-1], whole[:100], whole + b"x", bytes(flipped):
            file.write_bytes(damaged)
            with self.serve() as server:
                self.assertEqual(self.plot(server), body)
                self.assertGreater(chunks(server), 0)
            self.assertEqual(file.read_bytes(), whole)
        file.unlink()
        file.mkdir()
        with self.serve() as server:
            self.assertEqual(self.plot(server), body)

    def test_another_bag_in_its_place_has_its_own(self):
        body, _ = self.first_plot()
        kitbag("convert", "demo://?seconds=6&seed=4", self.bag, "--compression", "zstd", "--force")
        with self.serve() as server:
            self.assertNotEqual(self.plot(server), body)
        self.assertEqual(len(self.files()), 2)

    def test_views_and_plots_share_the_room(self):
        view = "/view/a.mcap.mcap?topics=/battery&encoding=cdr"
        with self.serve() as server:
            self.assertEqual(server.ask(view).status, 200)
            self.assertEqual(server.ask(PLOT).status, 200)
            sizes = [each.stat().st_size for each in self.files()]
            self.assertEqual(len(sizes), 2)
        with self.serve("--max-cache-size", str(sum(sizes) - 1)) as server:
            shutil.rmtree(self.cache)
            for target, left in (view, ".mcap"), (PLOT, ".series"), (view, ".mcap"):
                self.assertEqual(server.ask(target).status, 200)
                self.assertEqual([each.suffix for each in self.files()], [left])

    def test_without_room_the_answer_is_the_same(self):
        body, file = self.first_plot()
        shutil.rmtree(self.cache)
        with self.serve("--max-cache-size", "1000") as server:
            self.assertEqual(self.plot(server), body)
            self.assertEqual(self.files(), [])
        with self.serve() as server:
            resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (1000, 1000))
            for _ in range(2):
                self.assertEqual(self.plot(server), body)
                self.assertEqual(self.plot(server, "&buckets=10"), self.plot(server, "&buckets=10"))
                self.assertEqual(server.ask(PLOT + ",pose.pose.position.y").status, 200)
            self.assertEqual(self.files(), [])
            server.process.terminate()
            told = server.process.stderr.read()
        self.assertEqual(told.count("a plot is not kept"), 1, told)

    def test_all_who_ask_at_once_get_the_same(self):
        with self.serve() as server, concurrent.futures.ThreadPoolExecutor(12) as threads:
            bodies = set(threads.map(lambda _: self.plot(server), range(12)))
            self.assertEqual(len(bodies), 1)
            once = chunks(server)
        shutil.rmtree(self.cache)
        with self.serve() as server:
            self.plot(server)
            self.assertEqual(chunks(server), once)

    def test_a_bag_that_is_being_recorded_is_read_each_time(self):
        active = self.bags / "b.mcap.active"
        active.write_bytes(self.bag.read_bytes()[:-200])
        with self.serve() as server:
            end = time.monotonic() + 10
            while not any(each["filename"] == "b.mcap" for each in server.list()):
                self.assertLess(time.monotonic(), end)
            for _ in range(2):
                before = chunks(server)
                reply = server.ask(PLOT.replace("a.mcap", "b.mcap"))
                self.assertEqual(reply.status, 200, reply.body)
                self.assertGreater(chunks(server), before)
        self.assertEqual(self.files(), [])


if __name__ == "__main__":
    peers.main()
