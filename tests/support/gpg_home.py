"""A GnuPG of its own for tests: a home that goes with the tests, and throw-away keys in it."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from peers import need, run

USER = "Kitbag Test"
ADDRESS = "test@example.com"
LOCKED = "locked@example.com"
PASSPHRASE = "open sesame"


def need_gpg():
    need(shutil.which("gpg"), "gpg (gnupg) is not installed")


class Home:
    """A folder with keys; the environment points to it until close()."""

    def __init__(self):
        self.folder = Path(tempfile.mkdtemp(prefix="gpg_"))
        self._before = os.environ.get("GNUPGHOME")
        os.environ["GNUPGHOME"] = str(self.folder)

    def close(self):
        subprocess.run(["gpgconf", "--kill", "gpg-agent"], capture_output=True)
        if self._before is None:
            del os.environ["GNUPGHOME"]
        else:
            os.environ["GNUPGHOME"] = self._before
        shutil.rmtree(self.folder, ignore_errors=True)

    @staticmethod
    def make_key(user, passphrase=""):
        run("gpg", "--batch", "--pinentry-mode", "loopback", "--passphrase", passphrase,
            "--quick-generate-key", user, "future-default", "default", "never")

    @staticmethod
    def forget_passphrases():
        run("gpgconf", "--reload", "gpg-agent")


def home_for(test_class, *keys):
    """A Home for all tests of the class; `keys`: arguments of make_key."""
    need_gpg()
    home = Home()
    test_class.addClassCleanup(home.close)
    for key in keys:
        home.make_key(*key)
    return home
