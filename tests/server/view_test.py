#!/usr/bin/env python3
"""/view: MCAP files of any bag and any part of it, as viewers ask for them."""

import contextlib
import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path
from urllib.parse import parse_qs, quote, urlsplit

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import peers  # noqa: E402
from peers import kitbag, kitbag_digest, program  # noqa: E402
from server import Server  # noqa: E402

DEMO = "demo://?seconds=6&seed=3"
BAGS = {"a.bag": [], "old.bag": ["--format-version", "1.2"], "b.mcap": ["--compression", "zstd"],
        "plain.mcap": ["--chunk-size", "100kB"], "c.db3": [], "d/": []}
START = 1767225600


class Views(unittest.TestCase):
    options = ()

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name).resolve()
        cls.bags = cls.folder / "bags"
        cls.bags.mkdir()
        cls.fill()
        cls.server = cls.serve("cache")
        cls.addClassCleanup(cls.server.end)

    @classmethod
    def serve(cls, cache, *options):
        return Server(cls.bags, "--cache-dir", cls.folder / cache, *cls.options, *options)

    @classmethod
    def fill(cls):
        for name, options in BAGS.items():
            kitbag("convert", DEMO, f"{cls.bags}/{name}", *options)

    def cached(self, cache="cache"):
        folder = self.folder / cache
        return sorted(folder.iterdir()) if folder.exists() else []

    def view(self, target, server=None, **headers):
        reply = (server or self.server).ask(f"/view/{target}", **headers)
        self.assertEqual(reply.status, 200, reply.body)
        self.assertEqual(reply.headers["Content-Type"], "application/mcap")
        self.assertEqual(int(reply.headers["Content-Length"]), len(reply.body))
        return reply

    def wait_for(self, name, is_wanted):
        """What the list says of a bag when it says what is wanted."""
        for _ in range(200):
            for bag in self.server.list():
                if bag["filename"] == name and is_wanted(bag):
                    return bag
            time.sleep(0.05)
        raise AssertionError(f"{name} does not become what is wanted")

    def saved(self, reply, name="view.mcap"):
        path = self.folder / name
        path.write_bytes(reply.body)
        kitbag("check", path)
        return path


class OfWholeBags(Views):
    def test_every_format(self):
        for name in BAGS:
            bag = name.rstrip("/")
            with self.subTest(bag):
                path = self.saved(self.view(f"{bag}.mcap"))
                self.assertEqual(kitbag_digest(path), kitbag_digest(f"{self.bags}/{name}"))

    def test_an_mcap_file_is_sent_as_it_is(self):
        reply = self.view("b.mcap.mcap")
        self.assertEqual(reply.body, (self.bags / "b.mcap").read_bytes())

    def test_the_extension_may_be_left_out_once(self):
        self.assertEqual(self.view("b.mcap").headers["ETag"],
                         self.view("b.mcap.mcap").headers["ETag"])

    def test_the_list_has_links(self):
        for bag in self.server.list():
            name = quote(bag["filename"]) + ".mcap"
            self.assertEqual(bag["view_url"], f"http://{self.server.host}/view/{name}")
            self.assertEqual(set(bag["open"]), {"lichtblick", "foxglove", "rerun"})
            for viewer, key in (("lichtblick", "ds.url"), ("foxglove", "ds.url"), ("rerun", "url")):
                query = parse_qs(urlsplit(bag["open"][viewer]).query)
                self.assertEqual(query[key], [bag["view_url"]])

    def test_links_are_signed_where_there_is_a_token(self):
        with self.serve("signed", "--token", "secret") as server:
            bags = server.ask("/bags/", authorization="Bearer secret").json()
            for bag in bags:
                self.assertNotIn("secret", str(bag))
                url = urlsplit(bag["view_url"])
                reply = server.ask(f"{url.path}?{url.query}&topics=/odom")
                self.assertEqual(reply.status, 200, reply.body)
                self.assertEqual(reply.headers["Cache-Control"], "no-store")
                self.assertEqual(server.ask(url.path).status, 401)
                other = "/view/b.mcap" if bag["filename"] != "b.mcap" else "/view/a.bag.mcap"
                self.assertEqual(server.ask(f"{other}?{url.query}").status, 401)
                self.assertEqual(server.ask(f"/bags/?{url.query}").status, 401)

    def test_a_file_of_a_view_is_made_once(self):
        self.view("a.bag.mcap")
        before = {path: path.stat().st_ino for path in self.cached()}
        self.view("a.bag.mcap")
        self.assertEqual({path: path.stat().st_ino for path in self.cached()}, before)

    def test_another_server_gives_the_same(self):
        with self.serve("other") as other:
            for target in ("a.bag.mcap", "c.db3.mcap?topics=/odom", f"b.mcap?start={START + 1.5}"):
                one, two = self.view(target), self.view(target, other)
                self.assertEqual(one.body, two.body)
                self.assertEqual(one.headers["ETag"], two.headers["ETag"])


class OfParts(Views):
    PARTS = ((), ("start", START + 1.25), ("end", START + 4.5),
             ("start", START + 1.25, "end", START + 4.5),
             ("topics", "/odom,/tf*"), ("topics", "/odom", "start", START + 2.75),
             ("start", START + 100))

    def expect_part(self, bag, *part):
        pairs = list(zip(part[::2], part[1::2]))
        query = "&".join(f"{name}={value}" for name, value in pairs)
        options = []
        for name, value in pairs:
            options += [f"--{name}", *str(value).split(",")]
        wanted = {}
        if START + 100 not in part:
            wanted = kitbag_digest(self.bags / bag, *options)
            self.assertTrue(wanted)
        self.assertEqual(kitbag_digest(self.saved(self.view(f"{bag}.mcap?{query}"))), wanted)

    def test_of_a_file_that_is_made(self):
        for part in self.PARTS:
            with self.subTest(part):
                self.expect_part("a.bag", *part)

    def test_of_mcap_files_which_are_used_as_they_are(self):
        for bag in ("b.mcap", "plain.mcap"):
            before = self.cached()
            for part in self.PARTS:
                with self.subTest(bag=bag, part=part):
                    self.expect_part(bag, *part)
            self.assertEqual(self.cached(), before)

    def test_an_excerpt_is_what_a_file_would_be(self):
        for target in (f"plain.mcap?start={START + 1.25}&end={START + 4.5}",
                       "plain.mcap?topics=/imu"):
            excerpt = self.saved(self.view(target), "excerpt.mcap")
            made = self.saved(self.view(target.replace("plain.mcap", "a.bag.mcap")), "made.mcap")
            self.assertEqual(kitbag_digest(excerpt), kitbag_digest(made))

    def test_a_topic_of_which_the_definition_is_in_a_chunk_that_is_left_out(self):
        path = self.saved(self.view(f"plain.mcap?start={START + 5}&topics=/odom"))
        self.assertIn('"position"', kitbag("cat", path, "--count", "1"))

    def test_attachments_and_metadata(self):
        (self.folder / "note.txt").write_text("a note")
        bag = self.bags / "noted.mcap"
        shutil.copy(self.bags / "plain.mcap", bag)
        self.addCleanup(bag.unlink)
        kitbag("add", bag, "attachment", self.folder / "note.txt")
        kitbag("add", bag, "metadata", "operator", "name=Jane")
        self.wait_for("noted.mcap", lambda listed: True)
        for target, is_of_all_times in (("noted.mcap", True), ("noted.mcap?encoding=cdr", True),
                                        (f"noted.mcap?start={START + 1}&topics=/odom", True),
                                        (f"noted.mcap?end={START + 3}&topics=/odom", False)):
            with self.subTest(target):
                path = self.saved(self.view(target))
                self.assertIn("Jane", kitbag("get", path, "metadata", "operator"))
                if is_of_all_times:  # the attachment is as old as the file
                    self.assertEqual(kitbag("get", path, "attachment", "note.txt"), "a note")


class OverHttp(Views):
    @classmethod
    def fill(cls):
        for name in ("a.bag", "b.mcap"):
            kitbag("convert", DEMO, cls.bags / name, *BAGS[name])

    TARGETS = ("a.bag.mcap", f"b.mcap?start={START + 1.25}&end={START + 4.5}")

    def test_ranges(self):
        for target in self.TARGETS:
            whole = self.view(target).body
            size = len(whole)
            for first, last in ((0, 0), (0, size - 1), (7, 30000), (size // 2 - 5, size - 1),
                                (size // 3, size // 3 * 2)):
                reply = self.server.ask(f"/view/{target}", range=f"bytes={first}-{last}")
                self.assertEqual(reply.status, 206)
                self.assertEqual(reply.body, whole[first:last + 1])
                self.assertEqual(reply.headers["Content-Range"], f"bytes {first}-{last}/{size}")
            reply = self.server.ask(f"/view/{target}", range=f"bytes={size}-")
            self.assertEqual(reply.status, 416)

    def test_head(self):
        for target in self.TARGETS:
            reply = self.server.ask(f"/view/{target}", "HEAD")
            self.assertEqual(int(reply.headers["Content-Length"]), len(self.view(target).body))
            self.assertEqual(reply.headers["Accept-Ranges"], "bytes")
            self.assertEqual(reply.headers["Cache-Control"], "public, max-age=2592000")

    def test_conditions(self):
        for target in self.TARGETS:
            etag = self.view(target).headers["ETag"]
            ask = self.server.ask
            self.assertEqual(ask(f"/view/{target}", if_none_match=etag).status, 304)
            self.assertEqual(ask(f"/view/{target}", if_match='"another"').status, 412)
            self.assertEqual(ask(f"/view/{target}", if_match=etag).status, 200)
            part = ask(f"/view/{target}", range="bytes=0-9", if_range='"another"')
            self.assertEqual(part.status, 200)

    def test_a_condition_needs_no_file(self):
        with self.serve("unused") as server:
            self.assertEqual(server.ask("/view/a.bag.mcap", if_match='"another"').status, 412)
            self.assertEqual(self.cached("unused"), [])

    def test_each_part_has_a_tag_of_its_own(self):
        targets = ("a.bag.mcap", "a.bag.mcap?topics=/odom", f"a.bag.mcap?start={START + 1}",
                   f"a.bag.mcap?end={START + 1}", "a.bag.mcap?encoding=cdr", "b.mcap")
        tags = [self.server.ask(f"/view/{target}", "HEAD").headers["ETag"] for target in targets]
        self.assertEqual(len(set(tags)), len(targets))
        same = self.server.ask("/view/a.bag.mcap?topics=/tf,/odom", "HEAD").headers["ETag"]
        self.assertEqual(self.server.ask("/view/a.bag.mcap?topics=/odom,/tf,/odom",
                                         "HEAD").headers["ETag"], same)

    def test_what_is_wrong_is_said(self):
        for target, status, text in (
                ("none.bag.mcap", 404, "there is no bag"),
                ("a.bag", 404, "followed by .mcap"),
                ("a.bag.mcap?start=nan", 400, "start=nan is not a time"),
                ("a.bag.mcap?start=5&end=4", 400, "end is before start"),
                ("a.bag.mcap?encoding=morse", 400, "unknown encoding"),
                ("a.bag.mcap?topics=/odom,/none", 400, 'no topic matches "/none"'),
                ("b.mcap?topics=/none", 400, 'no topic matches "/none"'),
                ("a.bag.mcap?topic=/odom", 400, "unknown parameter"),
                (quote("../bags/a.bag.mcap", safe=""), 404, "there is no bag")):
            with self.subTest(target):
                reply = self.server.ask(f"/view/{target}")
                self.assertEqual(reply.status, status)
                self.assertIn(text, reply.json()["error"])
                self.assertEqual(reply.headers["Cache-Control"], "no-store")

    def test_the_way_of_lichtblick(self):
        """A plain GET, given up after its headers; then ranges. From a page of another origin."""
        origin = "https://viewer.example"
        with self.serve("cache", "--allow-origin", origin) as server:
            for target in (*(f"/view/{each}" for each in self.TARGETS),
                           "/bags/a.bag/download/a.bag"):
                with contextlib.closing(http.client.HTTPConnection(server.host)) as connection:
                    connection.request("GET", target, headers={"Origin": origin})
                    reply = connection.getresponse()
                    self.assertEqual(reply.status, 200)
                    self.assertEqual(reply.headers["Accept-Ranges"], "bytes")
                    size = int(reply.headers["Content-Length"])
                    self.assertEqual(reply.headers["Access-Control-Allow-Origin"], origin)
                    exposed = reply.headers["Access-Control-Expose-Headers"].lower()
                    for name in ("accept-ranges", "content-range", "content-length", "etag"):
                        self.assertIn(name, exposed)
                part = server.ask(target, origin=origin, range=f"bytes={size - 8}-{size - 1}")
                self.assertEqual((part.status, len(part.body)), (206, 8))

    def test_a_view_that_is_too_large(self):
        with self.serve("small", "--max-cache-size", "100kB") as server:
            reply = server.ask("/view/a.bag.mcap")
            self.assertEqual(reply.status, 413)
            self.assertIn("larger than the cache", reply.json()["error"])
            self.assertEqual(server.ask("/view/a.bag.mcap?topics=/battery").status, 200)
            self.assertEqual(server.ask("/view/b.mcap").status, 200)  # needs none
            self.assertLess(sum(path.stat().st_size for path in self.cached("small")), 100_000)

    def test_a_cache_that_cannot_be_written(self):
        (self.folder / "file").write_text("no folder")
        with self.serve("file/cache") as server:
            reply = server.ask("/view/a.bag.mcap")
            self.assertEqual(reply.status, 507)
            self.assertIn("cannot be created", reply.json()["error"])

    def test_a_bag_that_is_replaced(self):
        bag = self.bags / "replaced.bag"
        self.addCleanup(bag.unlink)
        kitbag("convert", DEMO, bag, "--duration", "1s")
        old = self.wait_for("replaced.bag", lambda listed: True)
        first = self.view("replaced.bag.mcap")
        kitbag("convert", "-f", DEMO, bag, "--duration", "2s")
        self.wait_for("replaced.bag", lambda listed: listed != old)
        etag = first.headers["ETag"]
        reply = self.server.ask("/view/replaced.bag.mcap", range="bytes=0-9", if_match=etag)
        self.assertEqual(reply.status, 412)
        self.assertNotEqual(self.view("replaced.bag.mcap").headers["ETag"], etag)


class OfBagsThatChangeMeanwhile(Views):
    """Neither a view nor a download is ever made of two states of a bag."""

    @classmethod
    def fill(cls):
        for seed, name in (3, "old"), (4, "new"):
            kitbag("convert", f"demo://?seconds=20&seed={seed}", cls.folder / f"{name}.mcap")

    def place(self, how, name):
        """Puts a file in the place of the bag; returns its content."""
        content = (self.folder / f"{name}.mcap").read_bytes()
        bag = self.bags / "a.mcap"
        if how == "renamed":
            (self.folder / "placed").write_bytes(content)
            (self.folder / "placed").rename(bag)
        else:
            bag.write_bytes(content)
        return content

    def begin(self, target):
        host, _, port = self.server.host.partition(":")
        client = socket.socket()
        self.addCleanup(client.close)
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 16 << 10)
        client.settimeout(30)
        client.connect((host, int(port)))
        client.sendall(f"GET {target} HTTP/1.1\r\nHost: {self.server.host}\r\n\r\n".encode())
        reply = http.client.HTTPResponse(client)
        reply.begin()
        self.assertEqual(reply.status, 200)
        return reply

    def read(self, reply):
        """The body; None: it was broken off."""
        try:
            return reply.read()
        except (http.client.IncompleteRead, ConnectionError):
            return None

    def check(self, target, how):
        old = self.place("renamed", "old")
        self.wait_for("a.mcap", lambda listed: self.server.ask(target).body == old)
        reply = self.begin(target)
        etag = reply.headers["ETag"]
        front = reply.read(1000)
        new = self.place(how, "new")
        rest = self.read(reply)
        if how == "renamed":  # what is open stays as it was
            self.assertTrue(rest is not None and front + rest == old)
        else:
            self.assertTrue(rest is None)
        self.wait_for("a.mcap", lambda listed: self.server.ask(target).body == new)
        part = self.server.ask(target, Range="bytes=1000-1999", If_Match=etag)
        self.assertEqual(part.status, 412)
        whole = self.server.ask(target, Range="bytes=1000-1999", If_Range=etag)
        self.assertEqual((whole.status, whole.body == new), (200, True))

    def test_one_that_is_replaced(self):
        self.check("/view/a.mcap", "renamed")
        self.check("/bags/a.mcap/download", "renamed")

    def test_one_that_is_written_to(self):
        self.check("/view/a.mcap", "written")
        self.check("/bags/a.mcap/download", "written")


class OfDamagedBags(Views):
    @classmethod
    def fill(cls):
        kitbag("convert", DEMO, cls.folder / "whole.bag", "--chunk-size", "100kB")
        content = bytearray((cls.folder / "whole.bag").read_bytes())
        (cls.bags / "torn.bag").write_bytes(content[:len(content) // 2])
        content[len(content) // 2:len(content) // 2 + 300_000] = bytes(300_000)
        (cls.bags / "holed.bag").write_bytes(content)
        kitbag("convert", DEMO, cls.folder / "whole.mcap")
        content = (cls.folder / "whole.mcap").read_bytes()
        (cls.bags / "torn.mcap").write_bytes(content[:len(content) // 2])
        for path in cls.bags.iterdir():
            os.utime(path, (START, START))  # nobody is recording it

    def test_what_is_intact_and_what_is_lost(self):
        for bag in ("torn.bag", "holed.bag", "torn.mcap"):
            with self.subTest(bag):
                reply = self.view(f"{bag}.mcap")
                path = self.saved(reply)
                if bag.startswith("torn"):  # that is known when the bag is opened
                    self.assertTrue(json.loads(reply.headers["Kitbag-Damage"]))
                lines = subprocess.run([program(), "cat", self.bags / bag, "--format", "digest"],
                                       capture_output=True, text=True).stdout.splitlines()
                wanted = {line.split("\t")[0]: line.split("\t")[3] for line in lines}
                found = {topic: sha for (topic, _), (_, sha) in kitbag_digest(path).items()}
                self.assertEqual(found, wanted)
                self.assertTrue(b"kitbag_damage" in path.read_bytes())


class OfARecording(Views):
    @classmethod
    def fill(cls):
        kitbag("convert", DEMO, cls.bags / "a.bag", "--duration", "1s")

    def test_its_end_is_frozen(self):
        recorder = subprocess.Popen(
            [program(), "record", "-a", "--from", "demo://?seconds=60&seed=1", "-o",
             self.bags / "live.mcap"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            bag = self.wait_for("live.mcap", lambda listed: listed.get("messages", 0) > 50)
            first = self.server.ask("/view/live.mcap?topics=/odom&token=unused")
            self.assertEqual(first.status, 302, first.body)
            self.assertEqual(first.headers["Cache-Control"], "no-store")
            target = urlsplit(first.headers["Location"])
            query = parse_qs(target.query)
            self.assertEqual(query["topics"], ["/odom"])
            self.assertEqual(query["token"], ["unused"])
            location = f"{target.path}?{target.query}"
            one = self.server.ask(location)
            self.assertEqual(one.status, 200, one.body)
            self.assertEqual(one.headers["Cache-Control"], "no-cache")
            self.wait_for("live.mcap",
                          lambda listed: listed["messages"] > bag["messages"] + 200)
            two = self.server.ask(location)
            self.assertEqual(one.headers["ETag"], two.headers["ETag"])
            self.assertEqual(one.body, two.body)
            later = self.server.ask("/view/live.mcap?topics=/odom")
            self.assertNotEqual(later.headers["Location"], first.headers["Location"])
            path = self.saved(one)
            self.assertEqual({topic for topic, _ in kitbag_digest(path)}, {"/odom"})
            beyond = self.server.ask("/view/live.mcap?end=9000000000")
            self.assertEqual(beyond.status, 302)
            # Of what is still to come there is an empty view, and no redirect that never ends.
            to_come = self.server.ask("/view/live.mcap?topics=/odom&start=9000000000")
            self.assertEqual(to_come.status, 302)
            target = urlsplit(to_come.headers["Location"])
            empty = self.view(f"{target.path.rsplit('/', 1)[1]}?{target.query}")
            self.assertEqual(kitbag_digest(self.saved(empty)), {})
        finally:
            recorder.send_signal(signal.SIGINT)
            recorder.wait(20)


if __name__ == "__main__":
    peers.main()
