"""A Slurm for the length of a test: munge, a controller, and nodes that are all this machine."""

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

from object_store import MON_PORTS, free_port

# Nodes that do not answer for five seconds are down, and what ran there is started again as soon as
# its credentials have expired.
CONFIG = """ClusterName=kitbag
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmctldPort={port}
SlurmctldPidFile={folder}/run/slurmctld.pid
SlurmdPidFile={folder}/run/%n.pid
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool.%n
SlurmctldLogFile={folder}/log/slurmctld.log
SlurmdLogFile={folder}/log/%n.log
SlurmdTimeout=5
SlurmctldTimeout=5
AuthType=auth/munge
AuthInfo=socket={folder}/munge/socket,cred_expire=5
CredType=cred/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
KillWait=2
SchedulerParameters=sched_interval=1,sched_min_interval=1000,defer
JobCompType=jobcomp/none
AccountingStorageType=accounting_storage/none
MaxArraySize={most_tasks}
MaxJobCount=10000
{nodes}
PartitionName=batch Nodes=ALL Default=YES MaxTime=INFINITE State=UP OverSubscribe=NO
"""
TOOLS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scontrol", "scancel", "sinfo")


def is_installed():
    return all(shutil.which(name) for name in TOOLS)


class Slurm:
    """`environment` is with which its programs find it."""

    def __init__(self, folder, nodes=("n1", "n2"), most_tasks=1001):
        self.folder = Path(folder)
        self.nodes = nodes
        for name in "run", "state", "log", "munge":
            (self.folder / name).mkdir(parents=True)
        for parent in [self.folder, *self.folder.parents]:
            if parent.stat().st_uid == os.getuid() and parent != Path("/tmp"):
                with contextlib.suppress(OSError):
                    parent.chmod(parent.stat().st_mode | 0o111)  # munge is another user
        self.config = self.folder / "slurm.conf"
        self.environment = {"SLURM_CONF": str(self.config)}
        port = free_port(MON_PORTS, len(nodes) + 1)
        lines = [f"NodeName={node} NodeHostname={socket.gethostname().split('.')[0]} "
                 f"NodeAddr=127.0.0.1 Port={port + 1 + i} CPUs=2 RealMemory=4000 State=UNKNOWN"
                 for i, node in enumerate(nodes)]
        self.config.write_text(CONFIG.format(
            host=socket.gethostname().split(".")[0], folder=self.folder, port=port,
            most_tasks=most_tasks, nodes="\n".join(lines)))
        self.start_munge()
        self.run("slurmctld", "-c")
        for node in nodes:
            self.start_node(node)
        self.wait_for(lambda: self.run("sinfo", "-h", "-t", "idle", "-o", "%D").strip()
                      == str(len(nodes)), "the nodes")

    def start_munge(self):
        place = self.folder / "munge"
        (place / "key").write_bytes(os.urandom(1024))
        (place / "key").chmod(0o400)
        for path in place, place / "key":
            shutil.chown(path, "munge", "munge")
        place.chmod(0o711)
        self.run("setpriv", "--reuid=munge", "--regid=munge", "--clear-groups", "munged",
                 "--force", f"--socket={place}/socket", f"--key-file={place}/key",
                 f"--pid-file={place}/pid", f"--log-file={place}/log", f"--seed-file={place}/seed")

    def start_node(self, node):
        (self.folder / f"spool.{node}").mkdir(exist_ok=True)
        self.run("slurmd", "-N", node)

    def run(self, *command):
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                              env=os.environ | self.environment, timeout=60)
        if done.returncode != 0:
            raise AssertionError(f"{command}: {done.stdout}{done.stderr}")
        return done.stdout

    def wait_for(self, condition, what):
        for _ in range(600):
            with contextlib.suppress(AssertionError):
                if condition():
                    return
            time.sleep(0.1)
        raise AssertionError(f"{what}: nothing happens; see {self.folder}/log")

    def jobs(self):
        """What squeue prints: a line for each task that waits or runs."""
        return self.run("squeue", "--noheader", "--format", "%i %T %N").splitlines()

    def kill_node(self, node):
        """As if its power failed: the daemon, and all that it has started."""
        daemon = int((self.folder / f"run/{node}.pid").read_text())
        steps, tasks = [], []
        for process in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                words = (process / "environ").read_bytes().split(b"\0")
                if f"SLURMD_NODENAME={node}".encode() not in words or \
                        f"SLURM_CONF={self.config}".encode() not in words:
                    continue
                tasks.append(int(process.name))
                parent = int((process / "stat").read_text().rsplit(")", 1)[1].split()[1])
                if Path(f"/proc/{parent}/comm").read_text().startswith("slurmstepd"):
                    steps.append(parent)
        pids = [daemon, *steps, *tasks]  # in this order, so that nobody says that it has ended
        for pid in pids:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        with contextlib.suppress(FileNotFoundError):
            (self.folder / f"run/{node}.pid").unlink()

    def end(self):
        with contextlib.suppress(AssertionError):
            self.run("scancel", "--user=root")
        files = [*(self.folder / "run").glob("*.pid"), self.folder / "munge/pid"]
        for file in files:
            with contextlib.suppress(OSError, ValueError):
                os.kill(int(file.read_text()), signal.SIGKILL)
