#!/usr/bin/env python3
"""Message definitions as the real tools know them: MD5 sums, the search path, what rosbag reads."""

import contextlib
import importlib
import io
import pkgutil
import random
import re
import shutil
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import peers  # noqa: E402
import ros1  # noqa: E402
from make_bag import OP_CONNECTION, BagFile, header, record, u32  # noqa: E402
from old_bag import write_v1_0, write_v1_1  # noqa: E402
from peers import REAL_BAGS, digest, kitbag, need, need_real_bags  # noqa: E402

try:
    import genmsg
    import genmsg.msg_loader
    import rosbag.bag
except ImportError:
    genmsg = None

SEPARATOR = "\n" + "=" * 80 + "\nMSG: "
WRONG = "0" * 32
COMPUTED = re.compile(r": (\S+): the MD5 sum of its definition of \S+ is (\w{32}), not " + WRONG)
NO_ENVIRONMENT = {"env": {"PATH": "/usr/bin:/bin"}}


class DefinedBag(BagFile):
    """A bag with connections of any definition, one message on each."""

    def define(self, topic, type_, md5sum, definition):
        inner = header(topic=topic.encode(), type=type_.encode(), md5sum=md5sum.encode(),
                       message_definition=definition.encode())
        conn = len(self._connections)
        self._connections.append(record(OP_CONNECTION, inner[4:], conn=u32(conn),
                                        topic=topic.encode()))
        return conn

    @classmethod
    def write(cls, path, definitions):
        """`definitions`: (type, md5sum, text); the topics are /0, /1, ..."""
        bag = cls(path)
        conns = [bag.define(f"/{i}", *each) for i, each in enumerate(definitions)]
        bag.add_chunk([(conn, (conn + 1) * 10**9, b"some bytes") for conn in conns])
        bag.close()
        return path


def installed_messages():
    """Every message class of the Python packages that are installed."""
    found = {}
    for package in pkgutil.iter_modules():
        if not package.ispkg or not package.name.endswith("_msgs"):
            continue
        with contextlib.suppress(ImportError):
            module = importlib.import_module(package.name + ".msg")
            found.update({c._type: c for c in vars(module).values() if hasattr(c, "_md5sum")})
    return found


def own_text(message):
    return message._full_text.split("\n" + "=" * 80 + "\n")[0]


class WithFolder(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        ros1.need_rosbag()
        cls.folder = Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.messages = installed_messages()
        need(len(cls.messages) > 30, "few Python messages are installed (python3-std-msgs)")

    def computed(self, definitions):
        """The MD5 sums as kitbag computes them, of (type, text)."""
        bag = DefinedBag.write(self.folder / "sums.bag",
                               [(type_, WRONG, text) for type_, text in definitions])
        out = kitbag("check", bag, code=1)
        sums = dict(COMPUTED.findall(out))
        self.assertEqual(len(sums), len(definitions), out[:2000])
        return [sums[f"/{i}"] for i in range(len(definitions))]


class Md5(WithFolder):
    def test_of_installed_messages(self):
        # Those without fields have an empty definition and the one sum that needs none.
        messages = [m for m in self.messages.values() if m._full_text.strip()]
        found = self.computed([(m._type, m._full_text) for m in messages])
        self.assertEqual(found, [m._md5sum for m in messages])

    def test_of_random_definitions(self):
        rng = random.Random(7)
        definitions = [random_definition(rng, f"main_msgs/Main{i}") for i in range(1000)]
        found = self.computed([(name, text) for name, text, _ in definitions])
        for (name, text, expected), here in zip(definitions, found):
            self.assertEqual(here, expected, f"{name}\n{text}")

    def test_of_real_bags(self):
        need_real_bags()
        findings, theirs, seen = set(), set(), 0
        for bag in sorted(REAL_BAGS.rglob("v[12].*.bag")):
            try:
                real = rosbag.Bag(str(bag))
            except (rosbag.ROSBagException, ValueError):
                continue  # of a version that the real one does not know, or damaged
            for connection in real._connections.values():
                seen += 1
                if is_doubted(connection):
                    theirs.add((bag.name, connection.topic))
            for line in kitbag("check", bag, code=None).splitlines()[:-1]:
                _, _, topic, *what = line.split(": ")
                if "definition" in " ".join(what):
                    findings.add((bag.name, topic))
        self.assertGreater(seen, 40)
        self.assertEqual(findings, theirs)


def is_doubted(connection):
    """The real rosbag has something against the definition of a connection."""
    rosbag.bag._message_types.clear()
    warnings = io.StringIO()
    with contextlib.redirect_stderr(warnings):
        rosbag.bag._get_message_type(connection)
    return "WARNING" in warnings.getvalue()


def random_definition(rng, main):
    """(name, text as bags hold it, the MD5 sum that genmsg computes)."""
    names = [f"{rng.choice('abc')}_msgs/T{i}" for i in range(rng.randrange(6))]
    texts = {}
    for i, name in enumerate(names):  # each may use those before it
        texts[name] = random_text(rng, name, names[:i])
    header_name = rng.choice(["std_msgs/Header", "roslib/Header"])
    text = random_text(rng, main, names)
    context = genmsg.MsgContext.create_default()
    header_text = "uint32 seq\ntime stamp\nstring frame_id\n"
    genmsg.msg_loader.load_msg_from_string(context, header_text, "std_msgs/Header")
    for name in names:
        genmsg.msg_loader.load_msg_from_string(context, texts[name], name)
    spec = genmsg.msg_loader.load_msg_from_string(context, text, main)
    blocks = list(texts.items()) + [(header_name, header_text)]
    rng.shuffle(blocks)
    whole = text + "".join(SEPARATOR + name + "\n" + block for name, block in blocks)
    return main, whole, genmsg.compute_md5(context, spec)


def random_text(rng, name, usable):
    package = name.split("/")[0]
    lines = []
    for i in range(rng.randrange(8)):
        indent, gap = " " * rng.choice([0, 0, 1, 3]), " " * rng.choice([1, 1, 2, 5])
        comment = rng.choice(["", "", " # a = b", "#c", "\r"])
        kind = rng.randrange(7)
        if kind == 0:
            value = rng.choice(["x", "a # b", "=", "", "\"q\" ", "é"])
            lines.append(f"{indent}string{gap}S{i}{rng.choice(['', ' '])}={value}")
        elif kind == 1:
            type_ = rng.choice(["int8", "byte", "uint64"])
            lines.append(f"{indent}{type_}{gap}C{i} = {i}{comment}")
        elif kind == 2:
            lines.append(rng.choice(["", "# only = a comment", "   "]))
        else:
            lines.append(f"{indent}{random_type(rng, package, usable)}{gap}f{i}{comment}")
    return "\n".join(lines) + rng.choice(["", "\n", "\n\n"])


def random_type(rng, package, usable):
    base = rng.choice(["bool", "int32", "float64", "string", "time", "duration", "char", "Header"])
    if usable and rng.random() < 0.5:
        base = rng.choice(usable)
        base = base.removeprefix(package + "/") if rng.random() < 0.5 else base
    brackets = rng.choice(["", "", "[]", "[3]", "[012]"])
    return base + ("" if base == "Header" else brackets)


class SearchPath(WithFolder):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.tree = cls.folder / "tree"
        for type_, message in cls.messages.items():
            package, name = type_.split("/")
            file = cls.tree / package / "msg" / f"{name}.msg"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(own_text(message))

    def supplied(self, bag, *options, **more):
        """{topic: (type, md5sum, definition)} in the bag that convert makes."""
        out = self.folder / "supplied.bag"
        kitbag("convert", "-f", bag, out, *options, **(more or NO_ENVIRONMENT))
        with rosbag.Bag(str(out), skip_index=True) as real:
            return {c.topic: (c.datatype, c.md5sum, c.msg_def) for c in real._connections.values()}

    def test_every_installed_message_is_found(self):
        expected = {f"/{i}": (m._type, m._md5sum, m._full_text)
                    for i, m in enumerate(self.messages.values())}
        bag = write_v1_1(self.folder / "all.bag",
                         [(topic, type_, md5sum, i, b"payload")
                          for i, (topic, (type_, md5sum, _)) in enumerate(expected.items())])
        found = self.supplied(bag, "--definitions", self.tree)
        for topic, (type_, md5sum, text) in expected.items():
            text = text if md5sum != "d41d8cd98f00b204e9800998ecf8427e" else ""
            self.assertEqual(found[topic], (type_, md5sum, text))
        system = {t for t in self.messages
                  if Path("/usr/share", t.replace("/", "/msg/") + ".msg").exists()}
        here = self.supplied(bag)
        for topic, (type_, md5sum, text) in expected.items():
            if type_ in system:
                self.assertEqual(here[topic], (type_, md5sum, text))

    def test_the_standard_messages_are_part_of_kitbag(self):
        messages = list(self.messages.values())
        bag = write_v1_1(self.folder / "standard.bag",
                         [(f"/{i}", m._type, m._md5sum, i, b"payload")
                          for i, m in enumerate(messages)])
        out = self.folder / "supplied.bag"
        found = self.supplied(bag)
        for i, message in enumerate(messages):
            self.assertEqual(found[f"/{i}"][:2], (message._type, message._md5sum))
            has_fields = message._md5sum != "d41d8cd98f00b204e9800998ecf8427e"
            self.assertEqual(bool(found[f"/{i}"][2]), has_fields, message._type)
        with rosbag.Bag(str(out), skip_index=True) as real:
            for connection in real._connections.values():
                self.assertFalse(is_doubted(connection), connection.datatype)

    def test_the_environment_names_folders(self):
        string = self.messages["std_msgs/String"]
        bag = write_v1_1(self.folder / "string.bag",
                         [("/0", "std_msgs/String", string._md5sum, 1, b"\1\0\0\0x")])
        expected = {"/0": ("std_msgs/String", string._md5sum, string._full_text)}
        deep = self.folder / "workspace" / "src" / "stack"
        shutil.copytree(self.tree / "std_msgs", deep / "std_msgs")
        prefix = self.folder / "prefix"
        shutil.copytree(self.tree, prefix / "share")
        for name, folder in (("KITBAG_DEFINITIONS", self.tree), ("AMENT_PREFIX_PATH", prefix),
                             ("ROS_PACKAGE_PATH", self.folder / "workspace")):
            found = self.supplied(bag, env={name: f"/nowhere:{folder}", "PATH": "/usr/bin"})
            self.assertEqual(found, expected, name)

    def test_real_rosbag_reads_what_was_unknown(self):
        for type_, md5sum in (("*", "*"), ("std_msgs/String", "*"), ("std_msgs/Gone", "*"),
                              ("*", "992ce8a1687cec8c8bd883ec73ca41d1")):
            with self.subTest(f"{type_} {md5sum}"):
                payload = b"\3\0\0\0abc"
                bag = write_v1_0(self.folder / "old.bag", "world", (md5sum, type_), [(4, payload)])
                found = self.supplied(bag, "--definitions", self.tree)["world"]
                expected = type_ if type_ != "*" else "unknown/Unknown"
                self.assertEqual(found[0], expected)
                out = self.folder / "supplied.bag"
                with contextlib.redirect_stderr(io.StringIO()):
                    messages = ros1.messages(out)
                self.assertEqual(digest(messages),
                                 digest([("world", expected, 4_000_000_000, payload)]))
                with rosbag.Bag(str(out)) as real:  # as YAML it prints "md5: *", which is none
                    self.assertIn("types:       " + expected, str(real))
                connection = dict(ros1.connections(out)[0])
                self.assertEqual(connection.get("original_type"), "*" if type_ == "*" else None)
                if type_ == "*":
                    self.assertEqual(connection["original_md5sum"], md5sum)
                    self.assertEqual(connection["md5sum"], "*")


if __name__ == "__main__":
    peers.main()
