"""The Slurm of deploy/fleet for the length of a test, without the rest of a fleet."""

import contextlib
import os
import signal
import subprocess
import sys
from pathlib import Path

from object_store import MON_PORTS, free_port
from peers import program

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "deploy/fleet"))

from cluster import NODES, Cluster, is_installed  # noqa: E402, F401
from place import MARK, Place, wait_until  # noqa: E402


class Slurm(Cluster):
    """`of_tasks` is the environment with which its programs find it, and its tasks are found.
    Arrays have `most_tasks` at most."""

    def __init__(self, folder, most_tasks=1001):
        folder = Path(folder)
        folder.mkdir(parents=True)
        for parent in [folder, *folder.parents]:
            if parent.stat().st_uid == os.getuid() and parent != Path("/tmp"):
                with contextlib.suppress(OSError):
                    parent.chmod(parent.stat().st_mode | 0o111)  # munge is another user
        port = free_port(MON_PORTS, len(NODES) + 1)
        super().__init__(Place(folder, program()), range(port, port + len(NODES) + 1))
        whole = super().environment()
        self.of_tasks = {name: whole[name] for name in ("SLURM_CONF", MARK)}
        self.start({"MaxArraySize=100001": f"MaxArraySize={most_tasks}"})

    def run(self, *command):
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                              env=os.environ | self.of_tasks, timeout=60)
        if done.returncode != 0:
            raise AssertionError(f"{command}: {done.stdout}{done.stderr}")
        return done.stdout

    def wait_for(self, condition, what):
        wait_until(condition, f"{what}; see {self.place.path('/var/log')}")

    def jobs(self):
        """What squeue prints: a line for each task that waits or runs."""
        return self.run("squeue", "--noheader", "--format", "%i %T %N").splitlines()

    def kill_node(self, node):
        """As if its power failed: the daemon, and all that it has started, in this order, so that
        nobody says that it has ended."""
        for process in (*self.daemons_of(node), *self.tasks_on(node)):
            with contextlib.suppress(OSError):
                os.kill(process, signal.SIGKILL)
        self.place.path(f"/run/slurm/slurmd.{node}.pid").unlink(missing_ok=True)

    def end(self):
        with contextlib.suppress(AssertionError):
            self.run("scancel", "--user=root")
        self.stop()
