#!/usr/bin/env python3
"""Bags of some kilobytes that say little and mean billions: every verb stays small and quick.

A budget of 256 MB and 5 s of processor time holds for each run, and SIGTERM ends it within a
second. What is refused is reported; nothing is left out silently.
"""

import json
import os
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

import sys

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

from make_bag import BagFile, u32  # noqa: E402
from mcap_file import McapFile  # noqa: E402
from peers import main, program  # noqa: E402

MOST_KIB = 256 * 1024
MOST_CPU_S = 5
START_NS = 1_700_000_000 * 10**9
LEVELS = 12
SOAK = bool(os.environ.get("KITBAG_SOAK"))


def laughs(field, separator="=" * 80 + "\nMSG: "):
    """Definitions of which each has ten fields of the next; `field(level, i)` is a line of one."""
    parts = ["".join(field(level, i) for i in range(10)) for level in range(LEVELS)]
    return separator.join([parts[0]] +
                          [f"p/L{level}\n{part}" for level, part in enumerate(parts[1:], 1)] +
                          [f"p/L{LEVELS}\n"])


def nested_arrays(count, empty="p/L3\n"):
    separator = "=" * 80 + "\nMSG: "
    return separator.join([f"L1[{count}] a\n", f"p/L1\nL2[{count}] a\n",
                           f"p/L2\nL3[{count}] a\n", empty])


def one_channel(name, language, definition, encoding, payload, type_="p/T", messages=1,
                metadata=None):
    def make(folder):
        path = os.path.join(folder, f"{name}.mcap")
        bag = McapFile(path)
        channel = bag.channel("/t", encoding, type_, language, definition, metadata)
        for i in range(messages):
            bag.message(channel, START_NS + i, payload)
        bag.close()
        return path
    return make


def rosbag(name, definition, payload):
    def make(folder):
        path = os.path.join(folder, f"{name}.bag")
        bag = BagFile(path)
        conn = bag.connection("/t", "p/T", definition=definition)
        bag.add_chunk([(conn, START_NS, payload)])
        bag.close()
        return path
    return make


def schema_laughs():
    defs = {f"L{level}": {"type": "object", "properties": {
        f"f{i}": {"$ref": f"#/$defs/L{level + 1}"} for i in range(10)}} for level in range(LEVELS)}
    defs[f"L{LEVELS}"] = {"type": "object", "properties": {}}
    return json.dumps({"title": "p.T", "type": "object", "$defs": defs,
                       "properties": {"a": {"$ref": "#/$defs/L0"}}})


def idl_laughs():
    text = f"module p {{ struct L{LEVELS} {{ uint8 x[1]; }};\n"
    for level in reversed(range(LEVELS)):
        text += f"struct L{level} {{ " + "".join(
            f"L{level + 1} f{i}; " for i in range(10)) + "};\n"
    return text + "module msg { struct T { L0 a; }; }; };\n"


def yaml_laughs(lead="", levels=12):
    text = f"{lead}a0: &a0 x\n"
    for level in range(1, levels):
        text += f"{lead}a{level}: &a{level} [" + ", ".join(10 * [f"*a{level - 1}"]) + "]\n"
    return text


def directory(name, metadata):
    def make(folder):
        path = os.path.join(folder, name)
        os.mkdir(path)
        one_channel("m_0", "ros2msg", "string data\n", "cdr", b"\0\1\0\0\2\0\0\0a\0",
                    "std_msgs/msg/String")(path)
        Path(path, "metadata.yaml").write_text(metadata, encoding="utf-8")
        return path
    return make


ROOT_KEY = "rosbag2_bagfile_information:\n  version: 5\n"
LONG_NAME = "n" * 1_000_000

BOMBS = [
    rosbag("arrays_ros1", nested_arrays(60000), b""),
    one_channel("arrays_ros2", "ros2msg", nested_arrays(60000).replace("p/L", "p/msg/L"), "cdr",
                b"\0\1\0\0" + bytes(70000), "p/msg/T"),
    one_channel("arrays_huge", "ros1msg", nested_arrays(2**32 - 1), "ros1", b""),
    rosbag("laughs_ros1", laughs(lambda level, i: f"L{level + 1} f{i}\n"), b""),
    one_channel("laughs_ros2", "ros2msg",
                laughs(lambda level, i: f"L{level + 1} f{i}\n").replace("p/L", "p/msg/L"), "cdr",
                b"\0\1\0\0", "p/msg/T"),
    one_channel("laughs_idl", "ros2idl", idl_laughs(), "cdr", b"\0\1\0\0", "p/msg/T"),
    one_channel("laughs_schema", "jsonschema", schema_laughs(), "json", b"{}", "p.T"),
    # No deeper than is allowed, but defaults without end for each message of two bytes.
    one_channel("defaults", "jsonschema", json.dumps({
        "title": "p.T", "type": "object", "properties": {
            f"f{i}": {"type": "number"} for i in range(50000)}}), "json", b"{}", "p.T", 10),
    one_channel("names", "ros2msg", "L1[] a\n" + "=" * 80 + f"\nMSG: p/msg/L1\nuint8 {LONG_NAME}\n",
                "cdr", b"\0\1\0\0" + u32(20000) + bytes(20000), "p/msg/T"),
    one_channel("deep_json", "", "", "json", b"[" * 500_000 + b"]" * 500_000, None),
    one_channel("deep_idl", "ros2idl", "module a {" * 50_000, "cdr", b"\0\1\0\0", "p/msg/T"),
    one_channel("qos", "ros2msg", "string data\n", "cdr", b"\0\1\0\0\2\0\0\0a\0",
                "std_msgs/msg/String",
                metadata={"offered_qos_profiles": "- " + yaml_laughs("  ")[2:]}),
    directory("metadata_aliases", ROOT_KEY + yaml_laughs("  ") +
              "  relative_file_paths: [m_0.mcap]\n  custom_data: {x: *a11}\n"),
    directory("metadata_dense", ROOT_KEY + "  x: [" + "a," * 4_000_000 + "a]\n"),
    directory("metadata_deep", ROOT_KEY + "  x: " + "[" * 1_000_000),
]

def schema(properties, **more):
    return json.dumps({"title": "p.T", "type": "object", "properties": properties, **more})


def idl(text):
    return f"module p {{ module msg {{ {text} }}; }};"


COUNT = 40_000
NAMES = [f"f{i:05}" for i in range(COUNT)]
ENUM = "enum E { " + ", ".join(NAMES) + " }; "

# Each within the limits of size. What compares each part with all others takes half a minute.
MANY_PARTS = [
    one_channel("fields", "ros2msg", "".join(f"uint8 g{i:05}\n" for i in range(99_000)), "cdr",
                b"\0\1\0\0" + bytes(99_000), "p/msg/T"),
    one_channel("required", "jsonschema", schema({name: {} for name in NAMES}, required=NAMES),
                "json", b"{}", "p.T"),
    one_channel("one_title", "jsonschema", schema({name: {
        "title": "X", "type": "object", "properties": {name: {"type": "boolean"}}}
        for name in NAMES[:25_000]}), "json", b"{}", "p.T"),
    # 80 KB that would be two million fields, and 100 KB that would be two million values.
    one_channel("expanded_fields", "jsonschema", schema(
        {name: {"$ref": "#/$defs/A"} for name in NAMES[:2000]},
        **{"$defs": {"A": {"type": "object", "properties": dict.fromkeys(NAMES[:1000], True)}}}),
        "json", b"{}", "p.T"),
    one_channel("expanded_values", "jsonschema", schema(
        {name: {"$ref": "#/$defs/A"} for name in NAMES[:9000]},
        **{"$defs": {"A": {"type": "integer", "oneOf": [
            {"const": i, "title": "e"} for i in range(1000)]}}}), "json", b"{}", "p.T"),
    one_channel("members", "jsonschema", schema({name: {"type": "number"} for name in NAMES}),
                "json", json.dumps({f"f{i:05}": 1 for i in range(99_999, -1, -1)}).encode(),
                "p.T", 4),
    one_channel("values", "jsonschema", schema({"a": {"type": "array", "items": {
        "type": "integer", "oneOf": [{"const": i, "title": name}
                                     for i, name in enumerate(NAMES)]}}}),
                "json", json.dumps({"a": [NAMES[-1]] * 200_000}).encode(), "p.T"),
    one_channel("constants", "ros2idl", idl("module T_Constants { " + "".join(
        f"const long C{i} = 1; " for i in range(100_000)) + "}; struct T { long a; };"), "cdr",
                bytes([0, 1, 0, 0]) + bytes(4), "p/msg/T"),
    one_channel("labels", "ros2idl", idl(ENUM + "union U switch (E) { " + "".join(
        f"case {name}: long {name}; " for name in NAMES) + "}; struct T { U u; };"), "cdr",
                bytes([0, 1, 0, 0]) + bytes(8), "p/msg/T"),
    one_channel("scoped_label", "ros2idl", idl(ENUM + "union U switch (E) { case " + "::".join(
        ["a"] * 100_000) + ": long m; }; struct T { U u; };"), "cdr",
                bytes([0, 1, 0, 0]) + bytes(8), "p/msg/T"),
    one_channel("module_name", "ros2idl", idl("struct T { long a; };") +
                f"module {LONG_NAME} {{ " + "".join(
                    f"const long c{i} = 1; " for i in range(400)) + "};", "cdr",
                bytes([0, 1, 0, 0]) + bytes(4), "p/msg/T"),
]

VERBS = [
    ("info", "BAG"), ("info", "--verbose", "BAG"), ("info", "--json", "BAG"), ("check", "BAG"),
    ("list", "BAG", "topics"), ("list", "BAG", "schemas"), ("du", "BAG"), ("types", "BAG"),
    *(("types", "BAG", "TYPE", "--language", language)
      for language in ("ros1msg", "ros2msg", "ros2idl", "jsonschema")),
    *(("cat", "--format", format_, "BAG") for format_ in ("json", "yaml", "csv", "digest")),
    ("cat", "--bytes", "array", "BAG"), ("cat", "--fields", "a.f0.f1", "--", "BAG"),
    ("cat", "--where", "a.f0 == 1", "BAG"), ("nth", "BAG", "/t", "0"), ("diff", "BAG", "BAG"),
    ("repair", "BAG", "repaired.EXTENSION"),
    *(("convert", "BAG", f"to.{extension}") for extension in ("mcap", "bag", "db3")),
    ("convert", "BAG", "to_dir/"),
    *(("convert", "--encoding", encoding, "--on-error", "skip", "BAG", "to.mcap")
      for encoding in ("json", "protobuf", "cdr", "ros1")),
    ("convert", "--to-definitions", "definitions", "--migrate", "rules.yaml", "BAG", "to.mcap"),
]


class Bombs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        os.makedirs(os.path.join(self.folder, "definitions/p/msg"))
        text = "uint8 a\n" + "".join(f"float64[100] g{i}\n" for i in range(1000))
        Path(self.folder, "definitions/p/msg/T.msg").write_text(text)
        Path(self.folder, "rules.yaml").write_text("types:\n  p/msg/A: p/msg/B\n")

    def start(self, arguments, stdout):
        return subprocess.Popen([program(), *arguments], cwd=self.folder, stdin=subprocess.DEVNULL,
                                stdout=stdout, stderr=subprocess.PIPE)

    def spend(self, arguments):
        """Runs to the end; gives the exit code, the warnings, memory and processor time."""
        with open(os.devnull, "wb") as nowhere:
            run = self.start(arguments, nowhere)
        try:
            said = run.stderr.read()
            _, status, used = os.wait4(run.pid, 0)
        except BaseException:
            run.kill()
            raise
        finally:
            run.stderr.close()
        run.returncode = os.waitstatus_to_exitcode(status)
        return run.returncode, said.decode(), used.ru_maxrss, used.ru_utime + used.ru_stime

    def assert_small(self, arguments):
        code, said, kib, cpu_s = self.spend(arguments)
        self.assertIn(code, (0, 1, 2), (arguments, said))
        self.assertLess(kib, MOST_KIB, (arguments, said))
        self.assertLess(cpu_s, MOST_CPU_S, (arguments, said))
        return code, said

    def test_every_verb_over_every_bomb(self):
        """The short form tries each verb on a third of the bombs, and each bomb by a third of the
        verbs."""
        for i, make in enumerate(BOMBS):
            bag = make(self.folder)
            extension = Path(bag).suffix[1:] or "mcap"
            with self.subTest(bag=Path(bag).name):
                for verb in VERBS if SOAK else VERBS[i % 3::3]:
                    words = {"BAG": bag, "TYPE": "p/T" if extension == "bag" else "p/msg/T"}
                    self.assert_small([words.get(word, word).replace("EXTENSION", extension)
                                       for word in verb])
                    for made in Path(self.folder).glob("to*"):
                        subprocess.run(["rm", "-r", made], check=True)
                    for made in Path(self.folder).glob("repaired*"):
                        made.unlink() if made.is_file() else subprocess.run(["rm", "-r", made],
                                                                            check=True)

    def test_what_is_refused_is_told(self):
        for make in BOMBS[:8]:
            bag = make(self.folder)
            code, said = self.assert_small(["cat", "--on-error", "stop", bag])
            if code == 0:
                continue
            self.assertRegex(said, "far more|more than|cannot|deep|do not fit|remain|missing", bag)
        code, said = self.assert_small(["cat", "--on-error", "stop", BOMBS[0](self.folder)])
        self.assertEqual(code, 2)
        self.assertRegex(said, "far more values than the message's bytes can hold")

    def test_definitions_of_many_parts_take_no_square_of_time(self):
        for make in MANY_PARTS:
            bag = make(self.folder)
            with self.subTest(bag=Path(bag).name):
                self.assert_small(["cat", bag])
                self.assert_small(["convert", "--encoding", "cdr", bag, "to.mcap"])
                Path(self.folder, "to.mcap").unlink(missing_ok=True)

    def test_rules_and_qualities_of_service(self):
        bag = one_channel("plain", "ros2msg", "uint8 a\n", "cdr", b"\0\1\0\0\1", "p/msg/T")(
            self.folder)
        path = Path(self.folder, "rules.yaml")
        for text in ("fill:\n  p/T:\n    a: &a0 [x]\n" + "\n".join(
                f"    b{i}: &a{i} [" + ", ".join(10 * [f"*a{i - 1}"]) + "]" for i in range(1, 12)),
                "[" * 900_000, "types: {" + "a: b, " * 150_000 + "}"):
            path.write_text(text)
            code, said = self.assert_small(["convert", "--to-definitions", "definitions",
                                            "--migrate", "rules.yaml", bag, "x.mcap"])
            self.assertEqual(code, 2, said)
            self.assertRegex(said, "rules.yaml: ")
            code, said = self.assert_small(["record", "-a", "--from", "demo://?seconds=0",
                                            "--static-topics", "rules.yaml", "-o", "x.mcap"])
            self.assertEqual(code, 2, said)

    def test_real_sizes_are_not_refused(self):
        """A cloud of half a million points, an image of 20 MB, a list of empty messages."""
        cases = [
            ("string data\n", u32(20_000_000) + b"x" * 20_000_000, "ros1"),
            ("uint8[] data\n", u32(20_000_000) + bytes(20_000_000), "ros1"),
            ("P[] points\n" + "=" * 80 + "\nMSG: p/P\nfloat32 x\nfloat32 y\nfloat32 z\n",
             u32(500_000) + bytes(12 * 500_000), "ros1"),
            ("bool[] flags\n", u32(2_000_000) + bytes(2_000_000), "ros1"),
            ("Empty[] e\n" + "=" * 80 + "\nMSG: p/Empty\n", u32(10_000), "ros1"),
        ]
        for i, (definition, payload, encoding) in enumerate(cases):
            bag = one_channel(f"real_{i}", "ros1msg", definition, encoding, payload)(self.folder)
            code, said, _, _ = self.spend(["cat", "--on-error", "stop", bag])
            self.assertEqual((code, said), (0, ""))

    def test_a_signal_ends_every_one(self):
        for make in BOMBS:
            bag = make(self.folder)
            for arguments in (["cat", bag], ["info", bag]):
                run = self.start(arguments, subprocess.DEVNULL)
                with run, run.stderr:
                    time.sleep(0.05)
                    begin = time.monotonic()
                    run.send_signal(signal.SIGTERM)
                    run.stderr.read()
                    run.wait(60)
                    self.assertLess(time.monotonic() - begin, 10, arguments)  # 1 s and what is busy


if __name__ == "__main__":
    main()
