#!/usr/bin/env python3
"""The stubs: mypy finds the examples right, a program with mistakes wrong, and the stubs say what
the package has."""

import inspect
import re
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

from peers import ROOT, main, need  # noqa: E402
from python_package import FOLDER, FolderTest, kitbag, mypy  # noqa: E402

RIGHT = """
import kitbag

with kitbag.open(["a.bag", "b.bag"]) as bag:
    for message in bag.read("/imu", start="+1s", order="time"):
        time: int = message.time
        view: memoryview = message.raw
        print(message.data.header.stamp.ns)
    last: kitbag.Message = bag["/imu"][-1]
    part: list[kitbag.Message] = bag["/imu"][2:5]
    x = bag.to_numpy("/odom", ["pose.pose.position.x"])["pose.pose.position.x"].mean()
with kitbag.create("c.mcap", compression="zstd") as writer:
    writer.write("/speed", {"data": 1.5}, 10**9, type="std_msgs/msg/Float64")
    bag = kitbag.open("a.bag")
    sizes: list[int] = [each.size_bytes for each in kitbag.export(bag, "out", zstd_level=3)]
    kitbag.import_tables(["tables", bag["/odom"]], "d.mcap", topic="/odom", time_unit="ms")
    with kitbag.Catalog("fleet.db", create=True) as catalog:
        changes: list[str] = [each.change for each in catalog.scan(".", tags={"robot": "r7"})]
        names: list[str] = catalog.find("/imu", longer_than=10**9, limit=5)[0].paths
        found = catalog.find_moments("voltage < 25", start=10**18)
        opened: int = found.opened + catalog.add_events(found, "low")
        first: kitbag.FoundMoment = found[0]
    svg: str = kitbag.plot(bag, "/odom.pose.pose.position.x", y=(0, 1), dark=True).svg()
"""
WRONG = {
    "kitbag.open(5)": "arg-type",
    "kitbag.open('a').read(order='backwards')": "arg-type",
    "kitbag.open('a').reed()": "attr-defined",
    "len(kitbag.open('a').read())": "arg-type",
    "kitbag.create('a', speed=1)": "call-arg",
    "kitbag.open('a')['/imu'][-1].time.ns": "attr-defined",
    "kitbag.export('a', 'b', partition='hour')": "arg-type",
    "kitbag.import_tables(5, 'b')": "arg-type",
    "kitbag.plot('a', '/b').save()": "call-arg",
    "kitbag.Catalog('a').find(limit='5')": "arg-type",
    "kitbag.Catalog('a').find_moments()": "call-arg",
}


class Types(FolderTest):
    def setUp(self):
        super().setUp()
        need(shutil.which("mypy"), "mypy is not installed")

    def test_right_and_wrong_programs(self):
        right = self.folder / "right.py"
        right.write_text(RIGHT)
        self.assertRegex(mypy(self.folder, "--strict", right), "^Success")
        wrong = self.folder / "wrong.py"
        wrong.write_text("import kitbag\n" + "".join(f"{line}\n" for line in WRONG))
        said = mypy(self.folder, "--strict", wrong)
        found = dict(re.findall(r"^wrong\.py:(\d+): error: .*\[(\S+)\]$", said, re.MULTILINE))
        self.assertEqual(found, {str(i): code for i, code in enumerate(WRONG.values(), 2)}, said)

    def test_the_examples(self):
        examples = sorted((ROOT / "examples" / "python").glob("*.py"))
        self.assertGreater(len(examples), 2)
        self.assertRegex(mypy(self.folder, *examples), "^Success")

    def test_the_stubs_say_what_there_is(self):
        stub = (FOLDER / "kitbag" / "__init__.pyi").read_text()
        for name in kitbag.__all__:
            self.assertRegex(stub, rf"\b{name}\b")
        for name in ("Bag", "Catalog", "Plot", "Topic", "Writer"):
            said = re.search(rf"^class {name}:\n((?:    .*\n|\n)+)", stub, re.MULTILINE)[1]
            stubbed = set(re.findall(r"def (\w+)\(", said))
            there = {each for each, value in vars(getattr(kitbag, name)).items()
                     if (inspect.isfunction(value) or isinstance(value, property))
                     and (each[0] != "_" or each.startswith("__"))}
            self.assertEqual(there - stubbed - {"__init__", "__reduce__", "__repr__"}, set(), name)
            self.assertEqual(stubbed - there - {"_repr_html_", "_repr_svg_"}, set(), name)


if __name__ == "__main__":
    main()
