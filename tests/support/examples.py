"""Builds what is in examples/ against an installed kitbag, as somebody else would."""

import os
from pathlib import Path

from peers import ROOT, run

BUILD = Path(os.environ.get("KITBAG_BUILD", ROOT / "build" / "release"))


def build_example(name, folder):
    """Where examples/NAME was built, in `folder`."""
    run("cmake", "--install", BUILD, "--prefix", folder / "prefix")
    run("cmake", "-S", ROOT / "examples" / name, "-B", folder / "build",
        f"-DCMAKE_PREFIX_PATH={folder / 'prefix'}")
    run("cmake", "--build", folder / "build")
    return folder / "build"


def build_plugin(name, folder):
    """The shared object of examples/plugin-NAME, built in `folder`."""
    return build_example(f"plugin-{name}", folder) / f"kitbag-{name}.so"
