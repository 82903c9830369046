"""A PostgreSQL server for the length of a test, in a folder of its own, on a free port."""

import contextlib
import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from pathlib import Path

PROGRAMS = Path("/usr/lib/postgresql/15/bin")


def is_installed():
    return (PROGRAMS / "postgres").exists()


def free_port():
    with contextlib.closing(socket.socket()) as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


class Postgres:
    """`url()` is the address of a database."""

    def __init__(self, folder=None, options=""):
        """In `folder`, which stays behind end(), and may have the data of an earlier server."""
        self.is_kept = folder is not None
        self.folder = Path(folder or tempfile.mkdtemp(prefix="kitbag_pg_"))
        self.folder.mkdir(exist_ok=True)
        self.options = options
        self.port = free_port()
        self.data = self.folder / "data"
        if self.data.exists():
            self.start()
            return
        if os.getuid() == 0:  # which the server refuses to be
            user = pwd.getpwnam("postgres")
            os.chown(self.folder, user.pw_uid, user.pw_gid)
        self._run("initdb", "-D", self.data, "-U", "bag", "-A", "trust", "-N", "--no-instructions")
        self.start()

    def _run(self, name, *arguments):
        subprocess.run([*self._as_user(), PROGRAMS / name, *map(str, arguments)], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=60,
                       stdin=subprocess.DEVNULL)

    def _as_user(self):
        if os.getuid() != 0:
            return []
        return ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", "env",
                f"HOME={self.folder}", "LC_ALL=C"]

    def start(self):
        options = (f"-p {self.port} -h 127.0.0.1 -k {self.folder} -F -c shared_buffers=32MB "
                   f"-c fsync=off {self.options}")
        self._run("pg_ctl", "-D", self.data, "-w", "-l", self.folder / "log", "-o", options,
                  "start")

    def stop(self):
        self._run("pg_ctl", "-D", self.data, "-m", "fast" if self.is_kept else "immediate", "-w",
                  "stop")

    def end(self):
        with contextlib.suppress(subprocess.CalledProcessError):
            self.stop()
        if not self.is_kept:
            shutil.rmtree(self.folder, ignore_errors=True)

    def url(self, database="postgres"):
        return f"postgresql://bag:secret@127.0.0.1:{self.port}/{database}"

    def make_database(self, name):
        self.ask(f'CREATE DATABASE "{name}"')

    def ask(self, statement, database="postgres", timeout=60, options=""):
        """The answer of psql, a line each row, with `|` between columns."""
        done = subprocess.run(
            ["psql", "-X", "-A", "-t", "-q", "-v", "ON_ERROR_STOP=1", "-c", statement,
             self.url(database)], check=True, capture_output=True, text=True, timeout=timeout,
            env={**os.environ, "PGOPTIONS": options})
        return done.stdout.splitlines()
