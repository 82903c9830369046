"""PostgreSQL for the catalog of a fleet, with the files of postgresql/, in the folder of the fleet.
Its administrator is the user of the system that runs it, by a socket; the rest have passwords."""

import getpass
import os
import pwd
import subprocess
from pathlib import Path

PROGRAMS = Path("/usr/lib/postgresql/15/bin")
ROLES = "owner", "writer", "reader"
DATA = "/var/lib/postgresql"


class Database:
    def __init__(self, place, port, passwords):
        self.place, self.port, self.passwords = place, port, passwords
        self.data = place.path(DATA) / "data"

    def is_running(self):
        return self.place.process(f"{DATA}/data/postmaster.pid") is not None

    def _as_user(self, command):
        words = [str(word) for word in command]
        if os.getuid() != 0:
            return words
        # The server refuses to be root.
        return ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", *words]

    def _run(self, *command, **more):
        words = self._as_user(command)
        done = subprocess.run(words, env=self.place.environment(LC_ALL="C"), cwd="/", text=True,
                              capture_output=True, timeout=120, **more)
        if done.returncode != 0:
            raise AssertionError(f"{words}: {done.stdout}{done.stderr}")
        return done.stdout

    def start(self):
        if not self.data.exists():
            self._make()
        log = self.place.path(DATA) / "log"
        options = f"-p {self.port} -k {self.place.path(DATA)}"
        self._pg_ctl("-l", log, "-o", options, "start")

    def _pg_ctl(self, *arguments):
        words = self._as_user([PROGRAMS / "pg_ctl", "-D", self.data, "-w", *arguments])
        with self.place.log("pg_ctl") as log:  # the server would keep a pipe open
            subprocess.run(words, check=True, stdout=log, stderr=log, stdin=subprocess.DEVNULL,
                           timeout=120, cwd="/", env=self.place.environment(LC_ALL="C"))

    def _make(self):
        folder = self.place.folder(DATA, 0o700)
        if os.getuid() == 0:
            user = pwd.getpwnam("postgres")
            os.chown(folder, user.pw_uid, user.pw_gid)
        admin = "postgres" if os.getuid() == 0 else getpass.getuser()
        self._run(PROGRAMS / "initdb", "-D", self.data, "-U", admin, "-A", "peer",
                  "--no-instructions")
        for file, name in ("pg_hba.conf", "pg_hba.conf"), ("kitbag.conf", "kitbag.conf"):
            target = self.place.install(f"postgresql/{file}", f"{DATA}/data/{name}")
            if os.getuid() == 0:
                os.chown(target, user.pw_uid, user.pw_gid)
        with (self.data / "postgresql.conf").open("a") as file:
            file.write("include 'kitbag.conf'\n")

    def make_roles(self):
        """And the database, in which nothing is yet."""
        words = [f"{role}_password={self.passwords[role]}" for role in ROLES]
        options = [option for word in words for option in ("-v", word)]
        self.ask("postgres", *options, "-f", "-", input=self._text("roles.sql"))

    def make_grants(self):
        self.ask("fleet", "-f", "-", input="SET ROLE kitbag_owner;\n" + self._text("grants.sql"))

    def _text(self, name):
        return (Path(__file__).parent / "postgresql" / name).read_text()

    def ask(self, database, *options, **more):
        """The answer of psql to the administrator, a line each row."""
        return self._run("psql", "-X", "-A", "-t", "-q", "-v", "ON_ERROR_STOP=1", "-h",
                         self.place.path(DATA), "-p", self.port, *options, database,
                         **more).splitlines()

    def url(self, role):
        """Without the password."""
        return f"postgresql://kitbag_{role}@127.0.0.1:{self.port}/fleet"

    def passwords_line(self, role):
        """As ~/.pgpass has it."""
        return f"127.0.0.1:{self.port}:fleet:kitbag_{role}:{self.passwords[role]}\n"

    def stop(self):
        if self.is_running():
            self._pg_ctl("-m", "fast", "stop")
