"""Runs services by their units of systemd, where systemd does not run: the command, environment,
credentials and restarts of the unit, in the folder of a fleet instead of /. What the unit forbids
to the service is for systemd alone; tests/fleet lets systemd-analyze look at that.

    python3 units.py FOLDER PROGRAM UNIT     runs the unit until SIGTERM
"""

import contextlib
import os
import re
import shlex
import signal
import subprocess
import sys
import threading
from pathlib import Path

from place import Place

UNITS = "/etc/systemd/system"
SECONDS = {"": 1, "s": 1, "min": 60}


def read_settings(paths):
    """{(section, name): [value...]} of a unit and its drop-ins."""
    settings, section = {}, ""
    for path in paths:
        for line in path.read_text().splitlines():
            line = line.strip()
            if not line or line[0] in "#;":
                continue
            if line.startswith("["):
                section = line.strip("[]")
                continue
            name, value = line.split("=", 1)
            settings.setdefault((section, name), []).append(value)
    return settings


def read_environment(path):
    """{name: value} of an EnvironmentFile."""
    lines = path.read_text().splitlines()
    words = [" ".join(shlex.split(line)) for line in lines if line and line[0] not in "#;"]
    return dict(word.split("=", 1) for word in words if word)


class Unit:
    """`name` is kitbag-server@8091, for example."""

    def __init__(self, place, name):
        self.place, self.name = place, name
        prefix, at, self.instance = name.partition("@")
        self.file = place.path(f"{UNITS}/{prefix}{at}.service")
        drop_ins = sorted(Path(f"{self.file}.d").glob("*.conf"))
        self.settings = read_settings([self.file, *drop_ins])

    def all(self, name):
        return [self.expanded(self.place.rooted(value))
                for value in self.settings.get(("Service", name), [])]

    def one(self, name, default=""):
        return (self.all(name) or [default])[-1]

    def expanded(self, text):
        values = {"i": self.instance, "d": str(self.credentials()), "%": "%"}
        return re.sub("%(.)", lambda found: values[found[1]], text)

    def credentials(self):
        return self.place.path(f"/run/credentials/{self.name}")

    def seconds(self, name, default):
        number, unit = re.fullmatch(r"([\d.]+)(\w*)", self.one(name, default)).groups()
        return float(number) * SECONDS[unit]

    def environment(self):
        values = self.place.environment()
        for line in self.all("Environment"):
            values |= dict(word.split("=", 1) for word in shlex.split(line))
        for line in self.all("EnvironmentFile"):
            path = Path(line.removeprefix("-"))
            if path.exists() or not line.startswith("-"):
                values |= {name: self.place.rooted(value)
                           for name, value in read_environment(path).items()}
        return values

    def command(self):
        """A word $NAME is all words of that variable."""
        values, words = self.environment(), []
        for word in shlex.split(self.one("ExecStart")):
            if word.startswith("$"):
                words += values.get(word[1:], "").split()
            else:
                words.append(word)
        return words

    def prepare(self):
        """What systemd makes before it starts the service."""
        self.place.folder(f"/run/credentials/{self.name}", 0o700)
        for line in self.all("LoadCredential"):
            name, source = line.split(":", 1)
            target = self.credentials() / name
            target.unlink(missing_ok=True)
            target.touch(0o600)
            target.write_bytes(Path(source).read_bytes())
            target.chmod(0o400)
        for setting, parent in ("StateDirectory", "/var/lib"), ("CacheDirectory", "/var/cache"):
            for name in self.one(setting).split():
                self.place.folder(f"{parent}/{name}")

    def start(self, log):
        self.prepare()
        return subprocess.Popen(
            self.command(), env=self.environment(), stdin=subprocess.DEVNULL, stdout=log,
            stderr=log, cwd=self.one("WorkingDirectory", str(self.place.root)))

    def must_restart(self, code):
        """After an exit code, or the negative number of a signal."""
        is_clean = code in (0, -signal.SIGHUP, -signal.SIGINT, -signal.SIGTERM, -signal.SIGPIPE)
        return self.one("Restart") == "on-failure" and not is_clean


class Supervisor:
    """What systemd does with one unit. Its number is in run/NAME.pid, that of the service in
    run/NAME.main.pid."""

    def __init__(self, unit):
        self.unit = unit
        self.ending = threading.Event()
        for number in signal.SIGTERM, signal.SIGINT:
            signal.signal(number, lambda *_: self.ending.set())

    def run(self):
        place, name = self.unit.place, self.unit.name
        place.write(f"/run/{name}.pid", f"{os.getpid()}\n")
        with place.log(name) as log:
            code = 0
            while not self.ending.is_set():
                code = self.run_once(log)
                if self.ending.is_set() or not self.unit.must_restart(code):
                    break
                log.write(f"{name}: ended with {code}; starting again\n".encode())
                log.flush()
                self.ending.wait(self.unit.seconds("RestartSec", "1"))
                self.unit = Unit(place, name)  # as its files are now
            place.path(f"/run/{name}.pid").unlink(missing_ok=True)
            return 0 if code == 0 else 1

    def run_once(self, log):
        service = self.unit.start(log)
        self.unit.place.write(f"/run/{self.unit.name}.main.pid", f"{service.pid}\n")
        while service.poll() is None and not self.ending.is_set():
            with contextlib.suppress(subprocess.TimeoutExpired):
                service.wait(0.1)
        if service.poll() is None:
            service.terminate()
            try:
                service.wait(self.unit.seconds("TimeoutStopSec", "90"))
            except subprocess.TimeoutExpired:
                service.kill()
        return service.wait()


def start(place, name):
    """Starts a supervisor of the unit in the background."""
    with place.log(name) as log:
        return subprocess.Popen(
            [sys.executable, "-B", __file__, place.root, place.program, name], stdout=log,
            stderr=log, stdin=subprocess.DEVNULL, env=place.environment(), start_new_session=True)


if __name__ == "__main__":
    sys.exit(Supervisor(Unit(Place(sys.argv[1], sys.argv[2]), sys.argv[3])).run())
