#!/usr/bin/env python3
"""A whole fleet on this machine: an object store, a catalog in PostgreSQL, two servers behind
nginx, a cluster with two nodes, and a simulated robot that records and uploads. All of it is in one
folder and uses the files beside this one, as machines of their own would.

    fleet.py up|down|status FOLDER PROGRAM
"""

import contextlib
import http.client
import json
import random
import secrets
import shutil
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import units
from cluster import Cluster, is_installed as has_slurm
from database import Database, PROGRAMS, ROLES
from place import FILES, Place, end_processes, wait_until
from proxy import Proxy
from store import AWS, Store, TASKS

sys.path.insert(0, str(FILES.parents[1] / "tests" / "support"))

from nginx import find_nginx  # noqa: E402
from object_store import free_port, is_installed as has_ceph  # noqa: E402

PORTS = range(14000, 32000)
PACKAGED = FILES.parents[1] / "packaging" / "kitbag-server" / "kitbag-record@.service"
CATALOG = "kitbag-catalog-watch"
RECORDER = "kitbag-record"
SERVER = "kitbag-server"
STATE = "fleet.json"
DEMO = "demo://?seconds=1800"
ENGINES = {"Ceph": has_ceph, "PostgreSQL 15": PROGRAMS.exists, "Slurm": has_slurm,
           "nginx": find_nginx, "awscli": Path(AWS).exists}


class Fleet:
    """`state` is what its configuration has of its own: ports, keys and passwords."""

    def __init__(self, root, program, has_cluster=None):
        self.place = Place(root, program)
        self.has_cluster = has_slurm() if has_cluster is None else has_cluster
        self.state = {}
        with contextlib.suppress(OSError, ValueError):
            self.state = json.loads((self.place.root / STATE).read_text())
        if self.state:
            self.connect()

    def connect(self):
        ports, passwords = self.state["ports"], self.state["passwords"]
        self.store = Store(self.place, self.state["keys"])
        self.database = Database(self.place, ports["database"], passwords)
        self.proxy = Proxy(self.place, ports["proxy"], ports["servers"])
        self.cluster = Cluster(self.place, ports["cluster"])

    # --- up ---

    def up(self, robots=("r1",)):
        """Starts all of it, or of one that runs the robots that have ended. What an earlier fleet
        has left is removed."""
        if self.is_up():
            for robot in robots:
                if not self.main_process(f"{RECORDER}@{robot}"):
                    self.start_robot(robot)
            return
        self.down()
        self.make_folder()
        self.make_state()
        self.connect()
        try:
            self.start()
            for robot in robots:
                self.add_robot(robot)
        except BaseException:  # Ctrl-C, too
            self.down()
            raise

    def make_folder(self):
        """Empty, but for the state, by which the next call knows that it may remove the rest."""
        root = self.place.root
        root.mkdir(parents=True, exist_ok=True)
        if any(root.iterdir()) and not (root / STATE).exists():
            raise AssertionError(f"{root} holds something else than a fleet")
        for path in root.iterdir():
            if path.is_dir():
                shutil.rmtree(path)
            elif path.name != STATE:
                path.unlink()

    def make_state(self):
        ports = iter(free_ports(7))
        self.state = {
            "ports": {"database": next(ports), "proxy": next(ports),
                      "servers": [next(ports), next(ports)],
                      "cluster": [next(ports), next(ports), next(ports)]},
            "passwords": {name: secrets.token_hex(16) for name in (*ROLES, "server")},
            "keys": {name: new_key() for name in ("admin", *TASKS)}}
        self.save()

    def save(self):
        self.place.write(f"/{STATE}", json.dumps(self.state, indent=2), 0o600)

    def start(self):
        self.state["store"] = self.store.start()
        self.save()
        self.start_database()
        if self.has_cluster:
            self.cluster.start()
        self.install_units()
        self.proxy.start()
        for port in self.state["ports"]["servers"]:
            units.start(self.place, f"{SERVER}@{port}")
        units.start(self.place, CATALOG)
        wait_until(lambda: all(self.is_healthy(url) for url in self.server_urls()),
                   "servers that answer")

    def start_database(self):
        self.database.start()
        self.database.make_roles()
        for role in ROLES:
            self.place.write(f"/etc/kitbag/pgpass-{role}", self.database.passwords_line(role),
                             0o600)
        self.kitbag("catalog", "init", self.database.url("owner"), role="owner")
        self.database.make_grants()

    def install_units(self):
        store = {"https://store.example": self.state["store"]}
        self.place.install("etc/server.conf", "/etc/kitbag/server.conf",
                           store | {"https://bags.example": self.proxy.url,
                                    "--cache-disk 20GB": "--cache-disk 1GB",
                                    "postgresql://kitbag_reader@db.example/fleet":
                                        self.database.url("reader")}, 0o600)
        self.place.install("etc/catalog.conf", "/etc/kitbag/catalog.conf", store | {
            "postgresql://kitbag_writer@db.example/fleet": self.database.url("writer"),
            "--every 10s": "--every 2s"}, 0o600)
        self.place.write("/etc/kitbag/password", self.state["passwords"]["server"] + "\n", 0o600)
        for file in "kitbag-server@.service", f"{CATALOG}.service":
            self.install_unit(FILES / "systemd" / file)
        self.install_unit(PACKAGED)
        for path in (FILES / "systemd").glob("*.d/*.conf"):
            self.install_unit(path, f"{path.parent.name}/{path.name}")

    def install_unit(self, path, name=None):
        """As it is; `units` maps its paths."""
        self.place.write(f"{units.UNITS}/{name or path.name}", path.read_text())

    def add_robot(self, robot, **options):
        """One more robot, which begins to record; the options are those of configure_robot()."""
        self.state["keys"][robot] = new_key()
        self.save()
        self.store.make_robot(robot)
        self.start_robot(robot, **options)

    def start_robot(self, robot, **options):
        self.configure_robot(robot, **options)
        units.start(self.place, f"{RECORDER}@{robot}")
        wait_until(lambda: self.main_process(f"{RECORDER}@{robot}"), f"the recorder of {robot}")

    def configure_robot(self, robot, system=None, store=None, split="20s"):
        """What it records: a system of kitbag; and by which address it reaches the store."""
        system = system or f"{DEMO}&start={int(time.time())}&seed={random.randrange(1000)}"
        self.place.install("etc/record-robot.conf", f"/etc/kitbag/record-{robot}.conf", {
            "ros2://": system, "--split-duration 1m": f"--split-duration {split}",
            "--max-total-size 20GB": "--max-total-size 1GB",
            "--min-free-space 5GB": "--min-free-space 200MB",
            "#KITBAG_ROBOT=r1": f"KITBAG_ROBOT={robot}",
            "https://store.example": store or self.state["store"]}, 0o600)

    # --- what runs ---

    def server_urls(self):
        return [f"http://127.0.0.1:{port}" for port in self.state["ports"]["servers"]]

    def is_healthy(self, url):
        asked = urllib.request.Request(f"{url}/healthz", headers={
            "Authorization": f"Bearer {self.state['passwords']['server']}"})
        with contextlib.suppress(OSError, http.client.HTTPException):
            with urllib.request.urlopen(asked, timeout=20) as answer:
                return answer.status == 200
        return False

    def unit_names(self):
        """Of those that were started."""
        folder = self.place.path("/var/log")
        return sorted(path.stem for path in folder.glob("kitbag-*.log"))

    def main_process(self, unit):
        """The service itself; None: it does not run now."""
        return self.place.process(f"/run/{unit}.main.pid")

    def kitbag(self, *arguments, user=None, role=None, **more):
        """What it prints, as that user of the store and that role of the database."""
        environment = self.environment_of(user, role)
        done = subprocess.run([str(self.place.program), *map(str, arguments)], text=True,
                              capture_output=True, env=environment | more, timeout=600,
                              cwd=self.place.root)
        if done.returncode != 0:
            raise AssertionError(f"kitbag {arguments}: {done.stdout}{done.stderr}")
        return done.stdout

    def environment_of(self, user=None, role=None):
        environment = self.place.environment(AWS_ENDPOINT_URL=self.state["store"],
                                             AWS_REGION="us-east-1")
        if user:
            environment["AWS_SHARED_CREDENTIALS_FILE"] = str(
                self.place.path(f"/etc/kitbag/aws-{user}"))
        if role:
            environment["PGPASSFILE"] = str(self.place.path(f"/etc/kitbag/pgpass-{role}"))
        return environment

    def parts(self):
        """{name: (whether it runs, where it is)}"""
        if not self.state:
            return {}
        parts = {"store": (self.store.is_running(), self.state.get("store", "")),
                 "database": (self.database.is_running(), self.database.url("reader")),
                 "nginx": (self.proxy.is_running(), self.proxy.url)}
        if self.has_cluster:
            nodes = self.cluster.ask("sinfo", "-h", "-N", "-o", "%N %t") if (
                self.cluster.is_running()) else ""
            parts["cluster"] = (self.cluster.is_running(), ", ".join(nodes.splitlines()))
        for name in self.unit_names():
            main = self.main_process(name)
            parts[name] = (main is not None, f"process {main}" if main else "")
        return parts

    def is_up(self):
        """Robots may have ended."""
        parts = {name: runs for name, (runs, _) in self.parts().items() if RECORDER not in name}
        return CATALOG in parts and all(parts.values())

    # --- down ---

    def stop_unit(self, name):
        """As `systemctl stop`: a recorder completes its file and uploads it."""
        supervisor = self.place.process(f"/run/{name}.pid")
        if supervisor:
            end_processes([supervisor], patience_s=200)

    def down(self):
        """Ends all processes of the fleet. What was recorded stays in the folder, what was stored
        is gone."""
        if not self.state:
            return
        for name in self.unit_names():
            self.stop_unit(name)
        if self.has_cluster:
            self.cluster.stop()
        nginx = self.place.process("/run/nginx.pid")
        end_processes([nginx] if nginx else [])
        self.database.stop()
        end_processes(self.store.stop(), patience_s=0.5)  # it is in memory
        end_processes(self.place.processes())


def free_ports(count):
    """Different ones, which others may take meanwhile all the same."""
    ports = set()
    while len(ports) < count:
        ports.add(free_port(PORTS))
    return list(ports)


def new_key():
    return [secrets.token_hex(10).upper(), secrets.token_hex(20)]


def say(fleet):
    parts = fleet.parts()
    if not parts:
        print("no fleet: ./dev fleet up starts one")
        return 1
    width = max(map(len, parts))
    for name, (runs, where) in parts.items():
        print(f"{name:{width}}  {'runs' if runs else 'does not run'}  {where}")
    if all(runs for runs, _ in parts.values()):
        print(f"\nThe page: {fleet.proxy.url}/?token={fleet.state['passwords']['server']}")
        print(f"In a shell: . {fleet.place.root}/environment")
    return 0 if all(runs for runs, _ in parts.values()) else 1


def write_environment(fleet):
    """With which kitbag finds the store and the catalog, and may read both."""
    environment = fleet.environment_of("server", "reader")
    values = {name: value for name, value in environment.items()
              if name.startswith(("AWS_", "PG")) or name == "PATH"}
    values["CATALOG"] = fleet.database.url("reader")
    if fleet.has_cluster:
        values["SLURM_CONF"] = fleet.cluster.environment()["SLURM_CONF"]
    lines = "".join(f"export {name}='{value}'\n" for name, value in values.items())
    fleet.place.write("/environment", lines, 0o600)


def main():
    if len(sys.argv) != 4 or sys.argv[1] not in ("up", "down", "status"):
        print(__doc__, file=sys.stderr)
        return 2
    verb, root, program = sys.argv[1:]
    fleet = Fleet(root, program)
    if verb == "down":
        fleet.down()
        return 0
    if verb == "up":
        missing = [name for name, is_there in ENGINES.items() if not is_there()]
        if missing:
            raise AssertionError(f"not installed: {', '.join(missing)}; ./dev setup fleet installs "
                                 "what a fleet needs")
        fleet.up()
        write_environment(fleet)
    return say(fleet)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except AssertionError as error:
        print(f"fleet: {error}; logs are in {sys.argv[2]}/var/log", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
