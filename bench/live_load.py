#!/usr/bin/env python3
"""A recorder under load, as a side of `./dev bench`. The system, the sender and the recorder are in
a network of their own. Processor time is the recorder's, including its threads and children.

usage: live_load.py BUILD kitbag|rosbag|loop SYSTEM COUNT HZ BYTES TOPICS FILE record"""

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PATIENCE_S = 60
BROKERS = {"mqtt": "mqtt://127.0.0.1:1883", "nats": "nats://127.0.0.1:4222"}


def enter_network():
    if os.environ.get("KITBAG_BENCH_NETWORK") or os.geteuid() != 0:
        return
    os.environ["KITBAG_BENCH_NETWORK"] = "1"
    os.execvp("unshare", ["unshare", "-n", sys.executable, *sys.argv])


def until(seen, what):
    deadline = time.monotonic() + PATIENCE_S
    while not (found := seen()):
        if time.monotonic() > deadline:
            raise SystemExit(f"{what} never came")
        time.sleep(0.05)
    return found


def start(*command, **more):
    return subprocess.Popen([str(word) for word in command], **{"stdout": subprocess.DEVNULL,
                                                                "stderr": subprocess.DEVNULL,
                                                                **more})


class Load:
    def __init__(self, build, who, system, load, path):
        self.build, self.who, self.system, self.load, self.path = build, who, system, load, path
        self.kitbag = build / "kitbag"

    def start_recorder(self, folder):
        if self.who == "rosbag":
            return start("/usr/bin/rosbag", "record", "-b", "0", "-O", self.path,
                         *(f"/load{i}" for i in range(int(self.load[3]))))
        if self.who == "loop":
            loop = start(self.build / f"bench/{self.system}_loop", "receive",
                         stdout=subprocess.PIPE)
            loop.stdout.readline()
            return loop
        control = folder / "control"
        system = BROKERS.get(self.system, f"{self.system}://")
        recorder = start(self.kitbag, "record", "--regex", "/load.*", "--from", system,
                         "-o", self.path, "--control", control)
        until(control.exists, "the recorder")
        return recorder

    def sender(self):
        if self.system == "ros1":
            return start(self.build / "bench/ros1_sender", *self.load, stdin=subprocess.PIPE,
                         stdout=subprocess.PIPE)
        if self.system in BROKERS:
            return start(self.build / f"bench/{self.system}_loop", "send", *self.load,
                         stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        return start(self.build / "tests/ros2_node", "load", *self.load, stdin=subprocess.PIPE,
                     stdout=subprocess.PIPE)

    def run(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            core = self.start_core(folder)
            recorder = self.start_recorder(folder)
            sender = self.sender()
            begin = time.monotonic()
            sent = int(sender.stdout.readline().split()[1])
            wall_s = time.monotonic() - begin
            self.drain(folder, recorder, sent)
            recorder.send_signal(signal.SIGINT)
            _, _, used = os.wait4(recorder.pid, 0)
            for process in (sender, core):
                if process:
                    process.kill()
        if self.who == "loop":
            return self.report(self.got, sent, wall_s, used)
        bag = self.path if self.path.exists() else self.path.with_name(self.path.name + ".active")
        info = json.loads(subprocess.run([self.kitbag, "info", "--json", bag], check=True,
                                         capture_output=True).stdout)
        got = info["messages"]
        bag.unlink()
        return self.report(got, sent, wall_s, used)

    def report(self, got, sent, wall_s, used):
        return {"messages": got, "bytes": got * int(self.load[2]), "wall_s": wall_s,
                "cpu_s": used.ru_utime + used.ru_stime, "peak_bytes": used.ru_maxrss * 1024,
                "dropped": sent - got}

    def start_core(self, folder):
        for command in (("link", "set", "lo", "up"), ("link", "set", "lo", "multicast", "on"),
                        ("route", "replace", "224.0.0.0/4", "dev", "lo")):
            subprocess.run(["ip", *command], check=False, capture_output=True)
        if self.system == "mqtt":
            conf = folder / "mosquitto.conf"
            conf.write_text("listener 1883 127.0.0.1\nallow_anonymous true\n"
                            "max_queued_messages 1000000\n")
            return self.start_broker(1883, "mosquitto", "-c", conf)
        if self.system == "nats":
            return self.start_broker(4222, "nats-server", "-a", "127.0.0.1")
        if self.system != "ros1":
            return None
        os.environ.update(ROS_MASTER_URI="http://127.0.0.1:11311", ROS_IP="127.0.0.1",
                          ROS_HOME=str(folder), ROS_LOG_DIR=str(folder))
        core = start("/usr/bin/roscore")
        until(lambda: subprocess.run(["/usr/bin/rostopic", "list"], capture_output=True,
                                     check=False).returncode == 0, "roscore")
        return core

    @staticmethod
    def start_broker(port, name, *arguments):
        core = start(shutil.which(name) or shutil.which(name, path="/usr/sbin"), *arguments)

        def listens():
            with contextlib.suppress(OSError):
                socket.create_connection(("127.0.0.1", port), 1).close()
                return True
            return False
        until(listens, name)
        return core

    def drain(self, folder, recorder, sent):
        """Waits until nothing more is received."""
        if self.who == "loop":
            self.got, still = 0, 0
            while self.got < sent and still < 50:  # five seconds without a message
                got = int(recorder.stdout.readline().split()[1])
                still = still + 1 if got == self.got else 0
                self.got = got
            return
        if self.who == "rosbag":
            time.sleep(3)
            return
        last = None
        while last != (last := self.received(folder)):
            time.sleep(0.5)

    def received(self, folder):
        status = subprocess.run([self.kitbag, "control", folder / "control", "status"], check=True,
                                capture_output=True).stdout
        return json.loads(status)["messages"]


def main():
    build, who, system, *load, path, _ = sys.argv[1:]
    path = Path(path).with_suffix(".bag" if system == "ros1" else ".mcap")
    path.unlink(missing_ok=True)
    print(json.dumps(Load(Path(build), who, system, load, path).run()))


if __name__ == "__main__":
    if not shutil.which("unshare"):
        raise SystemExit("unshare is not there")
    enter_network()
    main()
