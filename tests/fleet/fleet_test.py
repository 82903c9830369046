#!/usr/bin/env python3
"""A whole fleet on this machine, as deploy/fleet starts it: three robots record and upload, the
network of one is cut for a while, the recorder of one is killed, the store is started again.
Afterwards every message is in the store once, the catalog agrees with the objects, `find` gives the
planted moments, two servers give equal bytes, everybody may do what is theirs only, and an array
job of Slurm converts all bags although a node is killed under way.

KITBAG_FLEET=1 asks for it. With KITBAG_SOAK=1 all of that happens again and again."""

import contextlib
import hashlib
import http.client
import json
import os
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path
from urllib.parse import quote, urlsplit

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import peers  # noqa: E402
from fleet_case import DAY_S, FIRST_DAY, PLANTED, FleetCase, day, fleet  # noqa: E402
from peers import kitbag, need  # noqa: E402

import cluster  # noqa: E402
from place import FILES, is_alive, wait_until  # noqa: E402

ODOM_NS = 20_000_000  # 50 messages a second


def send(process, number):
    with contextlib.suppress(ProcessLookupError):
        os.kill(process, number)


def sums(contents):
    return Counter(hashlib.sha256(each).hexdigest() for each in contents)


class FleetTest(FleetCase):
    # --- what must be ---

    def test_every_message_is_stored_once(self):
        for robot in "r1", "r2", "r3":
            files = self.files(robot)
            self.assertGreater(len(files), 2)
            self.assertEqual(list(self.folder_of(robot).glob("*.active")), [])
            here = [path.read_bytes() for path in files]
            there = [self.content(key) for key in self.keys(f"{robot}/20")]
            self.assertEqual(sums(here), sums(there), robot)
        self.assertEqual(self.store.uploads("bags"), [])
        for robot, run in [(robot, run) for robot, runs in self.runs.items() for run in runs]:
            times = self.odom_times(f"{robot}/{day(run)}/")
            self.assertGreater(len(times), 50)
            self.assertLess(times[0] - (FIRST_DAY + run * DAY_S) * 10**9, 10**9)
            apart = {after - before for before, after in zip(times, times[1:])}
            self.assertEqual(apart, {ODOM_NS}, f"{robot}: {len(times)} messages")

    def test_what_the_killed_recorder_had_written(self):
        """Is in the store, but for what was in memory."""
        stored = set(self.odom_times("r3/20"))
        for path in self.killed.iterdir():
            if path.stat().st_size == 0:
                continue
            saved = path.with_name("saved.mcap")
            kitbag("repair", path, saved, "--force", code=None)
            lines = kitbag("cat", saved, "--topics", "/odom", "--fields", "header.seq",
                           code=None).splitlines()
            times = {json.loads(line)["log_time_ns"] for line in lines}
            self.assertLessEqual(times, stored)

    def test_all_of_it_has_happened(self):
        """The network was cut while r2 had to upload, and r3 was started again."""
        logs = {robot: self.fleet.place.path(f"/var/log/{fleet.RECORDER}@{robot}.log").read_text()
                for robot in ("r1", "r2", "r3")}
        self.assertIn("uploads fail: ", logs["r2"])
        self.assertIn("uploads go on", logs["r2"])
        self.assertIn(f"ended with {-signal.SIGKILL}; starting again", logs["r3"])
        self.assertNotIn("starting again", logs["r1"] + logs["r2"])

    def test_the_catalog_agrees_with_the_objects(self):
        objects = {f"s3://bags/{key}": self.content(key) for key in self.keys("")}
        listed = {path: bag for bag in self.listed() for path in bag["files"]}
        self.assertEqual(listed.keys(), objects.keys())
        for path, content in objects.items():
            info = json.loads(self.read("info", "--json", path))
            self.assertEqual((listed[path]["size_bytes"], listed[path]["messages"]),
                             (len(content), info["messages"]), path)
        self.read("catalog", "check", self.fleet.database.url("reader"))

    def test_find_gives_the_planted_moments(self):
        found = self.read("find", "--catalog", self.fleet.database.url("reader"), "--where",
                          "data > 40", "--topics", "/planted", "--json").splitlines()
        times = [json.loads(line)["start_ns"] for line in found]
        self.assertEqual(times, [(FIRST_DAY - DAY_S + second) * 10**9 for second in PLANTED])

    def test_find_opens_what_a_search_of_the_store_finds(self):
        condition = "--where", "voltage < 25.195", "--topics", "/battery", "--json"
        known = self.read("find", "--catalog", self.fleet.database.url("reader"), *condition)
        read = self.read("find", "s3://bags", *condition)
        self.assertGreater(len(read.splitlines()), 0)
        self.assertEqual(sorted(known.splitlines()), sorted(read.splitlines()))

    # --- servers ---

    def ask(self, url, target):
        """The status and the body."""
        token = self.fleet.state["passwords"]["server"]
        connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=120)
        with contextlib.closing(connection):
            connection.request("GET", target, headers={"Authorization": f"Bearer {token}"})
            answer = connection.getresponse()
            return answer.status, answer.read()

    def served(self, selection=""):
        """Bags as one of the servers lists them, with `path` in addresses."""
        status, listed = self.ask(self.fleet.proxy.url,
                                  f"/bags/?limit=1000&order=oldest{selection}")
        self.assertEqual(status, 200, listed)
        return [bag | {"path": f"/bags/{quote(bag['filename'], safe='')}"}
                for bag in json.loads(listed)]

    def targets(self):
        """The list; of some bags: a file, a slice, plots."""
        yield "/bags/?limit=3"
        yield "/bags/?topics=/planted&count=1"
        for bag in self.served("&topics=/odom")[:6]:
            begin = int(bag["start_time"]) + 1
            yield f"{bag['path']}/download"
            yield f"{bag['path']}/player?start_time={begin}&end_time={begin + 1}"
            yield f"{bag['path']}/series?topics=/odom&fields=pose.pose.position.x&buckets=8"

    def test_two_servers_give_equal_bytes(self):
        first, second = self.fleet.server_urls()
        for target in self.targets():
            answers = [self.ask(url, target) for url in (first, second, self.fleet.proxy.url)]
            self.assertEqual(answers[0][0], 200, f"{target}: {answers[0][1][:300]}")
            self.assertEqual(answers[0], answers[1], target)
            self.assertEqual(answers[0], answers[2], target)
        answers = [self.ask(self.fleet.proxy.url, f"{bag['path']}/download")[1]
                   for bag in self.served()]
        self.assertEqual(sums(answers), sums(self.content(key) for key in self.keys("")))

    def test_one_server_answers_while_the_other_is_gone(self):
        unit = f"{fleet.SERVER}@{self.fleet.state['ports']['servers'][0]}"
        targets = list(self.targets())
        before = [self.ask(self.fleet.proxy.url, target) for target in targets]
        killed = self.fleet.main_process(unit)
        os.kill(killed, signal.SIGKILL)
        wait_until(lambda: not is_alive(killed), "the end of the server")
        self.assertEqual([self.ask(self.fleet.proxy.url, target) for target in targets], before)
        wait_until(lambda: self.fleet.is_healthy(self.fleet.server_urls()[0]), "a new server")
        self.assertNotEqual(self.fleet.main_process(unit), killed)

    def test_strangers_get_nothing(self):
        target = "/bags/"
        for url in self.fleet.proxy.url, *self.fleet.server_urls():
            with contextlib.closing(http.client.HTTPConnection(urlsplit(url).netloc)) as connection:
                connection.request("GET", target)
                self.assertEqual(connection.getresponse().status, 401)

    # --- who may do what ---

    def test_a_robot_writes_into_its_own_folder_only(self):
        robot = self.as_user("r1")
        own, other = self.keys("r1/20")[0], self.keys("r2/20")[0]
        self.assertEqual(robot.request("PUT", "/bags/r1/x/new", b"new")[0], 200)
        self.addCleanup(self.store.delete, "bags", "r1/x/new")
        self.assertEqual(robot.request("GET", f"/bags/{own}")[0], 200)
        self.assertEqual(robot.request("GET", "/bags", query="prefix=r1%2F")[0], 200)
        for method, path, query in (
                ("GET", f"/bags/{other}", ""), ("PUT", f"/bags/{other}", ""),
                ("PUT", "/bags/new", ""), ("PUT", "/bags/r11/new", ""),
                ("DELETE", f"/bags/{own}", ""), ("PUT", "/bags", "policy="),
                ("GET", "/bags", ""), ("GET", "/bags", "prefix="), ("GET", "/bags", "prefix=r2%2F"),
                ("GET", "/bags", "policy="), ("GET", "/converted", ""),
                ("PUT", "/converted/r1/new", "")):
            content = b"x" if method == "PUT" else b""
            self.assertEqual(robot.request(method, path, content, query)[0], 403,
                             f"{method} {path} {query}")

    def test_others_of_the_store(self):
        key = self.keys("r1/20")[0]
        for name in "server", "catalog", "batch":
            user = self.as_user(name)
            self.assertEqual(user.request("GET", f"/bags/{key}")[0], 200)
            self.assertEqual(user.request("GET", "/bags")[0], 200)
            self.assertEqual(user.request("PUT", "/bags/new", b"x")[0], 403)
            self.assertEqual(user.request("DELETE", f"/bags/{key}")[0], 403)
            allowed = 200 if name == "batch" else 403
            self.assertEqual(user.request("PUT", "/converted/try/new", b"x")[0], allowed)
        self.assertEqual(self.as_user("batch").request("DELETE", "/converted/try/new")[0], 204)
        self.assertEqual(self.store.keys("converted", "try"), [])

    def sql(self, role, statement):
        """What psql says, and whether it was allowed."""
        passwords = self.fleet.environment_of(role=role)
        done = subprocess.run(
            ["psql", "-X", "-A", "-t", "-q", "-v", "ON_ERROR_STOP=1", "-c", statement,
             self.fleet.database.url(role)], capture_output=True, text=True, env=passwords,
            timeout=60)
        return done.stdout.strip() if done.returncode == 0 else done.stderr

    def test_roles_of_the_database(self):
        count = self.sql("reader", "SELECT count(*) FROM bags")
        self.assertEqual(count, self.sql("writer", "SELECT count(*) FROM bags"))
        refused = {
            "reader": ["INSERT INTO tags SELECT bag, 'a', 'b' FROM bags", "DELETE FROM bags",
                       "SET default_transaction_read_only = off; UPDATE bags SET note = 'x'",
                       "SET default_transaction_read_only = off; CREATE TABLE x (a int)"],
            "writer": ["DROP TABLE bags", "ALTER TABLE bags ADD COLUMN x int",
                       "UPDATE kitbag_catalog SET version = 0", "CREATE ROLE x",
                       "CREATE DATABASE x", "SET ROLE kitbag_owner"],
            "owner": ["CREATE ROLE x", "CREATE DATABASE x"]}
        for role, statements in refused.items():
            for statement in statements:
                self.assertRegex(self.sql(role, statement),
                                 "permission denied|must be owner|read-only transaction", statement)
        self.assertEqual(self.sql("reader", "SELECT count(*) FROM bags"), count)

    def test_secrets_are_those_of_their_owner(self):
        names = [path for path in self.fleet.place.path("/etc/kitbag").iterdir()]
        self.assertGreater(len(names), 10)
        for path in (*names, self.fleet.place.path(f"/{fleet.STATE}")):
            self.assertEqual(path.stat().st_mode & 0o077, 0, path)
        logs = b"".join(path.read_bytes() for path in self.fleet.place.path("/var/log").iterdir()
                        if path.is_file())
        for secret in [*self.fleet.state["passwords"].values(),
                       *(secret for _, secret in self.fleet.state["keys"].values())]:
            self.assertNotIn(secret.encode(), logs)

    # --- all bags, on a cluster ---

    def test_z_an_array_job_converts_all_though_a_node_is_killed(self):
        need(cluster.is_installed(), "slurm-wlm is not installed")
        slurm = self.fleet.cluster
        self.addCleanup(slurm.ask, "scancel", "--user", str(os.getuid()))
        keys = self.keys("")
        environment = slurm.environment() | self.fleet.environment_of("batch")
        with self.fleet.place.log("batch") as log:
            batch = subprocess.Popen([FILES / "slurm/convert.sh", "--compression", "zstd"],
                                     stdout=log, stderr=log, env=environment,
                                     cwd=self.fleet.place.path("/var/log/slurm"))
        self.addCleanup(batch.wait)
        self.addCleanup(batch.kill)
        self.kill_node("n1")
        code = batch.wait(300)
        said = self.fleet.place.path("/var/log/batch.log").read_text()
        self.assertEqual(code, 0, said)
        self.assertIn(f"{len(keys)} bags: {len(keys)} done", said)
        self.assertIn("Restarts=1", slurm.ask("scontrol", "show", "job"))
        self.assertEqual(sorted(self.keys("", "converted")), sorted(keys))
        for key in keys:
            digests = [self.read("cat", f"s3://{bucket}/{key}", "--format", "digest")
                       for bucket in ("bags", "converted")]
            self.assertEqual(digests[0], digests[1], key)
        self.assertEqual(self.store.uploads("converted"), [])

    def kill_node(self, node):
        """As if its power failed, while a task is at work on it."""
        slurm = self.fleet.cluster

        def halted():
            """Its slurmd first, so that nothing begins any more."""
            for found in slurm.daemons_of, slurm.daemons_of, slurm.tasks_on:
                for process in found(node):
                    send(process, signal.SIGSTOP)
            if any(map(is_alive, slurm.tasks_on(node))):
                return True
            for process in slurm.daemons_of(node):
                send(process, signal.SIGCONT)
            return False

        wait_until(halted, f"a task on {node}")
        for process in (*slurm.daemons_of(node), *slurm.tasks_on(node)):
            send(process, signal.SIGKILL)


if __name__ == "__main__":
    peers.main()
