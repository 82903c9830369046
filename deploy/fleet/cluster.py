"""Slurm with two nodes, which are both on this machine, with slurm/slurm.conf, in the folder of a
fleet. Each node is a slurmd of its own."""

import contextlib
import getpass
import os
import pwd
import secrets
import shutil
import socket
import subprocess
from pathlib import Path

from place import end_processes, wait_until

NODES = "n1", "n2"
CONFIG = "/etc/slurm/slurm.conf"
PROGRAMS = "munged", "slurmctld", "slurmd", "sbatch"


def is_installed():
    return all(shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin") for name in PROGRAMS)


def processes_with(title, path):
    """Those that call themselves so, and have that file open."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if not (process / "cmdline").read_bytes().startswith(title):
                continue
            if path in map(os.readlink, (process / "fd").iterdir()):
                found.append(int(process.name))
    return found


class Cluster:
    """`ports` are those of the controller and of the nodes."""

    def __init__(self, place, ports):
        self.place, self.ports = place, ports

    def environment(self, **more):
        return self.place.environment(SLURM_CONF=str(self.place.path(CONFIG)), **more)

    def is_running(self):
        return self.place.process("/run/slurm/slurmctld.pid") is not None

    def start(self, changes=None):
        """`changes` are those of slurm.conf, as of Place.install()."""
        self._start_munge()
        host, user = socket.gethostname().split(".")[0], getpass.getuser()
        memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") >> 20
        nodes = "".join(f"NodeName={node} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} "
                        f"CPUs={os.cpu_count()} RealMemory={min(memory, 4000)} State=UNKNOWN\n"
                        for node, port in zip(NODES, self.ports[1:]))
        self.place.write("/etc/slurm/nodes.conf",
                         f"SlurmctldHost={host}(127.0.0.1)\nSlurmctldPort={self.ports[0]}\n{nodes}")
        self.place.install("slurm/slurm.conf", CONFIG,
                           {"SlurmUser=slurm": f"SlurmUser={user}\nSlurmdUser={user}",
                            "SlurmdTimeout=60": "SlurmdTimeout=5",
                            "cred_expire=30": "cred_expire=5", "sched_interval=5":
                            "sched_interval=1,sched_min_interval=1000"} | (changes or {}))
        for folder in "/run/slurm", "/var/spool/slurm/state", "/var/log/slurm":
            self.place.folder(folder)
        self._run("slurmctld", "-c")
        for node in NODES:
            self.start_node(node)
        wait_until(lambda: self.ask("sinfo", "-h", "-t", "idle", "-o", "%D") == str(len(NODES)),
                   "nodes of Slurm that are idle")

    def _start_munge(self):
        folder = self.place.folder("/run/munge")
        key = self.place.folder("/etc/munge", 0o700) / "munge.key"
        key.unlink(missing_ok=True)
        key.touch(0o400)
        key.chmod(0o600)
        key.write_bytes(secrets.token_bytes(1024))
        words = ["munged", "--force", f"--socket={folder}/munge.socket.2", f"--key-file={key}",
                 f"--pid-file={folder}/munged.pid", f"--log-file={folder}/log",
                 f"--seed-file={folder}/seed"]
        if os.getuid() == 0:
            user = pwd.getpwnam("munge")
            for path in folder, key.parent, key:
                os.chown(path, user.pw_uid, user.pw_gid)
            words = ["setpriv", "--reuid=munge", "--regid=munge", "--clear-groups", *words]
        key.chmod(0o400)
        self._run(*words)

    def start_node(self, node):
        self.place.folder(f"/var/spool/slurm/{node}")
        self._run("slurmd", "-N", node)

    def _run(self, *words, **more):
        with self.place.log("slurm-start") as log:
            subprocess.run(words, check=True, stdout=log, stderr=log, stdin=subprocess.DEVNULL,
                           env=self.environment(**more), cwd=self.place.root, timeout=60)

    def ask(self, *words):
        """What a tool of Slurm says; nothing if it fails."""
        done = subprocess.run(words, capture_output=True, text=True, env=self.environment(),
                              timeout=60)
        return done.stdout.strip() if done.returncode == 0 else ""

    def submit(self, *words, **more):
        """The number of a job."""
        done = subprocess.run(["sbatch", "--parsable", *map(str, words)], capture_output=True,
                              text=True, env=self.environment(**more), timeout=60,
                              cwd=self.place.folder("/var/log/slurm"))
        if done.returncode != 0:
            raise AssertionError(done.stderr)
        return done.stdout.strip()

    def tasks_on(self, node):
        """The processes of jobs."""
        return self.place.processes(SLURMD_NODENAME=node)

    def daemons_of(self, node):
        """slurmd, and one that it has started for each job."""
        daemon = self.place.process(f"/run/slurm/slurmd.{node}.pid")
        log = str(self.place.path(f"/var/log/slurm/{node}.log"))
        return [*([daemon] if daemon else []), *processes_with(b"slurmstepd", log)]

    def stop(self):
        """Ends jobs first: a slurmd leaves them alone."""
        jobs = [process for node in NODES
                for process in (*self.daemons_of(node), *self.tasks_on(node))]
        names = "/run/slurm/slurmctld.pid", "/run/munge/munged.pid"
        daemons = [process for process in map(self.place.process, names) if process]
        end_processes(set(jobs + daemons))
