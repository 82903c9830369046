#!/usr/bin/env python3
"""SQL queries by HTTP: the answers are those of `kitbag sql`, and a query cannot run away."""

import contextlib
import http.client
import select
import socket
import sys
import time
from pathlib import Path
from urllib.parse import quote

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import peers  # noqa: E402
from bag_folder import InFolder  # noqa: E402
from peers import kitbag  # noqa: E402
from server import Server  # noqa: E402

ENDLESS = ("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
           "SELECT count(*) FROM n")
QUERIES = (
    "SELECT count(*), avg(\"twist.twist.linear.x\") FROM odom",
    "SELECT time, voltage, present FROM battery WHERE voltage < 25.1995",
    "SELECT topic, count(*) AS messages FROM messages GROUP BY topic ORDER BY topic",
    "SELECT bag, messages FROM bags",
    "CREATE TEMP TABLE fast AS SELECT * FROM odom; SELECT count(*) FROM fast",
    "SELECT NULL AS a, 'x,\"y' AS b, x'0102' AS c WHERE 0",
)


def rows(count):
    return (f"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {count}) "
            "SELECT i FROM n")


class Sql(InFolder):
    options = ("--allow-sql",)

    def query(self, text, more="", server=None):
        return (server or self.server).ask(f"/bags/a.bag/sql?q={quote(text)}{more}")

    def test_answers_are_those_of_the_program(self):
        for text in QUERIES:
            for form, media in (("json", "application/json"), ("ndjson", "application/x-ndjson"),
                                ("csv", "text/csv; charset=utf-8")):
                reply = self.query(text, f"&format={form}")
                self.assertEqual(reply.status, 200, reply.body)
                self.assertEqual(reply.headers["Content-Type"], media)
                expected = kitbag("sql", text, "a.bag", "--format", form, cwd=self.folder)
                self.assertEqual(reply.body.decode(), expected, text)
        self.assertEqual(self.query("SELECT 1 AS one").json(), [{"one": 1}])

    def test_damage_that_the_query_meets_is_listed_behind_the_answer(self):
        kitbag("convert", "a.bag", "damaged.mcap", "--compression", "zstd", "--chunk-size", "20KB",
               cwd=self.folder)
        bag = Path(self.folder) / "damaged.mcap"
        content = bytearray(bag.read_bytes())
        content[len(content) // 2] ^= 0xff
        bag.write_bytes(content)
        deadline = time.monotonic() + 20
        while self.server.ask("/bags/damaged.mcap/topics").status != 200:
            self.assertLess(time.monotonic(), deadline, "the bag is not listed")
        host, port = self.server.host.split(":")
        query = quote("SELECT count(*) AS n, sum(length(payload)) FROM messages")
        with socket.create_connection((host, int(port)), timeout=20) as connection:
            connection.sendall(f"GET /bags/damaged.mcap/sql?q={query} HTTP/1.1\r\n"
                               "Host: localhost\r\nConnection: close\r\n\r\n".encode())
            received = b"".join(iter(lambda: connection.recv(65536), b""))
        self.assertTrue(received.startswith(b"HTTP/1.1 200 "), received[:200])
        self.assertIn(b"\r\nTrailer: Kitbag-Damage\r\n", received)
        self.assertRegex(received, rb"\r\nKitbag-Damage: \[\"[^\r]+\]\r\n\r\n\Z")

    def test_a_long_answer_is_whole(self):
        found = self.query(rows(300000)).json()
        self.assertEqual([found[0], found[-1], len(found)], [{"i": 1}, {"i": 300000}, 300000])

    def test_what_is_asked_wrongly_is_said_by_sqlite(self):
        for text, why in (("SELECT nix FROM odom", "no such column: nix"),
                          ("SELEC", 'near "SELEC": syntax error'), ("", "empty"),
                          ("ATTACH '/tmp/x.db' AS x", "authorized"),
                          ("SELECT load_extension('x')", "authorized"),
                          ("SELECT json_extract('{', '$.a')", "malformed JSON")):
            reply = self.query(text)
            self.assertEqual((reply.status, list(reply.json())), (400, ["error"]), text)
            self.assertIn(why, reply.json()["error"])
        for query in "", "q=SELECT+1&format=table", "q=SELECT+1&x=1":
            self.assertEqual(self.server.ask(f"/bags/a.bag/sql?{query}").status, 400, query)

    def test_it_has_to_be_allowed(self):
        with Server(self.folder) as server:
            reply = self.query("SELECT 1", server=server)
            self.assertEqual(reply.status, 403)
            self.assertIn("--allow-sql", reply.json()["error"])
        with Server(self.folder, "--allow-sql", "--token", "t") as server:
            self.assertEqual(self.query("SELECT 1", server=server).status, 401)
            self.assertEqual(self.query("SELECT 1", "&token=t", server).status, 200)

    def test_a_query_that_takes_too_long_is_413(self):
        with Server(self.folder, "--allow-sql", "--max-work", "200ms") as server:
            reply = self.query(ENDLESS, server=server)
            self.assertEqual((reply.status, list(reply.json())), (413, ["error"]))

    def test_a_function_is_no_way_to_keep_the_server_busy(self):
        long = "hex(zeroblob(8000000))"
        for text in (f"SELECT instr({long}, substr({long}, 8000000) || '1') AS at",
                     f"SELECT length(replace({long}, substr({long}, 8000000) || '1', '')) AS at"):
            self.assertIn(self.query(text).json(), ([{"at": 0}], [{"at": 16000000}]))
        for text, status, why in (
                ("SELECT printf('%.*c', 900000000, 'x')", 400, "repeated too often"),
                ("SELECT length(zeroblob(900000000))", 413, "too big"),
                ("SELECT 'x' LIKE hex(zeroblob(100))", 400, "too complex")):
            reply = self.query(text)
            self.assertEqual(reply.status, status)
            self.assertIn(why, reply.json()["error"])
        with Server(self.folder, "--allow-sql", "--max-work", "200ms") as server:
            for text in (f"trim({long}, replace({long}, '0', '1') || '0')",
                         f"{long} LIKE '%{'0' * 126}1'", f"{long} GLOB '*{'[0]' * 41}1'"):
                reply = self.query(f"SELECT {text}", "", server)
                self.assertEqual(reply.status, 413)

    def test_a_query_that_does_not_end_is_left(self):
        # Few steps of SQLite's machine, each of them long. Constants would be kept in memory.
        terms = ["length(upper(hex(zeroblob(16000000+random()%2))))"] * 70
        with Server(self.folder, "--allow-sql", "--drain-time", "100ms") as server:
            host, port = server.host.split(":")
            with socket.create_connection((host, int(port)), timeout=60) as client:
                query = quote("SELECT " + "+".join(terms))
                client.sendall(f"GET /bags/a.bag/sql?q={query} HTTP/1.1\r\n"
                               "Host: localhost\r\n\r\n".encode())
                time.sleep(1)
                server.process.terminate()
                _, said = server.process.communicate(timeout=20)
            self.assertEqual(server.process.returncode, 2)
            self.assertIn("a request has not ended in time", said)

    def test_an_answer_that_is_too_large_is_not_taken_for_a_whole_one(self):
        with Server(self.folder, "--allow-sql", "--max-slice-size", "200kB") as server:
            with self.assertRaises((http.client.IncompleteRead, ConnectionError)):
                self.query(rows(1000000), server=server)

    def test_queries_end_with_their_clients(self):
        host, port = self.server.host.split(":")
        with contextlib.ExitStack() as stack:
            clients = []
            for _ in range(5):
                client = stack.enter_context(socket.create_connection((host, int(port))))
                client.sendall(f"GET /bags/a.bag/sql?q={quote(ENDLESS)} HTTP/1.1\r\n"
                               f"Host: {self.server.host}\r\n\r\n".encode())
                clients.append(client)
            answered, _, _ = select.select(clients, [], [], 60)
            self.assertEqual([client.recv(12) for client in answered], [b"HTTP/1.1 503"])
        end = time.monotonic() + 60
        while (status := self.query("SELECT 1").status) != 200:
            self.assertEqual(status, 503)
            self.assertLess(time.monotonic(), end)


if __name__ == "__main__":
    peers.main()
