#!/usr/bin/env python3
"""The Bag API, sentence by sentence of its document, asked by Python's own HTTP library."""

import base64
import contextlib
import gzip
import http.client
import io
import json
import os
import re
import shutil
import signal
import socket
import ssl
import struct
import subprocess
import sys
import tarfile
import tempfile
import time
import unittest
from pathlib import Path
from urllib.parse import quote

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import peers  # noqa: E402
from peers import REAL_BAGS, kitbag, need, need_real_bags, program, run  # noqa: E402
from server import Server  # noqa: E402

try:
    import genpy
    import rosbag
except ImportError:
    rosbag = None

DEMO = "demo://?seconds=4&seed=3"
MONTH = 2592000


def cat(bag, *options):
    """[(topic, log time in ns, data)] as `kitbag cat` prints it."""
    rows = [json.loads(line) for line in kitbag("cat", bag, *options).splitlines()]
    return [(row["topic"], row["log_time_ns"], row.get("data")) for row in rows]


def stamp_ns(body):
    """The stamps of a body, exactly: a double has too few digits."""
    return [int(seconds) * 10**9 + int(nanoseconds)
            for seconds, nanoseconds in re.findall(rb'"__stamp":(\d+)\.(\d{9})', body)]


def plain(message):
    return {key: value for key, value in message.items()
            if key not in ("topic", "__stamp", "__latched")}


class InFolder(unittest.TestCase):
    """Bags in a folder, and a server of it."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name).resolve()
        cls.fill()
        cls.server = Server(cls.folder, *cls.options)
        cls.addClassCleanup(cls.server.end)

    options = ()

    @classmethod
    def fill(cls):
        kitbag("convert", DEMO, cls.folder / "a.bag", "--encoding", "ros1")

    def metadata(self, name):
        reply = self.server.ask(f"/bags/{name}/player")
        self.assertEqual(reply.status, 200, reply.body)
        return reply.json()

    def slice(self, name, begin, end, more=""):
        reply = self.server.ask(f"/bags/{name}/player?start_time={begin}&end_time={end}{more}")
        self.assertEqual(reply.status, 200, reply.body)
        self.assertEqual(reply.headers["Content-Type"], "application/json")
        reply.messages = reply.json()["messages"]
        return reply

    def whole(self, name, more=""):
        known = self.metadata(name)
        begin, end = known["start_time"], known["end_time"]
        return self.slice(name, begin, end + (begin == end), more)


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
        self.server.list()
        shutil.copy(self.folder / "second.bag", new)
        time.sleep(1)
        self.assertIn("new.bag", [bag["filename"] for bag in self.server.list()])
        new.unlink()
        time.sleep(1)
        self.assertNotIn("new.bag", [bag["filename"] for bag in self.server.list()])

    def test_a_path_without_its_slash_leads_there(self):
        reply = self.server.ask("/bags")
        self.assertEqual((reply.status, reply.headers["Location"]), (301, self.server.url))


class ListOptions(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name).resolve()

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

    def test_a_bag_being_recorded(self):
        recorder = subprocess.Popen([program(), "record", "--from", "demo://?seconds=60", "-o",
                                     self.folder / "now.mcap"], stderr=subprocess.PIPE)
        try:
            with Server(self.folder) as server:
                end = time.monotonic() + 20
                while time.monotonic() < end:
                    listed = server.list()
                    if listed and listed[0].get("messages", 0) > 0:
                        break
                    time.sleep(0.2)
                self.assertEqual(listed[0]["filename"], "now.mcap")
                self.assertTrue(listed[0]["recording"])
                for what in "player", "download":
                    reply = server.ask(f"/bags/now.mcap/{what}")
                    self.assertEqual(reply.status, 200)
                    self.assertEqual(reply.headers["Cache-Control"], "no-cache")
                    self.assertIn("ETag", reply.headers)
        finally:
            recorder.send_signal(signal.SIGINT)
            recorder.communicate(timeout=20)


class Download(InFolder):
    @classmethod
    def fill(cls):
        super().fill()
        cls.content = (cls.folder / "a.bag").read_bytes()
        kitbag("convert", DEMO, f"{cls.folder}/directory/")
        kitbag("convert", DEMO, cls.folder / "für \"x\".mcap")

    def test_the_whole_file(self):
        for path in "/bags/a.bag/download", "/bags/a.bag/download/a.bag":
            reply = self.server.ask(path)
            self.assertEqual((reply.status, reply.body == self.content), (200, True))
            self.assertEqual(reply.headers["Content-Disposition"],
                             'attachment; filename="a.bag"')
            self.assertEqual(reply.headers["Accept-Ranges"], "bytes")
            self.assertEqual(reply.headers["Cache-Control"], f"public, max-age={MONTH}")
            self.assertEqual(reply.headers["Vary"], "Accept-Encoding, Origin")
            self.assertEqual(reply.headers["Referrer-Policy"], "no-referrer")

    def test_head(self):
        reply = self.server.ask("/bags/a.bag/download", method="HEAD")
        self.assertEqual((reply.status, reply.body), (200, b""))
        self.assertEqual(int(reply.headers["Content-Length"]), len(self.content))

    def test_ranges(self):
        size = len(self.content)
        for asked, begin, end in (("0-99", 0, 100), (f"{size - 7}-", size - 7, size),
                                  ("-5", size - 5, size), (f"100-{size + 99}", 100, size)):
            reply = self.server.ask("/bags/a.bag/download", Range=f"bytes={asked}")
            self.assertEqual(reply.status, 206)
            self.assertEqual(reply.body, self.content[begin:end])
            self.assertEqual(reply.headers["Content-Range"], f"bytes {begin}-{end - 1}/{size}")

    def test_several_ranges(self):
        reply = self.server.ask("/bags/a.bag/download", Range="bytes=0-9,100-119")
        self.assertEqual(reply.status, 206)
        boundary = reply.headers["Content-Type"].split("boundary=")[1].encode()
        parts = reply.body.split(b"--" + boundary)
        bodies = [part.split(b"\r\n\r\n", 1)[1][:-2] for part in parts[1:-1]]
        self.assertEqual(bodies, [self.content[0:10], self.content[100:120]])

    def test_a_range_beyond_the_end(self):
        reply = self.server.ask("/bags/a.bag/download", Range=f"bytes={len(self.content)}-")
        self.assertEqual(reply.status, 416)
        self.assertEqual(reply.headers["Content-Range"], f"bytes */{len(self.content)}")

    def test_conditions(self):
        reply = self.server.ask("/bags/a.bag/download", method="HEAD")
        tag, modified = reply.headers["ETag"], reply.headers["Last-Modified"]
        for header in {"If-None-Match": tag}, {"If-Modified-Since": modified}:
            self.assertEqual(self.server.ask("/bags/a.bag/download", **header).status, 304)
        self.assertEqual(self.server.ask("/bags/a.bag/download", If_Match='"other"').status, 412)
        whole = self.server.ask("/bags/a.bag/download", Range="bytes=0-1", If_Range='"other"')
        self.assertEqual((whole.status, whole.body == self.content), (200, True))
        part = self.server.ask("/bags/a.bag/download", Range="bytes=0-1", If_Range=tag)
        self.assertEqual(part.status, 206)

    def test_a_replaced_bag_has_another_tag(self):
        copy = self.folder / "copy.bag"
        copy.write_bytes(self.content)
        time.sleep(1)
        before = self.server.ask("/bags/copy.bag/download", method="HEAD").headers["ETag"]
        kitbag("convert", "demo://?seconds=1", copy, "--encoding", "ros1", "--force")
        after = self.server.ask("/bags/copy.bag/download")
        self.assertNotEqual(after.headers["ETag"], before)
        self.assertEqual(after.body, copy.read_bytes())
        copy.unlink()

    def test_a_directory_is_a_tar(self):
        reply = self.server.ask("/bags/directory/download")
        self.assertEqual(reply.headers["Content-Type"], "application/x-tar")
        self.assertEqual(int(reply.headers["Content-Length"]), len(reply.body))
        with tarfile.open(fileobj=io.BytesIO(reply.body)) as tar:
            unpacked = {member.name: tar.extractfile(member).read() for member in tar}
        self.assertEqual(unpacked, {f"directory/{path.name}": path.read_bytes()
                                    for path in (self.folder / "directory").iterdir()})
        part = self.server.ask("/bags/directory/download", Range="bytes=300-3000")
        self.assertEqual((part.status, part.body), (206, reply.body[300:3001]))

    def test_a_name_that_needs_quoting(self):
        name = 'für "x".mcap'
        bag = next(bag for bag in self.server.list() if bag["filename"] == name)
        self.assertTrue(bag["download_url"].endswith(f"/bags/{quote(name)}/download"))
        reply = self.server.ask(f"/bags/{quote(name)}/download")
        self.assertEqual(reply.body, (self.folder / name).read_bytes())
        self.assertEqual(reply.headers["Content-Disposition"],
                         "attachment; filename=\"f__r _x_.mcap\"; "
                         "filename*=UTF-8''f%C3%BCr%20%22x%22.mcap")

    def test_an_unknown_bag(self):
        for name in "b.bag", "..%2f..%2fetc%2fpasswd", "%2e%2e", ".hidden", "a.bag%00":
            reply = self.server.ask(f"/bags/{name}/download")
            self.assertIn(reply.status, (400, 404), name)
            self.assertEqual(list(reply.json()), ["error"])
            self.assertEqual(reply.headers["Cache-Control"], "no-store")
        self.assertEqual(self.server.ask("/bags/b.bag/download").status, 404)


class Player(InFolder):
    def test_metadata(self):
        messages = cat(self.folder / "a.bag")
        self.assertEqual(self.metadata("a.bag"), {
            "total_messages": len(messages), "start_time": messages[0][1] // 10**9,
            "end_time": messages[-1][1] // 10**9})

    def test_a_client_that_knows_whole_seconds_gets_every_message(self):
        reply = self.whole("a.bag")
        expected = cat(self.folder / "a.bag")
        self.assertEqual(list(reply.json())[:3], ["total_messages", "start_time", "end_time"])
        self.assertEqual([(message["topic"], plain(message)) for message in reply.messages],
                         [(topic, data) for topic, _, data in expected])
        self.assertEqual(stamp_ns(reply.body), [ns for _, ns, _ in expected])

    def test_slices_tile(self):
        known = self.metadata("a.bag")
        stamps = []
        at = known["start_time"]
        while at < known["end_time"]:
            reply = self.slice("a.bag", at, at + 1)
            begin = at * 10**9
            stamps += [ns for ns in stamp_ns(reply.body) if ns >= begin]
            at += 1
        self.assertEqual(stamps, [ns for _, ns, _ in cat(self.folder / "a.bag")])

    def test_the_start_is_included_and_the_end_is_not(self):
        messages = cat(self.folder / "a.bag")
        begin, end = messages[40][1], messages[80][1]
        as_text = "{}.{:09}".format
        reply = self.slice("a.bag", as_text(*divmod(begin, 10**9)), as_text(*divmod(end, 10**9)))
        expected = [ns for _, ns, _ in messages if begin <= ns < end]
        self.assertEqual([ns for ns in stamp_ns(reply.body) if ns >= begin], expected)

    def test_what_a_latched_topic_said_before_comes_first(self):
        known = self.metadata("a.bag")
        begin = known["start_time"] + 2
        reply = self.slice("a.bag", begin, begin + 1)
        latched = [message["topic"] for message in reply.messages if message["__latched"]]
        before = {topic: data for topic, ns, data in cat(self.folder / "a.bag")
                  if ns < begin * 10**9}
        self.assertIn("/tf_static", latched)
        for message, ns in zip(reply.messages, stamp_ns(reply.body), strict=True):
            if ns < begin * 10**9:
                self.assertTrue(message["__latched"])
                self.assertEqual(plain(message), before[message["topic"]])
        self.assertIn("/map", latched)

    def test_fields_are_those_of_rosbag(self):
        need(rosbag is not None, "rosbag is not installed")
        kitbag_messages = self.whole("a.bag").messages
        with rosbag.Bag(str(self.folder / "a.bag")) as opened:
            theirs = list(opened.read_messages())
        self.assertEqual(len(kitbag_messages), len(theirs))
        for ours, (topic, message, stamp) in zip(kitbag_messages, theirs, strict=True):
            self.assertEqual(ours["topic"], topic)
            self.assertAlmostEqual(ours["__stamp"], stamp.to_sec(), 6)
            self.assertEqual(plain(ours), as_json(message))

    def test_choices(self):
        whole = self.whole("a.bag").messages
        odometry = self.whole("a.bag", "&topics=/odom").messages
        self.assertEqual(odometry, [message for message in whole if message["topic"] == "/odom"])
        self.assertEqual(self.whole("a.bag", "&topics=/odom,/scan&limit=5").messages,
                         [message for message in whole
                          if message["topic"] in ("/odom", "/scan")][:5])
        x = self.whole("a.bag", "&topics=/odom&fields=pose.pose.position.x").messages
        self.assertEqual([set(plain(message)) for message in x], [{"pose"}] * len(odometry))
        fast = self.whole("a.bag", "&topics=/odom&where=" +
                          quote("twist.twist.linear.x > 0.3")).messages
        self.assertEqual(fast, [message for message in odometry
                                if message["twist"]["twist"]["linear"]["x"] > 0.3])

    def test_caching(self):
        reply = self.whole("a.bag")
        self.assertEqual(reply.headers["Cache-Control"], f"public, max-age={MONTH}")
        again = self.server.ask("/bags/a.bag/player", If_None_Match=reply.headers["ETag"])
        self.assertEqual((again.status, again.body), (304, b""))

    def test_what_is_asked_wrongly(self):
        for query in ("start_time=1", "end_time=1", "start_time=nan&end_time=2",
                      "start_time=1&end_time=inf", "start_time=x&end_time=2",
                      "start_time=2&end_time=1", "start_time=&end_time=",
                      "start_time=1&end_time=2&limit=x", "start_time=1&end_time=2&where=((",
                      "start_time=1e300&end_time=2e300", "topic=/odom",
                      "start_time=1&end_time=2&where=nope%3E1"):
            reply = self.server.ask(f"/bags/a.bag/player?{query}")
            self.assertEqual(reply.status, 400, query)
            self.assertEqual(list(reply.json()), ["error"])
            self.assertEqual(reply.headers["Cache-Control"], "no-store")
        self.assertEqual(self.server.ask("/bags/none.bag/player").status, 400)

    def test_other_methods_and_paths(self):
        self.assertEqual(self.server.ask("/bags/a.bag/player", method="DELETE").status, 405)
        for path in ("/", "/bags/a.bag", "/bags/a.bag/", "/bags/a.bag/x", "/bags/a.bag/player/x",
                     "/bags/none.bag/x"):
            self.assertEqual(self.server.ask(path).status, 404, path)


def shortest(value):
    """The decimal with the fewest digits that is this number of 32 bits."""
    return next(short for short in (float(f"{value:.{digits}g}") for digits in range(1, 10))
                if struct.pack("<f", short) == struct.pack("<f", value))


def as_json(value):
    """A message of ROS 1's Python as the API is to give it."""
    if isinstance(value, genpy.Message):
        return {name: as_json_field(getattr(value, name), type_)
                for name, type_ in zip(value.__slots__, value._slot_types, strict=True)}
    return value


def as_json_field(value, type_):
    if type_.startswith(("uint8[", "char[")):
        return base64.b64encode(bytes(value)).decode()
    if type_ in ("time", "duration"):
        return {"sec": value.secs, "nsec": value.nsecs}
    if isinstance(value, (list, tuple)):
        base = type_.split("[")[0]
        return [as_json_field(each, base) for each in value]
    if isinstance(value, float) and value != value:
        return None
    if type_ == "float32":  # the shortest text that is this number, and not its double
        return shortest(value)
    return as_json(value)


class EveryFormat(InFolder):
    @classmethod
    def fill(cls):
        kitbag("convert", DEMO, cls.folder / "a.mcap")
        for name in ("b.db3", "directory/"):
            kitbag("convert", cls.folder / "a.mcap", f"{cls.folder}/{name}")
        (cls.folder / "c.mcap.gz").write_bytes(gzip.compress((cls.folder / "a.mcap").read_bytes()))

    def test_all_give_the_same(self):
        listed = [bag["filename"] for bag in self.server.list()]
        self.assertEqual(len(listed), 4)
        known = self.metadata("a.mcap")
        begin = known["start_time"] + 1.5
        expected = self.slice("a.mcap", begin, begin + 1).messages
        self.assertGreater(len(expected), 100)
        for name in listed:
            self.assertEqual(self.metadata(name), known)
            self.assertEqual(self.slice(name, begin, begin + 1).messages, expected, name)


class RealBags(InFolder):
    @classmethod
    def setUpClass(cls):
        need_real_bags()
        super().setUpClass()

    @classmethod
    def fill(cls):
        for bag in REAL_BAGS.glob("*.bag"):
            os.symlink(bag, cls.folder / bag.name)
        cls.options = (REAL_BAGS,)
        cls.folder = cls.folder / "empty"
        cls.folder.mkdir()

    def test_every_message_of_every_bag(self):
        for bag in self.server.list():
            if "error" in bag:
                continue
            path = REAL_BAGS / bag["filename"]
            expected = cat(path, "--on-error", "raw")
            with self.subTest(bag["filename"]):
                reply = self.whole(quote(bag["filename"]))
                self.assertEqual(stamp_ns(reply.body), [ns for _, ns, _ in expected])


class Damaged(InFolder):
    @classmethod
    def fill(cls):
        super().fill()
        content = bytearray((cls.folder / "a.bag").read_bytes())
        (cls.folder / "cut.bag").write_bytes(content[:len(content) // 2])
        (cls.folder / "nothing.bag").write_bytes(content[:500])

    def test_what_is_whole_is_served(self):
        reply = self.whole("cut.bag")
        self.assertGreater(len(reply.messages), 10)
        self.assertTrue(reply.json()["damage"])

    def test_a_bag_of_which_nothing_can_be_read(self):
        reply = self.server.ask("/bags/nothing.bag/player")
        if reply.status == 200:  # its header was whole: an empty bag with damage
            self.assertEqual(reply.json()["total_messages"], 0)
        else:
            self.assertEqual((reply.status, list(reply.json())), (400, ["error"]))


class NotDecodable(InFolder):
    @classmethod
    def fill(cls):
        kitbag("convert", DEMO, cls.folder / "a.bag", "--encoding", "ros1", "--topics", "/odom")
        content = (cls.folder / "a.bag").read_bytes()
        # A definition that does not parse.
        broken = content.replace(b"Header header", b"Heade? header")
        (cls.folder / "broken.bag").write_bytes(broken)

    def test_its_bytes_are_given(self):
        messages = self.whole("broken.bag").messages
        self.assertGreater(len(messages), 10)
        for message in messages:
            self.assertEqual(message["__encoding"], "ros1")
            self.assertGreater(len(base64.b64decode(message["__data_base64"])), 100)


class Gate(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name).resolve()
        kitbag("convert", DEMO, self.folder / "a.mcap")

    def test_only_its_own_names_are_answered(self):
        with Server(self.folder) as server:
            port = server.host.split(":")[1]
            self.assertEqual(server.ask("/bags/", Host="evil.example").status, 403)
            self.assertEqual(server.ask("/bags/", Host=f"evil.example:{port}").status, 403)
            self.assertEqual(server.ask("/bags/", Host=f"localhost:{port}").status, 200)
        with Server(self.folder, "--public-url", "https://robot.example") as server:
            self.assertEqual(server.ask("/bags/", Host="robot.example").status, 200)

    def test_a_token(self):
        (self.folder / "password").write_text("secret\n")
        basic = "Basic " + base64.b64encode(b"any:secret").decode()
        for options in ("--token", "secret"), ("--password-file", self.folder / "password"):
            with Server(self.folder, *options) as server:
                refused = server.ask("/bags/")
                self.assertEqual(refused.status, 401)
                self.assertIn("Basic", refused.headers["WWW-Authenticate"])
                self.assertEqual(server.ask("/bags/", Authorization="Bearer other").status, 401)
                for headers in {"Authorization": "Bearer secret"}, {"Authorization": basic}:
                    reply = server.ask("/bags/a.mcap/download", **headers)
                    self.assertEqual(reply.status, 200)
                    self.assertEqual(reply.headers["Cache-Control"], f"private, max-age={MONTH}")
                self.assertEqual(server.ask("/bags/?token=secret").status, 200)

    def test_other_origins_read_only_when_they_may(self):
        with Server(self.folder, "--allow-origin", "https://viewer.example") as server:
            allowed = server.ask("/bags/", Origin="https://viewer.example")
            self.assertEqual(allowed.headers["Access-Control-Allow-Origin"],
                             "https://viewer.example")
            self.assertIn("Accept-Ranges", allowed.headers["Access-Control-Expose-Headers"])
            other = server.ask("/bags/", Origin="https://evil.example")
            self.assertIsNone(other.headers["Access-Control-Allow-Origin"])
            preflight = server.ask("/bags/", method="OPTIONS", Origin="https://viewer.example",
                                   Access_Control_Request_Method="GET")
            self.assertEqual(preflight.status, 204)
            self.assertIn("Range", preflight.headers["Access-Control-Allow-Headers"])
        with Server(self.folder) as server:
            reply = server.ask("/bags/", Origin="https://viewer.example")
            self.assertIsNone(reply.headers["Access-Control-Allow-Origin"])

    def test_a_url_with_the_token_gives_a_cookie(self):
        with Server(self.folder, "--token", "secret") as server:
            cookie = server.ask("/bags/?token=secret").headers["Set-Cookie"]
            self.assertIn("HttpOnly; SameSite=Strict", cookie)
            self.assertNotIn("secret", cookie)
            pair = cookie.split(";")[0]
            self.assertEqual(server.ask("/bags/", Cookie=pair).status, 200)
            self.assertEqual(server.ask("/bags/", Cookie=pair + "0").status, 401)
            self.assertIsNone(server.ask("/bags/", Cookie=pair).headers["Set-Cookie"])
            self.assertIsNone(server.ask("/bags/?token=x").headers["Set-Cookie"])

    def test_a_post_needs_a_token_json_and_an_allowed_origin(self):
        json_type = {"Content_Type": "application/json"}
        with Server(self.folder) as server:
            reply = server.ask("/bags/", method="POST", **json_type)
            self.assertEqual(reply.status, 403)
            self.assertIn("--token", reply.json()["error"])
        with Server(self.folder, "--token", "t", "--allow-origin", "https://ui.example") as server:
            def post(**headers):
                headers = {"Authorization": "Bearer t", **json_type, **headers}
                return server.ask("/bags/", method="POST", **headers).status
            self.assertEqual(post(Authorization="Bearer x"), 401)
            self.assertEqual(post(Content_Type="text/plain"), 415)
            self.assertEqual(post(Origin="https://evil.example"), 403)
            # What is left is that the list takes no POST.
            self.assertEqual(post(), 405)
            for origin in "https://ui.example", f"http://{server.host}":
                self.assertEqual(post(Origin=origin), 405)


class Tls(unittest.TestCase):
    def test_a_list_and_a_download(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name).resolve()
            kitbag("convert", DEMO, folder / "a.mcap")
            certificate, key = folder / "certificate.pem", folder / "key.pem"
            run("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj",
                "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out",
                certificate)
            with Server(folder, "--tls-cert", certificate, "--tls-key", key) as server:
                port = int(server.host.split(":")[1])
                trust = ssl.create_default_context(cafile=str(certificate))
                with contextlib.closing(http.client.HTTPSConnection(
                        "localhost", port, timeout=60, context=trust)) as connection:
                    connection.request("GET", "/bags/")
                    listed = json.loads(connection.getresponse().read())
                    self.assertEqual(listed[0]["download_url"],
                                     f"https://localhost:{port}/bags/a.mcap/download")
                    connection.request("GET", "/bags/a.mcap/download")
                    self.assertEqual(connection.getresponse().read(),
                                     (folder / "a.mcap").read_bytes())


class Hostile(InFolder):
    def raw(self, *parts, then_ends=True):
        """What comes back for these bytes; they are sent one after the other."""
        host, port = self.server.host.split(":")
        with socket.create_connection((host, int(port)), timeout=20) as connection:
            for part in parts:
                connection.sendall(part)
            if then_ends:
                connection.shutdown(socket.SHUT_WR)
            received = b""
            while piece := connection.recv(65536):
                received += piece
            return received

    def test_what_is_no_http(self):
        self.assertIn(b" 400 ", self.raw(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n"))
        self.assertIn(b" 400 ", self.raw(b"GET bags HTTP/1.1\r\nHost: localhost\r\n\r\n"))
        self.assertIn(b" 431 ", self.raw(b"GET / HTTP/1.1\r\nX: " + b"a" * 20000 + b"\r\n\r\n"))
        self.assertIn(b" 431 ", self.raw(b"GET /" + b"a" * 20000 + b" HTTP/1.1\r\n\r\n"))
        self.assertIn(b" 413 ", self.raw(b"POST / HTTP/1.1\r\nHost: localhost\r\n"
                                         b"Content-Length: 99999999\r\n\r\n"))

    def test_a_request_byte_by_byte_and_two_at_once(self):
        request = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
        self.assertEqual(self.raw(*(bytes([byte]) for byte in request)).count(b"ok\n"), 1)
        self.assertEqual(self.raw(request + request).count(b"ok\n"), 2)

    def test_a_client_of_http_1_0(self):
        reply = self.raw(b"GET /bags/a.bag/player?start_time=0&end_time=1 HTTP/1.0\r\n\r\n",
                         then_ends=False)
        head, body = reply.split(b"\r\n\r\n", 1)
        self.assertNotIn(b"chunked", head.lower())
        self.assertTrue(body.rstrip().endswith(b"}"))

    def test_clients_that_go_at_once(self):
        known = self.metadata("a.bag")
        target = (f"GET /bags/a.bag/player?start_time={known['start_time']}"
                  f"&end_time={known['end_time']} HTTP/1.1\r\nHost: localhost\r\n\r\n")
        host, port = self.server.host.split(":")
        for _ in range(50):
            with socket.create_connection((host, int(port)), timeout=20) as connection:
                connection.sendall(target.encode())
        self.assertEqual(self.server.ask("/healthz").status, 200)

    def test_the_end_does_not_wait_for_a_client_that_does_not_read(self):
        with Server(self.folder) as server:
            host, port = server.host.split(":")
            with socket.create_connection((host, int(port))) as connection:
                connection.sendall(b"GET /bags/a.bag/download HTTP/1.1\r\nHost: localhost\r\n\r\n")
                begin = time.monotonic()
                server.process.send_signal(signal.SIGINT)
                self.assertEqual(server.process.wait(10), 0)
                self.assertLess(time.monotonic() - begin, 2)


if __name__ == "__main__":
    peers.main()
