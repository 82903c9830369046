#!/usr/bin/env python3
"""The list of bags: what it shows, and when it changes."""

import gzip
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import peers  # noqa: E402
from bag_folder import DEMO, InFolder, OwnFolder, cat  # noqa: E402
from peers import kitbag, program  # noqa: E402
from server import Server  # noqa: E402


class List(InFolder):
    @classmethod
    def fill(cls):
        kitbag("convert", DEMO, cls.folder / "second.bag", "--encoding", "ros1")
        kitbag("convert", DEMO, cls.folder / "first.mcap", "--duration", "1s")
        kitbag("convert", DEMO, f"{cls.folder}/directory/")
        (cls.folder / "notes.txt").write_text("no bag")
        (cls.folder / ".hidden.bag").write_bytes((cls.folder / "second.bag").read_bytes())
        (cls.folder / "torn.bag").write_bytes((cls.folder / "second.bag").read_bytes()[:1000])
        outside = tempfile.TemporaryDirectory()
        cls.addClassCleanup(outside.cleanup)
        shutil.copy(cls.folder / "second.bag", outside.name)
        os.symlink(f"{outside.name}/second.bag", cls.folder / "link_out.bag")
        os.symlink("second.bag", cls.folder / "link_within.bag")

    def test_every_bag_with_the_keys_of_the_document(self):
        listed = {bag["filename"]: bag for bag in self.server.list()}
        self.assertEqual(set(listed), {"second.bag", "first.mcap", "directory", "torn.bag",
                                       "link_within.bag"})
        second = listed["second.bag"]
        size = (self.folder / "second.bag").stat().st_size
        self.assertEqual(second["size_bytes"], size)
        self.assertEqual(second["size"], f"{size / 1024**2:.1f}MB")
        self.assertEqual(second["download_url"],
                         f"http://{self.server.host}/bags/second.bag/download")
        last = cat(self.folder / "second.bag")[-1][1]
        self.assertEqual(second["end"], time.strftime("%d-%b-%Y %H:%M:%S",
                                                      time.gmtime(last // 10**9)))
        members = [path for path in (self.folder / "directory").iterdir()]
        self.assertEqual(listed["directory"]["size_bytes"],
                         sum(path.stat().st_size for path in members))

    def test_what_the_document_does_not_have(self):
        second = next(bag for bag in self.server.list() if bag["filename"] == "second.bag")
        messages = cat(self.folder / "second.bag")
        self.assertEqual(second["messages"], len(messages))
        self.assertEqual(second["topics"], len({topic for topic, _, _ in messages}))
        self.assertAlmostEqual(second["duration"], (messages[-1][1] - messages[0][1]) / 1e9, 6)
        self.assertNotIn("recording", second)

    def test_the_host_of_the_request_is_in_the_links(self):
        reply = self.server.ask("/bags/", Host=self.server.host.replace("127.0.0.1", "localhost"))
        self.assertTrue(reply.json()[0]["download_url"].startswith("http://localhost:"))

    def test_the_list_is_asked_for_again_each_time(self):
        reply = self.server.ask("/bags/")
        self.assertEqual(reply.headers["Cache-Control"], "no-cache")
        again = self.server.ask("/bags/", If_None_Match=reply.headers["ETag"])
        self.assertEqual((again.status, again.body), (304, b""))

    def test_a_new_bag_is_visible_within_a_second(self):
        new = self.folder / "new.bag"
        before = self.names()
        self.assertNotIn("new.bag", before)
        shutil.copy(self.folder / "second.bag", new)
        time.sleep(1)
        self.assertEqual(self.names(), before | {"new.bag"})
        new.unlink()
        time.sleep(1)
        self.assertEqual(self.names(), before)

    def names(self):
        """Of the bags in the list, which is the same in each encoding."""
        plain = self.server.ask("/bags/")
        packed = self.server.ask("/bags/", accept_encoding="gzip")
        self.assertEqual(packed.headers["Content-Encoding"], "gzip")
        self.assertEqual(gzip.decompress(packed.body), plain.body)
        return {bag["filename"] for bag in plain.json()}

    def test_a_path_without_its_slash_leads_there(self):
        reply = self.server.ask("/bags")
        self.assertEqual((reply.status, reply.headers["Location"]), (301, self.server.url))


class ListOptions(OwnFolder):
    def test_times_are_utc_unless_local_time_is_asked_for(self):
        kitbag("convert", DEMO, self.folder / "a.mcap")
        last = cat(self.folder / "a.mcap")[-1][1] // 10**9
        tokyo = {"TZ": "Asia/Tokyo"}
        for options, seconds in ((), last), (("--local-time",), last + 9 * 3600):
            with Server(self.folder, *options, env=tokyo) as server:
                self.assertEqual(server.list()[0]["end"],
                                 time.strftime("%d-%b-%Y %H:%M:%S", time.gmtime(seconds)))

    def test_an_empty_bag_ends_when_it_was_modified(self):
        kitbag("convert", DEMO, self.folder / "a.mcap", "--count", "0")
        os.utime(self.folder / "a.mcap", (1698762977, 1698762977))
        with Server(self.folder) as server:
            self.assertEqual(server.list()[0]["end"], "31-Oct-2023 14:36:17")

    def test_the_oldest_is_the_first(self):
        for name, seconds in ("z.mcap", 5), ("a.mcap", 1), ("m.mcap", 3):
            kitbag("convert", "demo://?seconds=9", self.folder / name, "--start", f"+{seconds}s")
        with Server(self.folder) as server:
            self.assertEqual([bag["filename"] for bag in server.list()],
                             ["a.mcap", "m.mcap", "z.mcap"])

    def test_a_public_url_is_in_the_links(self):
        kitbag("convert", DEMO, self.folder / "a b.mcap")
        with Server(self.folder, "--public-url", "https://robot.example/logs/") as server:
            self.assertEqual(server.list()[0]["download_url"],
                             "https://robot.example/logs/bags/a%20b.mcap/download")

    def test_two_bags_of_one_name_are_refused(self):
        for name in "one", "two":
            (self.folder / name).mkdir()
            kitbag("convert", DEMO, self.folder / name / "a.mcap")
        done = subprocess.run([program(), "serve", self.folder / "one", self.folder / "two",
                               "--port", "0"], capture_output=True, text=True, timeout=20)
        self.assertEqual(done.returncode, 2)
        self.assertIn("has the same name as", done.stderr)

    def test_a_bag_that_is_named_twice_is_refused(self):
        kitbag("convert", DEMO, self.folder / "a.mcap")
        for places in [self.folder / "a.mcap"] * 2, [self.folder] * 2:
            done = subprocess.run([program(), "serve", *places, "--port", "0"],
                                  capture_output=True, text=True, timeout=20)
            self.assertEqual(done.returncode, 2)
            self.assertIn("is named twice", done.stderr)

    def test_a_leftover_beside_its_file_is_a_warning(self):
        kitbag("convert", DEMO, self.folder / "run.mcap")
        shutil.copy(self.folder / "run.mcap", self.folder / "run.mcap.active")
        with Server(self.folder) as server:
            self.assertEqual([bag["filename"] for bag in server.list()], ["run.mcap"])
            self.assertNotIn("recording", server.list()[0])
            server.process.terminate()
            said = server.process.communicate()[1]
        self.assertIn("run.mcap.active is not listed: ", said)

    def test_one_bag_alone(self):
        kitbag("convert", DEMO, self.folder / "a.mcap")
        kitbag("convert", DEMO, self.folder / "b.mcap")
        with Server(self.folder / "b.mcap") as server:
            self.assertEqual([bag["filename"] for bag in server.list()], ["b.mcap"])

    def test_what_cannot_be_looked_at_does_not_hide_the_rest(self):
        kitbag("convert", DEMO, self.folder / "a.mcap")
        (self.folder / "loop.bag").symlink_to("loop.bag")
        (self.folder / "gone.bag").symlink_to("nowhere")
        os.mkfifo(self.folder / "pipe.bag")
        with Server(self.folder) as server:
            self.assertEqual([bag["filename"] for bag in server.list()], ["a.mcap"])

    def test_a_folder_that_comes_back(self):
        place = self.folder / "place"
        place.mkdir()
        kitbag("convert", DEMO, place / "a.mcap")
        with Server(place) as server:
            self.assertEqual(len(server.list()), 1)
            place.rename(self.folder / "elsewhere")
            time.sleep(1)
            self.assertEqual(server.list(), [])
            (self.folder / "elsewhere").rename(place)
            time.sleep(1)
            self.assertEqual(len(server.list()), 1)

    def test_a_bag_that_was_written_just_now_is_found(self):
        kitbag("convert", DEMO, self.folder / "a.mcap")
        with Server(self.folder) as server:
            for i in range(5):
                self.assertEqual(len(server.list()), i + 1)
                kitbag("cut", self.folder / "a.mcap", "-o", self.folder / f"b{i}.mcap", "--end",
                       "+1s")
                time.sleep(0.05)  # then the server looks again
                self.assertEqual(server.ask(f"/bags/b{i}.mcap/topics").status, 200)

    def test_a_bag_being_recorded(self):
        for name in "now.mcap", "now.bag", "now.db3":
            with self.subTest(name):
                self.listed_while_recorded(name)

    def listed_while_recorded(self, name):
        recorder = subprocess.Popen([program(), "record", "--from", "demo://?seconds=60", "-o",
                                     self.folder / name], stderr=subprocess.PIPE)
        try:
            with Server(self.folder) as server:
                end = time.monotonic() + 20
                while time.monotonic() < end:
                    listed = server.list()
                    if listed and listed[0].get("messages", 0) > 0:
                        break
                    time.sleep(0.2)
                self.assertEqual(listed[0]["filename"], name)
                self.assertTrue(listed[0]["recording"])
                self.assertNotIn("damaged", listed[0])
                for what in "player", "download":
                    reply = server.ask(f"/bags/{name}/{what}")
                    self.assertEqual(reply.status, 200)
                    self.assertEqual(reply.headers["Cache-Control"], "no-cache")
                    self.assertIn("ETag", reply.headers)
        finally:
            recorder.send_signal(signal.SIGINT)
            recorder.communicate(timeout=20)
            (self.folder / name).unlink()


if __name__ == "__main__":
    peers.main()
