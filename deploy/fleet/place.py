"""The folder in which a fleet of one machine lives, laid out as the root of a machine is: what a
configuration file calls /etc/kitbag is etc/kitbag in it. So the files of deploy/fleet are used as
they are, except for what a machine or a network of one's own has: ports, names, sizes."""

import contextlib
import os
import re
import signal
import time
from pathlib import Path

FILES = Path(__file__).resolve().parent
# What processes of a fleet have in their environment: the folder.
MARK = "KITBAG_FLEET_FOLDER"
PATHS = re.compile(r"(?<![\w./}])/(?=(?:etc|run|var)/)")


class Place:
    def __init__(self, root, program):
        self.root = Path(root).resolve()
        self.program = Path(program).resolve()

    def path(self, name):
        """Of an absolute name on a machine of its own."""
        return self.root / name.lstrip("/")

    def folder(self, name, mode=0o755):
        path = self.path(name)
        path.mkdir(parents=True, exist_ok=True)
        path.chmod(mode)
        return path

    def rooted(self, text):
        """The text with paths of this folder."""
        return PATHS.sub(f"{self.root}/", text).replace("/usr/bin/kitbag", str(self.program))

    def write(self, name, text, mode=0o644):
        path = self.path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch(mode)
        path.chmod(mode)
        path.write_text(text)
        return path

    def install(self, file, name, changes=None, mode=0o644):
        """Writes a file of deploy/fleet to `name`. Each of the changes must find its text."""
        text = Path(FILES / file).read_text()
        for old, new in (changes or {}).items():
            if old not in text:
                raise AssertionError(f"{file} does not have {old!r} any more")
            text = text.replace(old, new)
        return self.write(name, self.rooted(text), mode)

    def log(self, name):
        return (self.folder("/var/log") / f"{name}.log").open("ab")

    def environment(self, **more):
        """What processes of the fleet begin with; nothing of the user's own keys."""
        kept = {name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR") if name in os.environ}
        path = f"{self.program.parent}:{kept.get('PATH', '')}:/usr/sbin:/sbin"
        return kept | {"PATH": path, "HOME": str(self.root), MARK: str(self.root)} | more

    def processes(self, **marks):
        """The numbers of the processes of this fleet that have all these variables, too."""
        wanted = {f"{name}={value}" for name, value in ({MARK: self.root} | marks).items()}
        found = []
        for entry in Path("/proc").iterdir():
            if not entry.name.isdigit() or int(entry.name) == os.getpid():
                continue
            with contextlib.suppress(OSError):
                if wanted <= set((entry / "environ").read_text(errors="replace").split("\0")):
                    found.append(int(entry.name))
        return found

    def process(self, name):
        """The number that a file below /run holds; None if no process of this fleet has it."""
        with contextlib.suppress(OSError, ValueError):
            number = int(self.path(name).read_text().split()[0])
            for file in "cmdline", "environ":  # some programs write over one of them
                if str(self.root) in Path(f"/proc/{number}/{file}").read_text(errors="replace"):
                    return number
        return None


def wait_until(condition, what, seconds=120):
    """What the condition gives as soon as it is true."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if found := condition():
            return found
        time.sleep(0.1)
    raise AssertionError(f"{what}: not after {seconds} s")


def is_alive(process):
    with contextlib.suppress(OSError, IndexError):
        return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    return False


def end_processes(processes, patience_s=30):
    """Asks them to end, and kills those that do not."""
    for number, wait_s in (signal.SIGTERM, patience_s), (signal.SIGKILL, 10):
        alive = [process for process in processes if is_alive(process)]
        for process in alive:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, number)
        end = time.monotonic() + wait_s
        while any(map(is_alive, alive)) and time.monotonic() < end:
            time.sleep(0.05)
