"""RouDi, the daemon of iceoryx, for the length of a test. A machine has one: its sockets and its
shared memory have names that cannot be chosen. So this waits for the end of that of another
test."""

import subprocess
import time

from brokers import find_server

PATIENCE_S = 60

# Of chunks: their bytes, and how many there are.
POOLS = (512, 3000), (4096, 1500), (65536, 200), (1200000, 20)


class Roudi:
    program = "iox-roudi"

    def __init__(self, folder, *options, pools=POOLS):
        self.log = folder / "roudi.log"
        self.configuration = folder / "roudi.toml"
        self.options = options
        self.configuration.write_text("[general]\nversion = 1\n[[segment]]\n" + "".join(
            f"[[segment.mempool]]\nsize = {size}\ncount = {count}\n" for size, count in pools))
        self.process = None
        self.start()

    def start(self):
        deadline = time.monotonic() + PATIENCE_S
        while not self._is_ready():
            if time.monotonic() > deadline:
                raise AssertionError(self.log.read_text())
            if self.process and self.process.poll() is None:
                time.sleep(0.02)
                continue
            if self.process:
                time.sleep(0.5)  # there is another one
            with self.log.open("wb") as log:
                self.process = subprocess.Popen(
                    [find_server(self.program), "-c", self.configuration, *self.options],
                    stdout=log, stderr=log)

    def _is_ready(self):
        return (self.process and self.process.poll() is None
                and "ready for clients" in self.log.read_text())

    def kill(self):
        """As if its machine had lost power."""
        self.process.kill()
        self.process.wait()

    def terminate(self):
        self.process.terminate()
        self.process.wait(PATIENCE_S)

    def end(self):
        if self.process and self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(5)
            except subprocess.TimeoutExpired:  # it waits for a process that was killed
                self.kill()
