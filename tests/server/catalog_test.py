#!/usr/bin/env python3
"""`kitbag serve --catalog`, in SQLite and in PostgreSQL."""

import json
import os
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path
from urllib.parse import quote, urlencode, urlsplit

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import peers  # noqa: E402
from mcap_file import McapFile  # noqa: E402
from peers import kitbag, need, program  # noqa: E402
from postgres import Postgres, is_installed  # noqa: E402
from server import Reply, Server  # noqa: E402

BEGIN = 1767225600  # of the demo
START = 1_700_000_000  # of the small bags, an hour apart
HOUR = 3600
SMALL = 25
SLICE = "start_time=1767225601&end_time=1767225602"
ANSWERS = (
    "player", f"player?{SLICE}", f"player?{SLICE}&format=mcap&topics=/odom",
    f"player?{SLICE}&format=bag&topics=/odom", "topics", "schemas", "timeline?buckets=4",
    "series?topics=/odom&fields=pose.pose.position.x&buckets=8", "events",
    "thumbnail?topic=/camera/image&time=1767225601", "search?q=voltage%20%3E%2025&limit=3",
    "download")


def write_small(path, number):
    """A message on a topic of its kind, and one on /all; no two bags are equal."""
    bag = McapFile(path)
    for topic in "/all", f"/kind/{number % 5}":
        channel = bag.channel(topic, "json", "Number", "jsonschema", "{}")
        for step in range(2):
            bag.message(channel, (START + number * HOUR + step * number) * 10**9,
                        json.dumps({"number": number}).encode())
    bag.close()


class Catalogs:
    """What every kind of catalog must do. `address` is a new one for each test."""

    @classmethod
    def setUpClass(cls):
        cls.start()
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.given = Path(folder.name).resolve()
        kitbag("convert", "demo://?seconds=4&seed=3", cls.given / "drive.bag")
        kitbag("convert", "demo://?seconds=4&seed=4", f"{cls.given}/run/")
        (cls.given / "small").mkdir()
        for number in range(SMALL):
            write_small(cls.given / f"small/{number:03}.mcap", number)

    @classmethod
    def start(cls):
        pass

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name).resolve()
        self.address = self.make_address()
        kitbag("catalog", "init", self.address)

    def scan(self, path, *arguments):
        action = "scan" if path.is_dir() else "add"
        return kitbag("catalog", action, self.address, path, *arguments)

    def serve(self, *arguments):
        server = Server("--catalog", self.address, "--token", "t", *arguments)
        self.addCleanup(server.end)
        return server

    def ask(self, server, target, method="GET", **headers):
        return server.ask(target, method, authorization="Bearer t", **headers)

    def post(self, server, target, body, **headers):
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        with server.connect() as connection:
            connection.request("POST", target, json.dumps(body).encode(),
                               {"Authorization": "Bearer t", "Content-Type": "application/json",
                                **headers})
            return Reply(connection.getresponse())

    def listed(self, server, **query):
        """All bags that a query gives, page by page."""
        bags = []
        target = f"/bags/?{urlencode(query, doseq=True)}"
        while target:
            reply = self.ask(server, target)
            self.assertEqual(reply.status, 200, reply.body)
            bags += reply.json()
            link = re.fullmatch('<(.*)>; rel="next"', reply.headers["Link"] or "")
            url = urlsplit(link[1]) if link else None
            target = f"{url.path}?{url.query}" if url else None
        return bags

    def names(self, server):
        """The names in URLs, by the names of the files."""
        return {bag["title"]: quote(bag["filename"]) for bag in self.listed(server)}

    def test_a_topic_with_several_definitions_is_counted_once(self):
        bag = McapFile(self.folder / "two.mcap")
        for definition in "{}", '{"type": "object"}':
            channel = bag.channel("/number", "json", "Number", "jsonschema", definition)
            for step in range(10):
                bag.message(channel, (START + step) * 10**9, b"{}")
        bag.close()
        self.scan(self.folder / "two.mcap")
        [bag] = self.listed(self.serve())
        self.assertEqual([each["messages"] for each in bag["topic_list"]], [10, 10])
        self.assertEqual(sum(bag["density"]), 20)

    def test_the_list_comes_in_pages(self):
        self.scan(self.given / "small")
        server = self.serve()
        whole = self.listed(server)
        self.assertEqual([bag["title"] for bag in whole],
                         [f"{number:03}.mcap" for number in reversed(range(SMALL))])
        for limit in 1, 7, SMALL, 1000:
            self.assertEqual(self.listed(server, limit=limit), whole)
        oldest = self.listed(server, order="oldest", limit=4)
        self.assertEqual(oldest, whole[::-1])
        first = self.ask(server, "/bags/?limit=3&count=1")
        self.assertEqual((first.headers["Kitbag-Count"], len(first.json())), (str(SMALL), 3))
        self.assertEqual(self.ask(server, "/bags/?limit=3&count=1",
                                  if_none_match=first.headers["ETag"]).status, 304)
        bag = whole[0]
        self.assertEqual((bag["messages"], bag["topics"], sum(bag["density"]), bag["start_time"]),
                         (4, 2, 4, START + (SMALL - 1) * HOUR))
        self.assertEqual(bag["topic_list"], [
            {"topic": topic, "type": "Number", "messages": 2} for topic in ("/all", "/kind/4")])
        self.assertRegex(bag["filename"], "^[0-9a-f]{16}~024.mcap$")
        # A bag that comes meanwhile moves nothing.
        page = self.ask(server, "/bags/?limit=5")
        (self.folder / "new").mkdir()
        write_small(self.folder / "new/100.mcap", 100)
        self.scan(self.folder / "new")
        link = urlsplit(re.search("<(.*)>", page.headers["Link"])[1])
        self.assertEqual(self.ask(server, f"{link.path}?{link.query}").json(), whole[5:10])
        self.assertEqual(self.listed(server)[0]["title"], "100.mcap")

    def test_the_list_is_searched(self):
        self.scan(self.given / "small", "--tag", "kind=small")
        self.scan(self.given / "drive.bag", "--tag", "robot=r 7")
        kitbag("catalog", "set", self.address, self.given / "drive.bag", "--note", "wheel slips")
        server = self.serve()

        def titles(**query):
            return [bag["title"] for bag in self.listed(server, limit=3, **query)]

        kind_2 = [f"{number:03}.mcap" for number in range(22, 0, -5)]
        drive = ["drive.bag"]
        for query, expected in (
                ({"topics": "/kind/2"}, kind_2), ({"topics": "/kind/2,/all"}, kind_2),
                ({"topics": "*/[kK][iI]nd/2*"}, kind_2), ({"topics": "/kind/2,/kind/3"}, []),
                ({"types": "*/Image"}, drive), ({"tag": "robot=r 7"}, drive),
                ({"tag": ["robot=r 7", "kind=small"]}, []), ({"text": "WHEEL"}, drive),
                ({"text": ["wheel", "slip"]}, drive), ({"text": ["wheel", "small"]}, []),
                ({"text": "/small/01"}, [f"{number:03}.mcap" for number in range(19, 9, -1)]),
                ({"start_time": START + 23 * HOUR}, drive + ["024.mcap", "023.mcap"]),
                ({"end_time": START + 2 * HOUR}, ["001.mcap", "000.mcap"]),
                ({"longer_than": 22, "end_time": BEGIN}, ["024.mcap", "023.mcap"]),
                ({"text": "50%"}, []), ({"topics": "/nowhere"}, [])):
            with self.subTest(query):
                self.assertEqual(titles(**query), expected)
                reply = self.ask(server, f"/bags/?count=1&{urlencode(query, doseq=True)}")
                self.assertEqual(reply.headers["Kitbag-Count"], str(len(expected)))
        (found,) = self.listed(server, text="wheel")
        self.assertEqual((found["note"], found["tags"]), ("wheel slips", {"robot": "r 7"}))
        for query in ("after=x", "after=1_", "limit=0", "limit=1001", "limit=x", "order=up",
                      "tag=robot", "tag==x", "start_time=x", "nothing=1",
                      "start_time=5&end_time=4"):
            self.assertEqual(self.ask(server, f"/bags/?{query}").status, 400, query)

    def test_pictures_that_the_catalog_keeps(self):
        self.scan(self.given / "drive.bag")
        server = self.serve()
        target = f"/bags/{self.names(server)['drive.bag']}/thumbnail?topic=/camera/image"
        rough = self.ask(server, f"{target}&time={BEGIN + 2}&rough=1")
        kept = self.folder / "kept.jpg"
        kitbag("catalog", "picture", self.address, self.given / "drive.bag", "--topic",
               "/camera/image", "--at", f"{BEGIN + 2}", "-o", kept)
        self.assertEqual((rough.status, rough.headers["Content-Type"]), (200, "image/jpeg"))
        self.assertTrue(rough.body == kept.read_bytes())
        self.assertLessEqual(float(rough.headers["Kitbag-Time"]), BEGIN + 2)
        # What the catalog has not is taken from the bag.
        self.assertEqual(self.ask(server, f"{target}&rough=1&format=png").body[1:4], b"PNG")
        self.assertEqual(self.ask(server, f"{target}x&rough=1").status, 400)
        self.assertEqual(self.ask(server, f"{target}&rough=2").status, 400)

    def test_answers_are_those_of_a_folder_and_equal_in_every_server(self):
        self.scan(self.given)
        first, second = self.serve(), self.serve()
        names = self.names(first)
        self.assertEqual(self.names(second), names)
        with Server(self.given) as here:
            for title in "drive.bag", "run":
                for answer in ANSWERS:
                    with self.subTest(title=title, answer=answer):
                        mine = self.ask(first, f"/bags/{names[title]}/{answer}")
                        other = self.ask(second, f"/bags/{names[title]}/{answer}")
                        wanted = here.ask(f"/bags/{title}/{answer}")
                        self.assertEqual(mine.status, 200, mine.body[:200])
                        self.assertEqual(mine.headers["ETag"], other.headers["ETag"])
                        self.assertIsNotNone(mine.headers["ETag"])
                        self.assertEqual(mine.headers["Last-Modified"],
                                         other.headers["Last-Modified"])
                        self.assertTrue(mine.body == other.body)
                        if title != "run" or answer != "download":  # a tar has other times
                            self.assertTrue(mine.body == wanted.body)
                        again = self.ask(second, f"/bags/{names[title]}/{answer}",
                                         if_none_match=mine.headers["ETag"])
                        self.assertEqual(again.status, 304)
                view = f"/view/{names[title]}.mcap"
                mine, other = self.ask(first, view), self.ask(second, view)
                self.assertEqual((mine.status, mine.headers["ETag"]), (200, other.headers["ETag"]))
                self.assertTrue(mine.body == other.body == here.ask(f"/view/{title}.mcap").body)
        download = self.ask(first, f"/bags/{names['drive.bag']}/download", "HEAD")
        self.assertIn('filename="drive.bag"', download.headers["Content-Disposition"])

    def test_a_bag_keeps_its_name_where_it_is_moved(self):
        bag = self.folder / "a/drive.bag"
        bag.parent.mkdir()
        shutil.copy(self.given / "drive.bag", bag)
        self.scan(self.folder)
        server = self.serve()
        name = self.names(server)["drive.bag"]
        target = f"/bags/{name}/timeline"
        before = self.ask(server, target)
        # A copy, whose time is another one, is the same bag; so is one that was moved.
        os.utime(bag, (1, 1))
        other = self.serve()
        same = self.ask(other, target)
        self.assertEqual((same.status, same.headers["ETag"]), (200, before.headers["ETag"]))
        self.assertEqual(self.ask(other, f"/bags/{name}/download").body, bag.read_bytes())
        (self.folder / "b").mkdir()
        bag = bag.rename(self.folder / "b/moved.bag")
        fresh = self.serve()
        gone = self.ask(fresh, target)
        self.assertEqual(gone.status, 410)
        self.assertIn("not where the catalog says", gone.json()["error"])
        self.scan(self.folder)
        moved = self.ask(fresh, target)
        self.assertEqual((moved.status, moved.headers["ETag"], moved.body),
                         (200, before.headers["ETag"], before.body))
        # What has another content is another bag.
        bag.write_bytes((self.given / "small/001.mcap").read_bytes())
        last = self.serve()
        self.assertEqual(self.ask(last, target).status, 410)
        self.scan(self.folder)
        self.assertEqual(self.ask(last, target).status, 404)
        self.assertNotEqual(list(self.names(last).values()), [name])

    def test_names_that_are_none(self):
        self.scan(self.given / "small")
        server = self.serve()
        for name, status in (("0123456789abcdef~x.bag", 404), ("drive.bag", 404),
                             ("0123456789ABCDEF~x.bag", 404), ("~", 404),
                             (quote(str(self.given / "drive.bag"), safe=""), 404),
                             (quote("s3://bags/x", safe=""), 403)):
            self.assertEqual(self.ask(server, f"/bags/{name}/download").status, status, name)

    def test_only_what_lies_in_the_places(self):
        self.scan(self.given)
        free = self.serve()
        names = self.names(free)
        server = self.serve(self.given / "small")
        self.assertEqual(self.ask(server, f"/bags/{names['001.mcap']}/topics").status, 200)
        refused = self.ask(server, f"/bags/{names['drive.bag']}/topics")
        self.assertEqual(refused.status, 403)
        self.assertIn("not served", refused.json()["error"])

    def test_events_are_those_of_the_catalog(self):
        self.scan(self.given / "drive.bag")
        first, second = self.serve(), self.serve()
        target = f"/bags/{self.names(first)['drive.bag']}/events"
        self.assertEqual(self.ask(first, target).json(), {"events": []})
        event = {"start_time": BEGIN + 1, "end_time": BEGIN + 2, "label": "slip",
                 "description": "in the rain\n", "metadata": {"by": "Ann", "é": "1"}}
        reply = self.post(first, target, event)
        self.assertEqual(reply.status, 200, reply.body)
        seen = self.ask(second, target)
        self.assertEqual((seen.json()["events"], seen.headers["ETag"]),
                         ([event], reply.headers["ETag"]))
        # Those of other programs are there, too, and keep their numbers.
        kitbag("catalog", "set", self.address, self.given / "drive.bag", "--event",
               "2026-01-01T00:00:00.5Z", "early")
        events = self.ask(first, target)
        self.assertEqual([each["label"] for each in events.json()["events"]], ["early", "slip"])
        (bag,) = [json.loads(line) for line in
                  kitbag("catalog", "list", self.address, "--json").splitlines()]
        before = [each["event"] for each in bag["events"]]
        self.post(second, target, {"start_time": BEGIN + 3, "label": "late"})
        (bag,) = [json.loads(line) for line in
                  kitbag("catalog", "list", self.address, "--json").splitlines()]
        self.assertEqual([each["name"] for each in bag["events"]], ["early", "slip", "late"])
        self.assertEqual([each["event"] for each in bag["events"]][:2], before)
        stale = {"events": [event]}
        self.assertEqual(self.post(first, target, stale).status, 428)
        self.assertEqual(self.post(first, target, stale,
                                   if_match=events.headers["ETag"]).status, 412)
        etag = self.ask(first, target).headers["ETag"]
        self.assertEqual(self.ask(first, target, "DELETE", if_match=etag).status, 200)
        self.assertEqual(self.ask(second, target).json(), {"events": []})
        self.assertEqual([path.name for path in self.given.glob("*events*")], [])

    def test_events_of_several_servers_at_once(self):
        self.scan(self.given / "drive.bag")
        servers = [self.serve(), self.serve()]
        target = f"/bags/{self.names(servers[0])['drive.bag']}/events"
        failed = []

        def add(server, who):
            for number in range(10):
                reply = self.post(server, target, {"start_time": BEGIN + 1,
                                                   "label": f"{who} {number}"})
                if reply.status != 200:
                    failed.append(reply.body)

        threads = [threading.Thread(target=add, args=(servers[who % 2], who)) for who in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failed, [])
        labels = sorted(each["label"] for each in self.ask(servers[0], target).json()["events"])
        self.assertEqual(labels, sorted(f"{who} {number}" for who in range(4)
                                        for number in range(10)))

    def test_it_is_healthy(self):
        server = self.serve()
        for target in "/healthz", "/healthz?check=live":
            reply = server.ask(target, host="10.0.0.1:80")  # needs no token, and no name
            self.assertEqual((reply.status, reply.body), (200, b"ok\n"))
        self.assertIn(b"kitbag_catalog_up 1\n", self.ask(server, "/metrics").body)
        self.assertEqual(server.ask("/bags/").status, 401)


class InSqlite(Catalogs, unittest.TestCase):
    def make_address(self):
        return str(self.folder / "fleet.db")

    def test_what_cannot_be_served(self):
        for arguments, said in (
                (["--catalog", str(self.folder / "none.db")], "none.db"),
                (["--catalog", str(self.given / "drive.bag")], "drive.bag"),
                (["--catalog", self.address, "--record", "demo://"], "exclude each other"),
                ([], "DIR is missing")):
            done = subprocess.run([program(), "serve", "--port", "0", *arguments], text=True,
                                  capture_output=True, check=False, timeout=60)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertIn(said, done.stderr)

    def test_a_remote_bag_must_lie_where_it_may_be_read(self):
        """With --allow-uri, strangers name addresses, and the catalog gets no others."""
        self.scan(self.given / "small/001.mcap")
        with socket.socket() as silent:
            silent.bind(("127.0.0.1", 0))
            silent.listen()
            silent.settimeout(0.2)
            database = sqlite3.connect(self.address)
            with database:
                database.execute("UPDATE files SET path = ?",
                                 (f"http://127.0.0.1:{silent.getsockname()[1]}/x.mcap",))
            database.close()
            server = self.serve("--allow-uri", "https://bags.example.org/")
            (name,) = self.names(server).values()
            self.assertEqual(self.ask(server, f"/bags/{name}/topics").status, 403)
            with self.assertRaises(TimeoutError):
                silent.accept()


class InPostgres(Catalogs, unittest.TestCase):
    @classmethod
    def start(cls):
        need(is_installed(), "PostgreSQL is not installed")
        cls.server = Postgres()
        cls.addClassCleanup(cls.server.end)

    def make_address(self):
        name = self.id().rpartition(".")[2][:60]
        self.server.make_database(name)
        return self.server.url(name)

    def until(self, ask, status):
        """The first reply with that status."""
        deadline = time.monotonic() + 60
        while (reply := ask()).status != status:
            self.assertIn(reply.status, (200, 503), reply.body)
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.1)
        return reply

    def test_a_lost_connection_is_said_and_comes_back(self):
        self.scan(self.given / "drive.bag")
        server = self.serve()
        name = self.names(server)["drive.bag"]
        wanted = self.ask(server, f"/bags/{name}/topics")
        self.assertEqual(wanted.status, 200)
        self.server.stop()
        try:
            lost = self.until(lambda: self.ask(server, "/bags/"), 503)
            self.assertIsNotNone(lost.headers["Retry-After"])
            self.assertNotIn(b"secret", lost.body)
            self.assertEqual(server.ask("/healthz").status, 503)
            self.assertEqual(server.ask("/healthz?check=live").status, 200)
            self.assertIn(b"kitbag_catalog_up 0\n", self.ask(server, "/metrics").body)
            # What the catalog has said of a bag still holds.
            self.assertEqual(self.ask(server, f"/bags/{name}/topics").body, wanted.body)
            refused = self.post(server, f"/bags/{name}/events",
                                {"start_time": BEGIN + 1, "label": "x"})
            self.assertEqual(refused.status, 503)
        finally:
            self.server.start()
        self.until(lambda: server.ask("/healthz"), 200)
        self.assertEqual(len(self.until(lambda: self.ask(server, "/bags/"), 200).json()), 1)
        # Connections that have been lost without a request are no matter.
        self.server.stop()
        self.server.start()
        stored = self.post(server, f"/bags/{name}/events", {"start_time": BEGIN + 1, "label": "x"})
        self.assertEqual(stored.status, 200, stored.body)
        self.assertEqual(self.ask(server, "/bags/").status, 200)


class Ending(unittest.TestCase):
    """SIGTERM ends a server when it has done what it was asked."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name).resolve()
        kitbag("convert", "demo://?seconds=15&seed=3", cls.folder / "drive.bag")

    def begin_download(self, server):
        """A client that has taken the head of a download, and no more."""
        address = urlsplit(server.url)
        client = socket.socket()
        self.addCleanup(client.close)
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 16 << 10)
        client.settimeout(60)
        client.connect((address.hostname, address.port))
        client.sendall(f"GET /bags/drive.bag/download HTTP/1.1\r\nHost: {address.netloc}\r\n\r\n"
                       .encode())
        return client, client.recv(1024)

    def receive(self, client, got):
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
        pieces = [got]
        while piece := client.recv(1 << 20):
            pieces.append(piece)
        return b"".join(pieces)

    def test_what_was_begun_is_completed(self):
        with Server(self.folder, "--drain-time", "600s") as server:
            client, got = self.begin_download(server)
            idle = server.connect().thing
            self.addCleanup(idle.close)
            idle.request("GET", "/healthz")
            self.assertEqual(idle.getresponse().read(), b"ok\n")
            server.process.terminate()
            self.assertEqual(idle.sock.recv(1), b"")  # closed, since nothing was asked
            with self.assertRaises(ConnectionError):
                while True:  # a moment may pass until nobody listens
                    server.ask("/healthz")
            self.assertIsNone(server.process.poll())
            _, _, body = self.receive(client, got).partition(b"\r\n\r\n")
            self.assertTrue(body == (self.folder / "drive.bag").read_bytes())
            self.assertEqual(server.process.wait(60), 0)

    def test_not_for_longer_than_the_limit(self):
        with Server(self.folder, "--drain-time", "200ms") as server:
            client, got = self.begin_download(server)
            server.process.terminate()
            self.assertEqual(server.process.wait(60), 0)
            try:
                got = self.receive(client, got)
            except ConnectionError:
                pass
            self.assertLess(len(got), (self.folder / "drive.bag").stat().st_size)

    def test_ctrl_c_waits_for_nobody(self):
        with Server(self.folder, "--drain-time", "600s") as server:
            self.begin_download(server)
            server.process.send_signal(signal.SIGINT)
            server.process.wait(60)

    def test_it_says_so_before(self):
        with Server(self.folder, "--drain-delay", "600s") as server:
            server.process.terminate()
            while server.ask("/healthz").status == 200:
                time.sleep(0.05)
            self.assertEqual(server.ask("/healthz").body, b"the server is about to end\n")
            self.assertEqual(server.ask("/healthz?check=live").status, 200)
            self.assertEqual(server.ask("/bags/").status, 200)
            time.sleep(1.1)  # what follows within a second counts as the same signal
            server.process.terminate()
            server.process.wait(60)


if __name__ == "__main__":
    peers.main()
