#!/usr/bin/env python3
"""The forms in which the messages of a slice leave, compared with what rosbag and npm read."""

import csv
import io
import json
import shutil
import socket
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import duckdb_c  # noqa: E402
import peers  # noqa: E402
from mcap_file import McapFile  # noqa: E402
from peers import digest, kitbag, need, run_json  # noqa: E402
from server import Server  # noqa: E402

try:
    import rosbag
except ImportError:
    rosbag = None

INTEROP = Path(__file__).resolve().parents[1] / "interop"
DEMO = "demo://?seconds=4&seed=3"
LARGE = 2**53 + 1
LATCHED = ("/map", "/tf_static", "/path")  # the last one by the description of the API


class Formats(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name).resolve()
        kitbag("convert", DEMO, cls.folder / "a.bag", "--encoding", "ros1")
        whole = bytearray((cls.folder / "a.bag").read_bytes())
        (cls.folder / "torn.bag").write_bytes(whole[:len(whole) // 2])
        cls.make_integers()
        cls.server = Server(cls.folder)
        cls.addClassCleanup(cls.server.end)
        cls.begin = cls.server.ask("/bags/a.bag/player").json()["start_time"]

    @classmethod
    def make_integers(cls):
        file = McapFile(cls.folder / "i.mcap")
        numbers = file.channel("/numbers", "ros1", "pkg/N", "ros1msg",
                               "int64 a\nuint64[] b\nint32 c\n")
        opaque = file.channel("/opaque", "x-other", "pkg/O", "x-other", "?")
        payload = ((-LARGE).to_bytes(8, "little", signed=True) + (1).to_bytes(4, "little") +
                   LARGE.to_bytes(8, "little") + (7).to_bytes(4, "little"))
        file.message(numbers, 10**9, payload)
        file.message(numbers, 2 * 10**9, payload[:6])
        file.message(opaque, 3 * 10**9, b"123")
        file.close()

    def slice(self, more, bag="a.bag", begin=None, end=None):
        begin = self.begin + 1 if begin is None else begin
        end = self.begin + 2 if end is None else end
        return self.server.ask(f"/bags/{bag}/player?start_time={begin}&end_time={end}{more}")

    def raw(self, bag="a.bag", begin=None, end=None):
        """(topic, type, time in ns, payload) of the slice as rosbag reads them, state included."""
        need(rosbag is not None, "rosbag is not installed")
        begin = (self.begin + 1 if begin is None else begin) * 10**9
        end = (self.begin + 2 if end is None else end) * 10**9
        state, messages = {}, []
        with rosbag.Bag(str(self.folder / bag)) as opened:
            for topic, message, stamp in opened.read_messages(raw=True):
                row = (topic, message[0], stamp.to_nsec(), message[1])
                if stamp.to_nsec() < begin and topic in LATCHED:
                    state[topic] = row
                elif begin <= stamp.to_nsec() < end:
                    messages.append(row)
        return sorted(state.values(), key=lambda row: row[2]) + messages

    def test_fields_of_one_of_two_types_on_a_topic(self):
        file = McapFile(self.folder / "two.mcap")
        near = file.channel("/x", "ros1", "pkg/Near", "ros1msg", "uint8 a\n")
        far = file.channel("/x", "ros1", "pkg/Far", "ros1msg", "uint8 b\n")
        file.message(near, 10**9, b"\x07")
        file.message(far, 2 * 10**9, b"\x08")
        file.close()
        reply = self.slice("&fields=a&format=ndjson", "two.mcap", 0, 9)
        self.assertEqual([json.loads(line) for line in reply.body.splitlines()],
                         [{"topic": "/x", "a": 7, "__stamp": 1.0, "__latched": False}])
        reply = self.slice("&fields=b&format=csv", "two.mcap", 0, 9)
        self.assertEqual(reply.status, 200, reply.body)
        self.assertTrue(reply.body.decode().splitlines()[-1].endswith(",8"))

    def test_damage_that_is_known_before_is_in_the_header(self):
        for form in "csv&topics=/odom", "parquet", "mcap", "json", "bag":
            reply = self.slice(f"&format={form}", "torn.bag")
            self.assertEqual(reply.status, 200, reply.body)
            self.assertTrue(json.loads(reply.headers["Kitbag-Damage"]), form)
            self.assertEqual(reply.headers["Cache-Control"], "no-cache")  # it may be completed
        self.assertIsNone(self.slice("").headers["Kitbag-Damage"])

    def test_lines_of_json_are_the_elements_of_json(self):
        reply = self.slice("&format=ndjson")
        self.assertEqual(reply.headers["Content-Type"], "application/x-ndjson")
        lines = [json.loads(line) for line in reply.body.splitlines()]
        self.assertEqual(lines, self.slice("").json()["messages"])
        self.assertEqual([line["topic"] for line in lines], [row[0] for row in self.raw()])

    def test_csv_is_a_table_of_one_type(self):
        reply = self.slice("&format=csv&topics=/odom&fields=pose.pose.position,header.seq")
        self.assertEqual(reply.headers["Content-Type"], "text/csv; charset=utf-8")
        rows = list(csv.DictReader(io.StringIO(reply.body.decode())))
        expected = self.slice("&topics=/odom").json()["messages"]
        self.assertGreater(len(rows), 10)
        self.assertEqual([float(row["pose.pose.position.x"]) for row in rows],
                         [message["pose"]["pose"]["position"]["x"] for message in expected])
        self.assertEqual([int(row["log_time_ns"]) for row in rows],
                         [row[2] for row in self.raw() if row[0] == "/odom"])

    def test_csv_refuses_several_types_before_it_begins(self):
        reply = self.slice("&format=csv")
        self.assertEqual(reply.status, 400)
        self.assertIn("select the topics of one type", reply.json()["error"])
        reply = self.slice("&format=csv&topics=/opaque", "i.mcap", 0, 9)
        self.assertEqual(reply.status, 400)
        self.assertIn("/opaque", reply.json()["error"])

    def table_of(self, reply):
        """A query's view of a slice as Parquet."""
        self.assertEqual((reply.status, reply.headers["Content-Type"]),
                         (200, "application/vnd.apache.parquet"))
        path = self.folder / "slice.parquet.part"
        path.write_bytes(reply.body)
        database = duckdb_c.Database(duckdb_c.library())
        self.addCleanup(database.close)
        return lambda columns: database.query(f"SELECT {columns} FROM read_parquet('{path}')")

    def test_parquet_is_a_table_of_all_topics(self):
        query = self.table_of(self.slice("&format=parquet"))
        self.assertEqual(query("topic, time"), [(row[0], row[2]) for row in self.raw()])

    def test_parquet_has_the_fields_that_are_asked_for(self):
        query = self.table_of(self.slice(
            "&format=parquet&topics=/odom&fields=pose.pose.position,header.seq"))
        expected = self.slice("&topics=/odom").json()["messages"]
        self.assertGreater(len(expected), 10)
        self.assertEqual(query('"header.seq", "pose.pose.position".x'),
                         [(message["header"]["seq"], message["pose"]["pose"]["position"]["x"])
                          for message in expected])

    def test_parquet_without_messages_is_a_table_without_rows(self):
        query = self.table_of(self.slice("&format=parquet&topics=/odom&state=none", begin=1, end=2))
        self.assertEqual(query("count(*), count(header.seq)"), [(0, 0)])

    def npm(self, reply):
        need(shutil.which("node"), "node is not installed")
        need((INTEROP / "node_modules" / "@mcap").is_dir(),
             "the npm readers are not there: npm ci in tests/interop brings them")
        path = self.folder / "slice.mcap.part"
        path.write_bytes(reply.body)
        found = [run_json("node", INTEROP / "read_mcap.mjs", mode, path)[str(path)]
                 for mode in ("indexed", "stream")]
        path.unlink()
        self.assertEqual(found[0]["topics"], found[1]["topics"])
        return found[0]

    def test_mcap_holds_the_slice_and_the_state_before_it(self):
        reply = self.slice("&format=mcap")
        self.assertEqual(reply.headers["Content-Type"], "application/mcap")
        found = self.npm(reply)
        self.assertEqual({(topic, type_): rest for topic, type_, *rest in found["topics"]},
                         digest(self.raw()))
        self.assertEqual(found["metadata"], [])
        some = self.npm(self.slice("&format=mcap&topics=/odom&limit=5"))
        self.assertEqual([(topic, count) for topic, _, count, _ in some["topics"] if count],
                         [("/odom", 5)])

    def test_mcap_comes_in_pieces(self):
        with self.server.connect() as connection:
            connection.request("GET", f"/bags/a.bag/player?start_time={self.begin}"
                                      f"&end_time={self.begin + 3}&format=mcap")
            response = connection.getresponse()
            first = response.read1(1 << 20)
            self.assertTrue(first.startswith(b"\x89MCAP0\r\n"))
            self.assertGreater(len(response.read()), len(first))

    def test_64_bit_integers_as_strings(self):
        for form in "json", "ndjson":
            reply = self.slice(f"&format={form}&limit=1&int64=string", "i.mcap", 0, 9)
            message = (reply.json()["messages"][0] if form == "json"
                       else json.loads(reply.body.splitlines()[0]))
            self.assertEqual((message["a"], message["b"], message["c"]),
                             (str(-LARGE), [str(LARGE)], 7))
        self.assertIn(f'"a":{-LARGE},'.encode(), self.slice("&limit=1", "i.mcap", 0, 9).body)
        printed = kitbag("cat", self.folder / "i.mcap", "--int64", "string", "--count", "1")
        self.assertEqual(json.loads(printed)["data"]["a"], str(-LARGE))

    def test_every_form_reports_damage(self):
        whole = self.slice("", "torn.bag", 0, 2**33).json()
        self.assertTrue(whole["damage"])
        lines = self.slice("&format=ndjson", "torn.bag", 0, 2**33).body.splitlines()
        self.assertEqual(json.loads(lines[-1]), {"__damage": whole["damage"]})
        self.assertEqual(len(lines) - 1, len(whole["messages"]))
        found = self.npm(self.slice("&format=mcap", "torn.bag", 0, 2**33))
        self.assertEqual([name for name, _ in found["metadata"]], ["damage"])
        self.assertIn(whole["damage"][0], json.dumps(found["metadata"], ensure_ascii=False))

    def lines_of(self, target, version="1.1"):
        host, port = self.server.host.split(":")
        with socket.create_connection((host, int(port)), timeout=20) as connection:
            connection.sendall(f"GET {target} HTTP/{version}\r\nHost: localhost\r\n"
                               "Connection: close\r\n\r\n".encode())
            received = b""
            while piece := connection.recv(65536):
                received += piece
            return received.split(b"\r\n")

    def test_csv_and_parquet_report_what_is_missing_behind_the_body(self):
        for form in "csv", "parquet":
            with self.subTest(form):
                self.check_trailer(form)

    def check_trailer(self, form):
        target = f"/bags/i.mcap/player?start_time=0&end_time=9&format={form}&topics=/numbers"
        lines = self.lines_of(target)
        self.assertIn(b"Trailer: Kitbag-Damage", lines)
        last = next(line for line in lines if line.startswith(b"Kitbag-Damage: "))
        reported = json.loads(last.partition(b": ")[2])
        self.assertEqual(len(reported), 1)
        self.assertTrue(reported[0].startswith("/numbers: 1 messages cannot be decoded"), reported)
        self.assertEqual(lines[-3:], [last, b"", b""])
        whole = self.lines_of(target + "&limit=1")
        self.assertFalse([line for line in whole if line.startswith(b"Kitbag-Damage")])
        # A client of HTTP/1.0 knows no trailers; its answer would end as a whole one does.
        with self.assertRaises(ConnectionResetError):
            self.lines_of(target, "1.0")

    def test_what_does_not_go_together_is_refused(self):
        for more in ("&format=xml", "&format=", "&int64=text", "&format=mcap&fields=a",
                     "&format=csv&topics=/odom&int64=string", "&format=mcap&int64=string"):
            reply = self.slice(more)
            self.assertEqual((reply.status, list(reply.json())), (400, ["error"]), more)
        self.assertEqual(self.server.ask("/bags/a.bag/player?format=mcap").status, 400)

    def test_head_has_the_headers_of_get(self):
        for form in "json", "ndjson", "mcap":
            target = (f"/bags/a.bag/player?start_time={self.begin}&end_time={self.begin + 1}"
                      f"&format={form}")
            head = self.server.ask(target, method="HEAD")
            whole = self.server.ask(target)
            self.assertEqual((head.status, head.body), (200, b""))
            for name in "Content-Type", "ETag", "Cache-Control", "Content-Encoding":
                self.assertEqual(head.headers[name], whole.headers[name])


if __name__ == "__main__":
    peers.main()
