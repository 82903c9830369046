"""A whole fleet for tests, as deploy/fleet starts it, and what happens in it: three robots record
and upload, the network of one is cut, the recorder of one is killed, the store is started again.
Tests look at what there is afterwards."""

import contextlib
import copy
import http.client
import json
import os
import shutil
import signal
import sys
import tempfile
import time
import unittest
from pathlib import Path

import nginx
import object_store
from cut_network import Network
from peers import ROOT, kitbag, need, program

sys.path.insert(0, str(ROOT / "deploy" / "fleet"))

import database  # noqa: E402
import fleet  # noqa: E402
from place import is_alive, wait_until  # noqa: E402

DAY_S = 86400
FIRST_DAY = 1767225600  # 2026-01-01
PLANTED = [7, 19, 23]  # seconds of the day before
IS_SOAK = os.environ.get("KITBAG_SOAK") == "1"
IS_WANTED = IS_SOAK or os.environ.get("KITBAG_FLEET") == "1" or os.environ.get("CI") == "true"
MINUTES = float(os.environ.get("KITBAG_SOAK_MINUTES", 20)) if IS_SOAK else 0


def system(run):
    """The simulated robot on a day of its own: equal systems make equal files."""
    return f"demo://?seconds=7200&seed={run}&start={FIRST_DAY + run * DAY_S}&points=1&image=4"


def day(run):
    return time.strftime("%Y-%m-%d", time.gmtime(FIRST_DAY + run * DAY_S))


class FleetCase(unittest.TestCase):
    """`fleet` is one in which all of it has happened; `runs` are what each robot has recorded."""

    @classmethod
    def setUpClass(cls):
        need(IS_WANTED, "KITBAG_FLEET=1 asks for it")
        plugins = Path(program()).resolve().parent / "plugins"
        need(object_store.is_installed(), "ceph-mon, ceph-osd and radosgw are not installed")
        need(database.PROGRAMS.exists(), "postgresql-15 is not installed")
        need(nginx.find_nginx(), "nginx is not installed")
        for name in "files_remote", "database_postgres":
            need((plugins / f"{name}.so").exists(), f"the plugin {name} is not built")
        folder = Path(tempfile.mkdtemp(prefix="kitbag_fleet_"))
        cls.addClassCleanup(shutil.rmtree, folder, ignore_errors=True)
        folder.chmod(0o755)  # PostgreSQL and munge are other users
        cls.fleet = fleet.Fleet(folder / "fleet", program())
        cls.addClassCleanup(cls.fleet.down)
        cls.fleet.up(robots=())
        cls.store = cls.fleet.store.engine
        cls.network = Network(cls.store.port)
        cls.addClassCleanup(cls.network.end)
        cls.plant()
        cls.run_robots()
        cls.wait_for_the_catalog()

    # --- what happens ---

    @classmethod
    def plant(cls):
        """A bag with three moments that no robot has."""
        folder = cls.fleet.place.folder("/var/lib/kitbag/planted")
        rows = [f"{FIRST_DAY - DAY_S + i},{42.5 if i in PLANTED else 0}" for i in range(30)]
        table = cls.fleet.place.write("/var/lib/planted.csv", "\n".join(["time,data", *rows, ""]))
        kitbag("import", table, "-o", folder / "planted.mcap", "--topic", "/planted", "--type",
               "std_msgs/Float64", "--time-unit", "s")

    @classmethod
    def run_robots(cls):
        run = cls.fleet
        cls.runs = {"r1": [1], "r2": [2], "r3": [3]}
        run.add_robot("r1", system=system(1), split="5s")
        run.add_robot("r2", system=system(2), split="5s", store=cls.network.url)
        run.add_robot("r3", system=system(3), split="5s")
        run.kitbag("upload", run.place.path("/var/lib/kitbag/planted"), "s3://bags/r1/planted/",
                   user="r1")
        for robot in cls.runs:
            cls.wait_for_objects(f"{robot}/20", 1)
        end = time.monotonic() + MINUTES * 60
        cls.let_all_happen(4)
        while time.monotonic() < end:
            cls.let_all_happen(cls.runs["r3"][-1] + 1)
        cls.wait_for_objects(f"r1/{day(1)}/", 3)
        for robot in cls.runs:
            run.stop_unit(f"{fleet.RECORDER}@{robot}")

    @classmethod
    def let_all_happen(cls, next_run):
        """The network of r2 is cut, r3 is killed, the store is started again."""
        cls.network.cut()
        cls.kill_recorder("r3", system(next_run))
        cls.runs["r3"].append(next_run)
        cls.store.restart_gateway()
        wait_until(lambda: len(cls.files("r2")) >= len(cls.keys("r2/")) + 2, "files that wait")
        cls.network.restore()
        cls.wait_for_objects("r2/", len(cls.keys("r2/")) + 2)
        cls.wait_for_objects(f"r3/{day(next_run)}/", 1)

    @classmethod
    def kill_recorder(cls, robot, next_system):
        """As if its power failed; what it has written so far is kept in the folder `killed`. It
        starts again by itself, and then records another day."""
        unit = f"{fleet.RECORDER}@{robot}"
        wait_until(lambda: any(path.stat().st_size > 10**5 for path in
                               cls.folder_of(robot).glob("*.active")), "a file that grows")
        supervisor = cls.fleet.place.process(f"/run/{unit}.pid")
        recorder = cls.fleet.main_process(unit)
        os.kill(supervisor, signal.SIGSTOP)  # until the copy is made
        os.kill(recorder, signal.SIGKILL)
        wait_until(lambda: not is_alive(recorder), "the end of the recorder")
        cls.killed = cls.fleet.place.folder("/var/lib/killed")
        for path in cls.folder_of(robot).glob("*.active"):
            shutil.copy(path, cls.killed)
        cls.fleet.configure_robot(robot, system=next_system, split="5s")
        os.kill(supervisor, signal.SIGCONT)

    @classmethod
    def wait_for_objects(cls, prefix, count):
        wait_until(lambda: len(cls.keys(prefix)) >= count, f"{count} objects {prefix}", 300)

    @classmethod
    def wait_for_the_catalog(cls):
        count = len(cls.keys(""))
        wait_until(lambda: len(cls.listed()) >= count, f"{count} bags in the catalog", 300)

    # --- what there is ---

    @classmethod
    def folder_of(cls, robot):
        return cls.fleet.place.path(f"/var/lib/kitbag/{robot}")

    @classmethod
    def files(cls, robot):
        return sorted(cls.folder_of(robot).glob("*.mcap"))

    @classmethod
    def keys(cls, prefix, bucket="bags"):
        """Of bags. Nothing while the store does not answer."""
        with contextlib.suppress(OSError, AssertionError, http.client.HTTPException):
            return [key for key in cls.store.keys(bucket, prefix) if "/." not in f"/{key}"]
        return []

    @classmethod
    def listed(cls):
        lines = cls.fleet.kitbag("catalog", "list", cls.fleet.database.url("reader"), "--json",
                                 role="reader").splitlines()
        return [json.loads(line) for line in lines]

    def as_user(self, name):
        """A client of the store with the keys of that user."""
        client = copy.copy(self.store)
        client.key, client.secret = self.fleet.state["keys"][name]
        return client

    def content(self, key):
        return self.as_user("server").get("bags", key)

    def read(self, *arguments, **more):
        return self.fleet.kitbag(*arguments, user="server", role="reader", **more)

    def odom_times(self, prefix):
        times = []
        for key in self.keys(prefix):
            lines = self.read("cat", f"s3://bags/{key}", "--topics", "/odom", "--fields",
                              "header.seq").splitlines()
            times += [json.loads(line)["log_time_ns"] for line in lines]
        return sorted(times)
