"""A real Chromium, told by a test what to do: web/test/browser.mjs."""

import json
import os
import shutil
import subprocess
from pathlib import Path

from peers import ROOT, need, run

WEB = ROOT / "web"


NODE = (20, 19)  # Vite 7 needs it; Debian 12 has an older one, on which the browser test runs


def need_web():
    """What the page is tested with."""
    need(shutil.which("node") is not None, "no node")
    need((WEB / "node_modules" / ".package-lock.json").exists(), "no web/node_modules: npm ci")


def need_vite():
    """What the page is built with."""
    need_web()
    version = run("node", "--version").strip()
    need(tuple(map(int, version[1:].split(".")[:2])) >= NODE, f"node is {version}", "node_20")


def pictures():
    """The folder for screenshots, which are kept for people to look at."""
    folder = Path(os.environ.get("KITBAG_BUILD", ROOT / "build")) / "pictures"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


class Browser:
    def __init__(self):
        need_web()
        chromium = shutil.which("chromium-headless-shell")
        need(chromium is not None, "no chromium-headless-shell")
        self.process = subprocess.Popen(
            ["node", WEB / "test" / "browser.mjs", chromium], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True, cwd=WEB)

    def end(self):
        self.process.stdin.close()
        self.process.wait(20)
        self.process.stdout.close()

    def tell(self, name, **options):
        """The answer to a command of browser.mjs."""
        self.process.stdin.write(json.dumps({"do": name, **options}) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        if "error" in answer:
            raise AssertionError(f"{name} {options}: {answer['error']}")
        return answer["value"]

    def __getattr__(self, name):
        return lambda **options: self.tell(name, **options)
