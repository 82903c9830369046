#!/usr/bin/env python3
"""`kitbag serve --record`: one process records, deletes old files and serves what it has."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import make_bag  # noqa: E402
import peers  # noqa: E402
from peers import kitbag, need, run  # noqa: E402
from server import Server  # noqa: E402

PATIENCE_S = 60
TIME_NAME = r"\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d(_\d+)?"
JSON = {"authorization": "Bearer t", "content_type": "application/json"}
# 57 kB each: 20 MB/s, so that a file is more than sockets hold.
FAST = "demo://?image=350"


class Recording(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name).resolve()

    def serve(self, source, *options, folder=None):
        server = Server(folder or self.folder, "--token", "t", "--record", source, *options)
        self.addCleanup(server.end)
        return server

    def eventually(self, condition):
        """The first truth that `condition` gives."""
        end = time.monotonic() + PATIENCE_S
        while True:
            result = condition()
            if result:
                return result
            self.assertLess(time.monotonic(), end, "it has not come")
            time.sleep(0.02)  # another process is waited for

    def ask(self, server, target="/api/recorder", method="GET", **headers):
        return server.ask(target, method, **{**JSON, **headers})

    def state(self, server):
        reply = self.ask(server)
        self.assertEqual(reply.status, 200, reply.body)
        return reply.json()

    def post(self, server, command, status=200):
        reply = self.ask(server, f"/api/recorder/{command}", "POST")
        self.assertEqual(reply.status, status, reply.body)
        return reply.json()

    def list(self, server):
        return {bag["filename"]: bag for bag in self.ask(server, "/bags/").json()}

    def complete(self, server):
        """The names of the complete bags, the oldest first."""
        return [name for name, bag in self.list(server).items() if not bag.get("recording")]

    def metrics(self, server):
        reply = self.ask(server, "/metrics")
        self.assertEqual((reply.status, reply.headers["Content-Type"]),
                         (200, "text/plain; version=0.0.4"))
        values = {}
        for line in reply.body.decode().splitlines():
            if line.startswith("#"):
                self.assertRegex(line, r"^# (HELP kitbag_\w+ \S|TYPE kitbag_\w+ (counter|gauge)$)")
                continue
            sample = re.fullmatch(r'(kitbag_\w+(?:\{\w+="(?:[^"\\\n]|\\.)*"\})?) (\d+)', line)
            self.assertTrue(sample, line)
            values[sample[1]] = int(sample[2])
        return values

    def check_all(self):
        """Every file is complete, and begins with the state of latched topics."""
        names = sorted(path.name for path in self.folder.iterdir())
        for name in names:
            self.assertRegex(name, rf"^{TIME_NAME}\.(mcap|bag)$")
            kitbag("check", self.folder / name)
            self.assertIn("/map", kitbag("cat", self.folder / name, "--topics", "/map", "--count",
                                         "1", "--fields", "info"), name)
        return names


class Control(Recording):
    def test_what_is_recorded_is_listed_and_played_at_once(self):
        server = self.serve("demo://", "--format", "rosbag", "--topics", "/odom", "/tf_static")
        recorded = self.eventually(lambda: [bag for bag in self.list(server).values()
                                            if bag.get("recording") and bag.get("messages")])
        self.assertRegex(recorded[0]["filename"], rf"^{TIME_NAME}\.bag$")
        state = self.state(server)
        self.assertEqual(state["state"], "recording")
        self.assertEqual(state["file"], recorded[0]["filename"])
        self.assertEqual(state["topics"], 2)
        name = recorded[0]["filename"]
        player = self.eventually(lambda: self.ask(server, f"/bags/{name}/player").json())
        self.assertGreater(player["total_messages"], 0)

    def test_a_paused_recording_is_not_damaged(self):
        server = self.serve("demo://")
        self.eventually(lambda: self.state(server)["messages"])
        self.post(server, "pause")
        name = self.state(server)["file"]
        # As if it had stood still for long.
        past = time.time() - 600
        self.eventually(lambda: self.list(server).get(name, {}).get("messages"))
        for path in self.folder.iterdir():
            os.utime(path, (past, past))
        time.sleep(1)
        listed = self.list(server)[name]
        self.assertTrue(listed["recording"])
        self.assertNotIn("damaged", listed)
        for target in f"/bags/{name}/player", f"/bags/{name}/timeline?buckets=2":
            reply = self.ask(server, target)
            self.assertEqual((reply.status, reply.headers["Cache-Control"]),
                             (200, "private, no-cache"))
        self.post(server, "resume")
        self.post(server, "stop")
        self.eventually(lambda: "max-age" in self.ask(
            server, f"/bags/{name}/player").headers["Cache-Control"])

    def test_commands(self):
        server = self.serve("demo://", "--split-duration", "1h")
        self.eventually(lambda: self.state(server)["messages"])
        self.assertEqual(self.post(server, "pause")["state"], "paused")
        paused = self.state(server)["messages"]
        self.assertEqual(self.post(server, "pause")["messages"], paused)
        self.assertEqual(self.post(server, "resume")["state"], "recording")
        self.eventually(lambda: self.state(server)["messages"] > paused)

        first = self.state(server)["file"]
        self.post(server, "split")
        second = self.eventually(lambda: self.state(server).get("file"))
        self.assertNotEqual(first, second)
        self.assertTrue((self.folder / first).exists())

        stopped = self.post(server, "stop")
        self.assertEqual(stopped["state"], "stopped")
        self.assertNotIn("file", stopped)
        self.assertEqual(self.post(server, "stop")["state"], "stopped")
        self.assertEqual(set(self.check_all()), {first, second})
        for command in ("pause", "resume", "split"):
            self.assertIn("start", self.post(server, command, 409)["error"])

        self.assertEqual(self.post(server, "start")["state"], "recording")
        self.assertEqual(self.post(server, "start")["state"], "recording")
        self.eventually(lambda: self.state(server).get("file") not in (None, first, second))
        self.assertIn("snapshot", self.post(server, "snapshot", 409)["error"])
        server.end()
        self.assertEqual(len(self.check_all()), 3)

    def test_a_snapshot(self):
        server = self.serve("demo://", "--snapshot", "1h", "--start-paused")
        self.assertEqual(self.state(server)["state"], "paused")
        self.post(server, "resume")
        self.eventually(lambda: self.state(server)["held_bytes"])
        self.assertEqual(self.list(server), {})
        self.post(server, "snapshot")
        self.assertEqual(len(self.check_all()), 1)
        self.post(server, "split", 409)

    def test_who_may_not(self):
        server = self.serve("demo://", "--allow-origin", "https://ui.example")

        def post(body=None, **headers):
            with server.connect() as connection:
                named = {name.replace("_", "-"): value for name, value in headers.items()}
                connection.request("POST", "/api/recorder/pause", body, named)
                return connection.getresponse().status
        self.assertEqual(post(content_type="application/json"), 401)
        self.assertEqual(post(authorization="Bearer t"), 415)
        self.assertEqual(post(origin="https://evil.example", **JSON), 403)
        self.assertEqual(post('{"topics": ["/odom"]}', **JSON), 400)
        self.assertEqual(self.state(server)["state"], "recording")
        self.assertEqual(post("{}", origin="https://ui.example", **JSON), 200)
        self.assertEqual(self.state(server)["state"], "paused")
        self.assertEqual(self.ask(server, "/api/recorder/pause").status, 405)
        self.assertEqual(self.ask(server, "/api/recorder/erase", "POST").status, 404)

    def test_without_a_token_there_is_no_control_and_without_a_recorder_no_route(self):
        with Server(self.folder, "--record", "demo://") as server:
            reply = server.ask("/api/recorder/stop", "POST", content_type="application/json")
            self.assertEqual(reply.status, 403)
            self.assertIn("--token", reply.json()["error"])
            self.assertEqual(server.ask("/api/recorder").json()["state"], "recording")
        with Server(self.folder) as server:
            self.assertEqual(server.ask("/api/recorder").status, 404)
            self.assertNotIn(b"kitbag_recorder", server.ask("/metrics").body)

    def test_a_source_that_ends_and_options_that_make_no_sense(self):
        server = self.serve("demo://?seconds=0.2")
        ended = self.eventually(lambda: self.state(server)["state"] == "stopped"
                                and self.state(server))
        self.assertIn("ended", ended["reason"])
        self.assertEqual(len(self.check_all()), 1)
        files = set(self.folder.iterdir())
        port = server.host.split(":")[1]
        for options in (("--record", "nonsense://", "--port", "0"), ("--max-age", "1d"),
                        ("--record", "demo://", "--format", "x", "--port", "0"),
                        ("--record", "demo://", "--port", port),
                        ("--record", "demo://", "--include-hidden-topics", "--port", "0")):
            kitbag("serve", self.folder, *options, code=2)
        self.assertEqual(set(self.folder.iterdir()), files)

    def test_the_options_of_record(self):
        server = self.serve(
            "demo://", "--exclude", "/camera/*", "--format", "rosbag", "--compression", "bz2",
            "--chunk-size", "100kB", "--split-messages", "200", "--split-duration", "1s",
            "--max-files", "3", "--max-age", "1d", "--buffer", "10MB", "--on-full", "drop-oldest")
        self.eventually(lambda: self.state(server)["deleted_files"])
        server.end()
        names = self.check_all()
        self.assertLessEqual(len(names), 3)
        info = json.loads(kitbag("info", self.folder / names[0], "--json"))
        self.assertEqual(info["format"], "rosbag")
        # A chunk that gets no smaller is left as it is.
        self.assertIn(info["compression"], ("bz2", "mixed"))
        self.assertNotIn("/camera/image", json.dumps(info))

    def test_several_systems_into_one_recording(self):
        systems = [f"zmq+ipc://{self.folder}/{name}?bind=1" for name in "ab"]
        with tempfile.TemporaryDirectory() as elsewhere:
            played = Path(elsewhere) / "played.bag"
            server = self.serve(systems[0], "--record", systems[1], "--throttle", "/a=0.001")
            for name in "ab":
                kitbag("convert", "demo://?seconds=1&seed=7", played, "--topics", "/odom",
                       "--rename", f"/odom:=/{name}", "--force")
                kitbag("play", played, "--to", f"zmq+ipc://{self.folder}/{name}")
            self.eventually(lambda: self.state(server)["messages"] == 51)
            self.assertEqual(self.state(server)["topics"], 2)
            server.end()
        bag, = self.folder.glob("*.mcap")
        counts = {each["topic"]: each["messages"]
                  for each in json.loads(kitbag("info", bag, "--json"))["channels"]}
        self.assertEqual(counts, {"/a": 1, "/b": 50})

    def test_a_system_that_is_missing_is_recorded_when_it_is_there(self):
        with tempfile.TemporaryDirectory() as elsewhere:
            uri = f"zmq+ipc://{elsewhere}/later/system"
            server = self.serve("demo://?image=100", "--record", f"{uri}?bind=1", "--topics",
                                "/scan", "/odom2")
            state = self.eventually(lambda: self.state(server)["messages"] > 0 and
                                    self.state(server))
            self.assertEqual((state["state"], state["missing"]), ("recording", [uri]))
            self.assertIn(b"\nkitbag_recorder_missing_systems 1\n",
                          self.ask(server, "/metrics").body)
            (Path(elsewhere) / "later").mkdir()
            self.eventually(lambda: self.state(server)["missing"] == [])
            played = Path(elsewhere) / "played.bag"
            kitbag("convert", "demo://?seconds=1&seed=7", played, "--topics", "/odom", "--rename",
                   "/odom:=/odom2")
            kitbag("play", played, "--to", uri)
            self.eventually(lambda: self.state(server)["topics"] == 2)
            server.end()
        bag, = self.folder.glob("*.mcap")
        counts = {each["topic"]: each["messages"]
                  for each in json.loads(kitbag("info", bag, "--json"))["channels"]}
        self.assertEqual(counts["/odom2"], 50)

    def test_what_is_recorded_is_changed_on_the_way(self):
        rules = self.folder / "rules.yaml"
        rules.write_text("fields: {nav_msgs/msg/Odometry: {child_frame_id: child}}")
        topics = self.folder / "topics.yaml"
        topics.write_text("static_topics_and_types_list: [[/odom, nav_msgs/Odometry]]")
        definitions = self.folder / "definitions"
        definitions.mkdir()
        server = self.serve(
            "demo://", "--topics", "/odom", "/battery", "/map", "--where", "header.seq >= 5",
            "--encoding", "cdr", "--migrate", rules, "--on-error", "skip", "--definitions",
            definitions, "--to-definitions", definitions, "--static-topics", topics,
            "--split-messages", "20", "--no-repeat-latched")
        for path in (rules, topics):
            path.unlink()
        self.eventually(lambda: self.state(server)["messages"] > 25)
        server.process.terminate()
        server.process.wait(PATIENCE_S)
        definitions.rmdir()
        first, *others = sorted(self.folder.glob("*.mcap"))
        info = json.loads(kitbag("info", first, "--json"))
        self.assertEqual({each["encoding"] for each in info["channels"]}, {"cdr"})
        self.assertNotIn("/map", [each["topic"] for each in info["channels"]
                                  if each["messages"]])  # it has no such field
        row = json.loads(kitbag("cat", first, "--topics", "/odom", "--count", "1"))
        self.assertIn("pose", row["data"])
        self.assertIn("child", row["data"])
        self.assertNotIn("child_frame_id", row["data"])
        self.assertNotIn("kitbag_repeated", kitbag("info", others[0], "--json"))

    def test_a_recording_by_the_time_of_a_simulation(self):
        system = f"zmq+ipc://{self.folder}/socket"
        server = self.serve(f"{system}?bind=1", "--use-sim-time", "--topics", "/odom",
                            "--repeat-latched")
        with tempfile.TemporaryDirectory() as elsewhere:
            played = Path(elsewhere) / "played.bag"
            kitbag("convert", "demo://?seconds=1&seed=7", played)
            end_ns = json.loads(kitbag("info", played, "--json"))["end_ns"]
            kitbag("play", played, "--to", system, "--clock", "--rate", "2")
        self.eventually(lambda: self.state(server)["messages"] > 40)
        server.end()
        bag, = self.folder.glob("*.mcap")
        info = json.loads(kitbag("info", bag, "--json"))
        self.assertEqual({each["topic"] for each in info["channels"]}, {"/clock", "/odom"})
        # Not of today. The clock may run a little beyond the last message.
        self.assertLess(info["end_ns"], end_ns + 10**9)

    def test_metrics(self):
        server = self.serve("demo://")
        self.eventually(lambda: self.state(server)["messages"])
        self.ask(server, "/nowhere")
        metrics = self.metrics(server)
        self.assertGreaterEqual(metrics['kitbag_http_requests_total{status="2xx"}'], 1)
        self.assertGreaterEqual(metrics['kitbag_http_requests_total{status="4xx"}'], 1)
        self.assertGreaterEqual(metrics["kitbag_http_connections"], 1)
        self.assertGreater(metrics["kitbag_http_sent_bytes_total"], 200)
        self.assertEqual(metrics['kitbag_recorder_state{state="recording"}'], 1)
        self.assertGreater(metrics["kitbag_recorder_messages_total"], 0)
        self.eventually(lambda: self.metrics(server)["kitbag_bags"] == 1)
        before = self.post(server, "stop")["messages"]
        self.post(server, "start")
        more = self.eventually(lambda: self.state(server)["messages"])
        self.assertGreaterEqual(self.metrics(server)["kitbag_recorder_messages_total"],
                                before + more)


    def test_metrics_of_a_topic_that_is_no_text(self):
        system = f"zmq+ipc://{self.folder}/socket"
        server = self.serve(f"{system}?bind=1", "--use-sim-time")  # without a clock, all is dropped
        bag = make_bag.BagFile(self.folder / "sent.bag")
        number = bag.connection("/\udcff\udcfe", "std_msgs/Empty", definition="")
        bag.add_chunk([(number, 10**18 + i, b"") for i in range(3)])
        bag.close()
        kitbag("play", self.folder / "sent.bag", "--to", system)
        topic = 'kitbag_recorder_topic_dropped_messages{topic="/\ufffd\ufffd"}'
        self.eventually(lambda: self.metrics(server).get(topic) == 3)


class Purging(Recording):
    """The limits, with readers."""

    LIMITS = ("--split-size", "12MB", "--max-total-size", "40MB")

    def stalled_download(self, server, name):
        """A socket on which the head of a download has come, and not much more."""
        stream = socket.create_connection(server.host.split(":"), timeout=PATIENCE_S)
        self.addCleanup(stream.close)
        stream.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 18)
        stream.sendall(f"GET /bags/{name}/download HTTP/1.1\r\nHost: {server.host}\r\n"
                       "Authorization: Bearer t\r\n\r\n".encode())
        head = b""
        while b"\r\n\r\n" not in head:
            head += stream.recv(100)
        self.assertIn(b"200 OK", head)
        return stream, head.partition(b"\r\n\r\n")[2]

    def test_what_is_read_is_passed_over(self):
        server = self.serve(FAST, *self.LIMITS)
        oldest = self.eventually(lambda: self.complete(server))[0]
        content = (self.folder / oldest).read_bytes()
        events = self.folder / f"{oldest}.events.json"
        events.write_text('{"events": []}')
        stream, begun = self.stalled_download(server, oldest)
        second = self.eventually(lambda: self.complete(server)[1:])[0]
        self.assertGreater(self.ask(server, f"/bags/{second}/player").json()["total_messages"], 0)
        self.eventually(lambda: self.state(server)["deleted_files"] >= 3)
        total = sum(path.stat().st_size for path in self.folder.iterdir())
        self.assertLess(total, 40e6 + 15e6)
        names = self.complete(server)
        self.assertIn(oldest, names)  # it is being downloaded
        self.assertIn(second, names)  # a player has asked for it
        with stream:
            while len(begun) < len(content):
                piece = stream.recv(1 << 20)
                self.assertTrue(piece, "the download was aborted")
                begun += piece
        self.assertEqual(begun, content)
        self.eventually(lambda: oldest not in self.complete(server))
        self.eventually(lambda: not events.exists())
        self.assertEqual(self.metrics(server)["kitbag_revoked_leases_total"], 0)
        deleted = self.state(server)["deleted_files"]
        self.assertGreaterEqual(self.metrics(server)["kitbag_recorder_deleted_files_total"],
                                deleted)
        server.process.terminate()
        server.process.wait(PATIENCE_S)
        log = server.process.stderr.read()
        self.assertRegex(log, rf"deleted \S+/{oldest} \(\d.*MiB\): the files exceed their size")
        self.check_all()

    def test_a_disk_that_somebody_else_fills(self):
        disk = self.folder / "disk"
        disk.mkdir()
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=150m", "tmpfs", disk],
                                 capture_output=True)
        need(mounted.returncode == 0, "only root can mount a small disk", "mount")
        self.addCleanup(run, "umount", "--lazy", disk)
        server = self.serve(FAST, "--split-size", "12MB", "--max-total-size", "60MB",
                            "--min-free-space", "40MB", folder=disk)
        oldest = self.eventually(lambda: self.complete(server)[1:] and self.complete(server))[0]
        stream, _ = self.stalled_download(server, oldest)
        inode = (disk / oldest).stat().st_ino
        with (disk / "filler").open("wb") as file:
            os.posix_fallocate(file.fileno(), 0, shutil.disk_usage(disk).free - (10 << 20))
        waiting = self.eventually(lambda: self.state(server)["state"] == "waiting"
                                  and self.state(server))
        self.assertTrue(waiting["reason"])
        self.assertEqual(self.metrics(server)["kitbag_revoked_leases_total"], 1)
        with stream, self.assertRaises((ConnectionError, EOFError)):
            while True:
                if not stream.recv(1 << 20):
                    raise EOFError
        # Its space is free: nobody has it open.
        descriptors = Path(f"/proc/{server.process.pid}/fd")
        self.assertNotIn(inode, [each.stat().st_ino for each in descriptors.iterdir()])
        (disk / "filler").unlink()
        self.assertEqual(self.post(server, "start")["state"], "recording")
        self.eventually(lambda: self.complete(server))
        server.end()
        for path in disk.iterdir():
            kitbag("check", path)


class Crash(Recording):
    def test_after_a_crash_the_file_is_repaired_and_listed(self):
        server = self.serve("demo://?image=100", "--format", "rosbag")
        name = self.eventually(lambda: self.state(server)["messages"] > 500
                               and self.state(server)["file"])
        server.process.send_signal(signal.SIGKILL)
        server.process.wait(PATIENCE_S)
        self.assertEqual([path.name for path in self.folder.iterdir()], [f"{name}.active"])
        server = self.serve("demo://", "--format", "rosbag")
        self.eventually(lambda: self.state(server)["repaired_files"] == 1)
        self.eventually(lambda: name in self.complete(server))
        repaired = self.list(server)[name]
        self.assertGreater(repaired["messages"], 200)
        self.assertEqual(self.metrics(server)["kitbag_recorder_repaired_files_total"], 1)
        server.end()
        self.assertEqual(len(self.check_all()), 2)


if __name__ == "__main__":
    peers.main()
