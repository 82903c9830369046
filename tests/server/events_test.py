#!/usr/bin/env python3
"""Events: stored beside the bag, and never lost."""

import json
import resource
import sys
import tempfile
import threading
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import peers  # noqa: E402
from peers import kitbag  # noqa: E402
from server import Reply, Server  # noqa: E402

DEMO = "demo://?seconds=4&seed=3"
BEGIN = 1767225600  # of the demo


class Events(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name).resolve()
        kitbag("convert", DEMO, self.folder / "a.bag", "--encoding", "ros1")
        kitbag("convert", DEMO, f"{self.folder}/directory/")
        self.server = Server(self.folder, "--token", "t")
        self.addCleanup(lambda: self.server.end())

    def get(self, bag="a.bag", server=None, **headers):
        return (server or self.server).ask(f"/bags/{bag}/events", authorization="Bearer t",
                                           **headers)

    def delete(self, bag="a.bag", server=None, **headers):
        headers = {"authorization": "Bearer t", **headers}
        return (server or self.server).ask(f"/bags/{bag}/events", "DELETE", **headers)

    def post(self, body, bag="a.bag", server=None, **headers):
        headers = {"authorization": "Bearer t", "content-type": "application/json",
                   **{name.replace("_", "-"): value for name, value in headers.items()}}
        text = body if isinstance(body, str) else json.dumps(body)
        with (server or self.server).connect() as connection:
            connection.request("POST", f"/bags/{bag}/events", text.encode(), headers)
            return Reply(connection.getresponse())

    def test_a_link_that_leads_out_is_neither_read_nor_written(self):
        outside = tempfile.TemporaryDirectory()
        self.addCleanup(outside.cleanup)
        stored = Path(outside.name) / "stored.json"
        event = {"start_time": BEGIN, "label": "x"}
        for text in None, '{"events": [{"start_time": 1767225600, "label": "secret"}]}':
            if text:
                stored.write_text(text)
            link = self.folder / "a.bag.events.json"
            link.unlink(missing_ok=True)
            link.symlink_to(stored)
            reply = self.post(event)
            self.assertEqual(reply.status, 403, reply.body)
            self.assertIn("leads out of their folder", reply.json()["error"])
            self.assertNotIn(b"secret", self.get().body)
            self.assertEqual(self.delete(if_match="*").status, 403)
            self.assertEqual(stored.read_text() if stored.exists() else None, text)

    def test_an_event_is_added_and_stays(self):
        self.assertEqual(self.get().json(), {"events": []})
        first = f'{{"start_time": {BEGIN}.123456789, "label": "late", "description": "é\\n"}}'
        for bag in "a.bag", "directory":
            reply = self.post(first, bag)
            self.assertEqual((reply.status, reply.headers["Cache-Control"]), (200, "no-store"))
            self.post({"start_time": BEGIN, "end_time": BEGIN + 1, "label": "early",
                       "metadata": {"a": "b"}}, bag)
            reply = self.get(bag)
            self.assertIn(b"1767225600.123456789", reply.body)
            self.assertEqual(reply.headers["Cache-Control"], "private, no-cache")
            self.assertEqual([each["label"] for each in reply.json()["events"]], ["early", "late"])
            stored = self.folder / f"{bag}.events.json"
            self.assertEqual(stored.read_bytes(), reply.body)
        self.server.end()
        with Server(self.folder) as other:
            self.assertEqual(other.ask("/bags/a.bag/events").body, reply.body)
            self.assertEqual({bag["filename"] for bag in other.list()}, {"a.bag", "directory"})
        self.server = Server(self.folder)

    def test_conditions(self):
        tag = self.post({"start_time": BEGIN, "label": "x"}).headers["ETag"]
        self.assertEqual(self.get(if_none_match=tag).status, 304)
        everything = {"events": [{"start_time": BEGIN + 1, "label": "y"}]}
        self.assertEqual(self.post(everything).status, 428)
        self.assertEqual(self.post(everything, if_match='"other"').status, 412)
        self.assertEqual([each["label"] for each in self.get().json()["events"]], ["x"])
        replaced = self.post(everything, if_match=tag)
        self.assertEqual(replaced.status, 200)
        self.assertEqual(self.post(everything, if_match=tag).status, 412)
        self.assertEqual(self.post({"events": []}, if_match=replaced.headers["ETag"]).status, 200)
        self.assertEqual(self.get().json(), {"events": []})

    def test_many_at_once_lose_none(self):
        """Some to this server, some to another one of the same folder."""
        with Server(self.folder, "--token", "t") as other:
            statuses = []

            def add(number):
                reply = self.post({"start_time": BEGIN, "label": str(number)},
                                  server=other if number % 2 else self.server)
                statuses.append(reply.status)
            threads = [threading.Thread(target=add, args=(number,)) for number in range(40)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertEqual(statuses, [200] * 40)
            self.assertEqual(self.get().body, self.get(server=other).body)
        labels = sorted(int(each["label"]) for each in self.get().json()["events"])
        self.assertEqual(labels, list(range(40)))
        self.assertEqual([path.name for path in self.folder.iterdir() if "events" in path.name],
                         ["a.bag.events.json"])

    def test_deleting_all(self):
        tag = self.post({"start_time": BEGIN, "label": "x"}).headers["ETag"]
        self.assertEqual(self.delete().status, 428)
        self.assertEqual(self.delete(if_match='"other"').status, 412)
        self.assertEqual(self.delete(if_match=tag, authorization="Bearer no").status, 401)
        self.assertEqual(self.delete(if_match=tag, origin="https://else.example").status, 403)
        self.assertEqual(len(self.get().json()["events"]), 1)
        reply = self.delete(if_match=tag)
        self.assertEqual((reply.status, reply.json()), (200, {"events": []}))
        self.assertFalse(list(self.folder.glob("*.json")))
        self.assertEqual(self.delete(if_match="*").status, 200)
        self.assertEqual(self.delete("none.bag", if_match="*").status, 400)
        with Server(self.folder) as other:  # without a token
            self.assertEqual(self.delete(server=other, if_match="*").status, 403)

    def test_what_is_wrong(self):
        for body in ("", "[]", {"label": "x"}, {"start_time": BEGIN},
                     {"start_time": BEGIN, "end_time": BEGIN - 1, "label": "x"},
                     {"start_time": BEGIN - 10, "label": "too early"},
                     {"start_time": BEGIN + 100, "label": "too late"},
                     {"start_time": BEGIN, "label": "x", "color": "red"}):
            reply = self.post(body)
            self.assertEqual((reply.status, list(reply.json())), (400, ["error"]), body)
        self.assertEqual(self.post({"start_time": BEGIN, "label": "x" * 300}).status, 413)
        self.assertEqual(self.post({"start_time": BEGIN, "label": "x"}, "none.bag").status, 400)
        self.assertEqual(self.post({"start_time": BEGIN, "label": "x"},
                                   authorization="Bearer no").status, 401)
        self.assertEqual(self.post("x", content_type="text/plain").status, 415)
        self.assertFalse(list(self.folder.glob("*.json")))

    def test_a_file_of_something_else_is_not_replaced(self):
        stored = self.folder / "a.bag.events.json"
        stored.write_text("notes")
        self.assertEqual(self.get().status, 400)
        self.assertEqual(self.post({"start_time": BEGIN, "label": "x"}).status, 400)
        self.assertEqual(stored.read_text(), "notes")

    def test_what_cannot_be_stored_is_an_error_and_changes_nothing(self):
        self.post({"start_time": BEGIN, "label": "x"})
        before = self.get().body
        resource.prlimit(self.server.process.pid, resource.RLIMIT_FSIZE, (10, 10))
        reply = self.post({"start_time": BEGIN, "label": "y"})
        self.assertEqual(reply.status, 403)
        self.assertIn("cannot be stored", reply.json()["error"])
        self.assertEqual(self.get().body, before)


if __name__ == "__main__":
    peers.main()
