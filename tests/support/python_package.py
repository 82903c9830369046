"""The Python package of this build, for the tests: `from python_package import kitbag`."""

import importlib.util
import sys

from examples import BUILD
from peers import need

FOLDER = BUILD / "python"
sys.path.insert(0, str(FOLDER))

is_built = any((FOLDER / "kitbag").glob("_kitbag*.so"))
kitbag = importlib.import_module("kitbag") if is_built else None


def need_package(*modules):
    """Also modules of Debian that a test uses: "numpy"."""
    need(kitbag, "the Python module is not built (pybind11-dev, python3-dev)")
    for name in modules:
        need(importlib.util.find_spec(name), f"python3-{name} is not installed")
