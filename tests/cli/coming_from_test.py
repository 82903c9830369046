#!/usr/bin/env python3
"""docs/coming-from.md against the program: each row's command runs, and is what the row says."""

import os
import re
import shlex
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path

from cli import START_NS, CliTest, main
from gpg_home import ADDRESS, Home, need_gpg
from make_bag import make_bag
from peers import ROOT, program
from waiting import takes_interrupts, until

PAGE = ROOT / "docs" / "coming-from.md"
ROW = re.compile(r"^\| `(.*?)` \| (.*) \|$", re.M)
FACES = {"rosbag": "rosbag", "ros2 bag": "bag", "mcap": "mcap", "rostopic": "rostopic",
         "ros2 topic": "topic"}
# What all verbs of mcap have.
OF_ALL = "--color", "--time-format", "--allow-remote-scan", "-v", "--verbose"
DATE = re.compile(r"\d{4}-\d\d-\d\d-\d\d-\d\d-\d\d")
TOPICS = ("/chatter", "/count", "/tick", "/add/_service_event", "/dock/_action/status", "/imu")
# What only ROS 2 has; the live system of these tests is another one.
OF_ROS = re.compile(r"--(include-hidden-topics|publish-service-requests|send-actions-as-client)|"
                    r"--(qos-overrides|node-name|service-requests-source)=\S+")
LIVE_VERBS = "topics", "echo", "publish"
# Playing that does not end, or later than a test has time for.
ENDLESS = re.compile(r"--(loop|keep-alive|start-paused|delay|until-topic|wait-for-subscribers)\b|"
                     r"--watch\b|"
                     r"kitbag publish.* --rate=\d+(?!.*--count)")
RUNS_S = 60
# What docs/coming-from.md shows.
OUTPUT = """output_bags:
- uri: small
  storage_id: mcap
  topics: [/tick, /count]
  start_time_ns: 1700000001000000000
  max_bagfile_duration: 60
  compression_mode: file
  compression_format: zstd
"""

# The options of the tools, from their own help: rosbag 1.15.15; ros2 bag up to 0.33.
OPTIONS = {
    "rosbag": {
        "record": "-a --all -e --regex -x --exclude -p --publish -q --quiet -o --output-prefix -O "
                  "--output-name --split --max-splits --size --duration -b --buffsize --chunksize "
                  "-l --limit --node -j --bz2 --lz4 --tcpnodelay --udp --repeat-latched "
                  "-L --min-space",
        "play": "-p --prefix -q --quiet -i --immediate --pause --queue --clock --hz -d --delay -r "
                "--rate -s --start -u --duration --skip-empty -l --loop -k --keep-alive "
                "--try-future-version --topics --pause-topics --bags --wait-for-subscribers "
                "--rate-control-topic --rate-control-max-delay",
        "info": "-y --yaml -k --key --freq",
        "check": "-g --genrules -a --append -n --noplugins",
        "fix": "-n --noplugins --force",
        "filter": "-p --print",
        "compress": "--output-dir -f --force -q --quiet -j --bz2 --lz4",
        "decompress": "--output-dir -f --force -q --quiet",
        "reindex": "--output-dir -f --force -q --quiet",
        "encrypt": "--output-dir -f --force -q --quiet -p --plugin -r --param -j --bz2 --lz4",
        "decrypt": "--output-dir -f --force -q --quiet -j --bz2 --lz4",
    },
    "bag": {
        "record": "-o --output -s --storage --storage-config-file --storage-preset-profile "
                  "--custom-data --node-name --log-level --topics --topic-types --services -a "
                  "--all --all-topics --all-services -e --regex --exclude-regex --exclude-topics "
                  "--exclude-topic-types --exclude-services --actions --all-actions "
                  "--exclude-actions --static-topics-path --include-unpublished-topics "
                  "--include-hidden-topics --no-discovery -p --polling-interval "
                  "--ignore-leaf-topics --qos-profile-overrides-path --use-sim-time -b "
                  "--max-bag-size -d --max-bag-duration --max-bag-files --max-cache-size "
                  "--max-cache-duration --snapshot-mode --repeat-transient-local "
                  "--compression-mode --compression-format --compression-queue-size "
                  "--compression-threads --compression-threads-priority -f "
                  "--serialization-format --start-paused --disable-keyboard-controls "
                  "--stats_max_publishing_rate",
        "play": "-i --input -s --storage --read-ahead-queue-size -r --rate --topics --services "
                "--actions -e --regex -x --exclude-regex --exclude-topics --exclude-services "
                "--exclude-actions --qos-profile-overrides-path -l --loop -m --remap "
                "--storage-config-file --clock --clock-topics --clock-topics-all -d --delay "
                "--playback-duration --playback-until-sec --playback-until-nsec --start-offset -p "
                "--start-paused --disable-keyboard-controls --wait-for-all-acked "
                "--disable-loan-message --publish-service-requests --service-requests-source "
                "--send-actions-as-client --message-order --progress-bar-update-rate "
                "--progress-bar-separation-lines --log-level",
        "burst": "-s --storage --read-ahead-queue-size --topics --services --actions "
                 "--qos-profile-overrides-path -m --remap --storage-config-file --start-offset -n "
                 "--num-messages",
        "info": "-s --storage -t --topic-name -v --verbose --sort",
        "reindex": "-s --storage",
        "convert": "-i --input --input-options -o --output-options",
        "list": "-v --verbose",
    },
    "rostopic": {
        "list": "-b --bag -v --verbose -p -s --host",
        "info": "",
        "type": "",
        "find": "",
        "hz": "-w --window --filter --wall-time --tcpnodelay",
        "bw": "-w --window",
        "delay": "",
        "echo": "-b --bag -p -w --filter --nostr --noarr -c --clear -a --all -n --offset",
        "pub": "-v -r --rate -1 --once -f --file -l --latch -s --substitute-keywords "
               "--use-rostime -p --param",
    },
    "topic": {
        "list": "--spin-time -s --use-sim-time --no-daemon -t --show-types -c --count-topics "
                "--include-hidden-topics -v --verbose",
        "info": "--spin-time -s --use-sim-time --no-daemon -v --verbose",
        "type": "--spin-time -s --use-sim-time --no-daemon",
        "find": "--spin-time -s --use-sim-time --no-daemon -c --count-topics "
                "--include-hidden-topics",
        "hz": "--spin-time -s --use-sim-time -w --window --filter --wall-time",
        "bw": "--spin-time -s --use-sim-time -w --window",
        "delay": "--spin-time -s --use-sim-time -w --window",
        "echo": "--spin-time -s --use-sim-time --no-daemon --qos-profile --qos-depth --qos-history "
                "--qos-reliability --qos-durability --qos-liveliness "
                "--qos-liveliness-lease-duration-seconds --csv --field -f --full-length -l "
                "--truncate-length --no-arr --no-str --flow-style --lost-messages "
                "--no-lost-messages --raw --filter --once --timeout --include-message-info "
                "--clear",
        "pub": "-r --rate -p --print -1 --once -t --times -w --wait-matching-subscriptions "
               "--max-wait-time-secs --keep-alive -n --node-name --stdin --yaml-file --spin-time "
               "-s --use-sim-time --qos-profile --qos-depth --qos-history --qos-reliability "
               "--qos-durability --qos-liveliness --qos-liveliness-lease-duration-seconds",
    },
    "mcap": {verb: f"{options} {' '.join(OF_ALL)}" for verb, options in {
        "info": "",
        "cat": "--topics --start-secs --start-nsecs --end-secs --end-nsecs --format --json",
        "filter": "-o --output --output-file -y --include-topic-regex -n --exclude-topic-regex "
                  "-l --last-per-channel-topic-regex -S --start-secs -s --start --start-nsecs -E "
                  "--end-secs -e --end --end-nsecs --exclude-metadata --exclude-attachments "
                  "--include-metadata --include-attachments --compression --output-compression "
                  "--chunk-size --no-crc --no-chunks --order",
        "compress": "-o --output --output-file --compression --output-compression --chunk-size "
                    "--no-crc --order",
        "decompress": "-o --output --output-file --compression --output-compression --chunk-size "
                      "--no-crc --order",
        "sort": "-o --output --output-file --compression --output-compression --chunk-size "
                "--no-crc --no-chunks",
        "merge": "-o --output --output-file --compression --output-compression --chunk-size "
                 "--no-crc --no-chunks --allow-duplicate-metadata --coalesce-channels",
        "recover": "-o --output --output-file --compression --output-compression --chunk-size",
        "doctor": "--strict-message-order",
        "convert": "--ament-prefix-path --compression --output-compression --chunk-size --no-crc "
                   "--no-chunks",
        "du": "--approximate",
        "list": "",
        "get": "-n --name --offset -o --output --output-file",
        "add": "-f --file -n --name -k --key --content-type --log-time --creation-time",
    }.items()},
}

SEVERAL = """output_bags:
- {uri: some/, topics: [/tick], services: [/add], max_cache_size: 100, custom_data: ~}
- {uri: topics, storage_id: sqlite3, all_topics: true, exclude_topic_types: [std_msgs/msg/Int32]}
- {uri: hidden, all_services: true, all_actions: true, snapshot_mode: false}
- {uri: all, all: true, topics: [/tick], end_time_ns: 1700000000300000000}
"""


def rows(tool):
    """(their command line, what the page says of it) of the tables of one tool."""
    text = PAGE.read_text().partition(f"\n## {tool}\n")[2].partition("\n## ")[0]
    found = [(line.replace(r"\|", "|"), said.replace(r"\|", "|")) for line, said in
             ROW.findall(text)]
    assert len(found) > 10, tool
    return found


def is_ours(said):
    return said.startswith("`kitbag ")


def spellings(face):
    """{option: (verb, all its names)} that the program lists for a tool."""
    return {verb: re.findall(r"(?m)^  (-\S+) ", subprocess.run(
        [program(), face, verb, "--help"], capture_output=True, text=True, check=True).stdout)
        for verb in OPTIONS[face]}


class ComingFrom(CliTest):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.fixture = Path(folder.name)
        make_bag(cls.fixture / "run.bag", start_ns=START_NS, topics=TOPICS, messages=300)
        make_bag(cls.fixture / "other.bag", start_ns=START_NS, topics=("/other",), messages=30)
        for name in ("copy.bag", "old.bag", "recorded1.bag", "recorded2.bag"):
            shutil.copy(cls.fixture / "run.bag", cls.fixture / name)
        for line in ("convert run.bag run.mcap", "convert other.bag other.mcap",
                     "split run.bag drive/ --split-messages 100 --format sqlite3",
                     "convert run.bag run.db3 --encoding cdr"):
            subprocess.run([program(), *line.split()], cwd=cls.fixture, check=True,
                           capture_output=True)
        (cls.fixture / "note.txt").write_text("a note")
        for line in ("attachment note.txt", "metadata shift name=Jane"):
            subprocess.run([program(), "add", "run.mcap", *line.split()], cwd=cls.fixture,
                           check=True, capture_output=True)
        (cls.fixture / "topics.yaml").write_text(
            "static_topics_and_types_list:\n  - [/odom, nav_msgs/msg/Odometry]\n")
        (cls.fixture / "in.yaml").write_text("input_bags:\n- {uri: run.mcap, storage_id: mcap}\n")
        (cls.fixture / "out.yaml").write_text(OUTPUT)
        (cls.fixture / "qos.yaml").write_text("/odom: {reliability: reliable, depth: 10}\n")

    def setUp(self):
        super().setUp()
        shutil.rmtree(self.folder)
        shutil.copytree(self.fixture, self.folder)

    def fresh(self):
        shutil.rmtree(self.folder)
        shutil.copytree(self.fixture, self.folder)

    def run_until_stopped(self, words):
        control = self.folder / "control"
        if words[0] == "record":  # makes it just before it begins
            words = [*words, "--control", control]
        with tempfile.TemporaryFile() as printed, subprocess.Popen(
                [program(), *words], cwd=self.folder, stderr=subprocess.PIPE, stdout=printed,
                text=True) as process:
            def is_at_work():
                is_there = {"topics": os.fstat(printed.fileno()).st_size > 0,
                            "record": control.exists()}.get(words[0], True)
                return process.poll() is not None or is_there and takes_interrupts(process)
            try:
                until(is_at_work, f"{words} at work")
                _, said = process.communicate(timeout=0.7)
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGINT)
                _, said = process.communicate(timeout=RUNS_S)
            finally:
                process.kill()
        if "--use-sim-time" in words:  # a warning says that nobody publishes /clock
            said = re.sub(r"kitbag: warning: (nothing was published on /clock|\d+ dropped).*\n",
                          "", said)
        sends_nothing = words[0] == "publish" and "--wait-for-subscribers" in words
        expected = (2, "kitbag: interrupted; nothing was sent\n") if sends_nothing else (0, "")
        self.assertEqual((process.returncode, said), expected, words)

    def run_ours(self, line):
        """Runs our command line, with a live system that needs nothing else."""
        words = [word for word in shlex.split(line.removeprefix("kitbag "))
                 if not word.startswith(("--from=", "--to="))]
        if words[0] == "record":
            words = [word for word in words if not OF_ROS.fullmatch(word)]
            words += ["--from", "demo://?seconds=0.2&seed=7"]
        elif words[0] == "play":
            words = [word for word in words if not OF_ROS.fullmatch(word)]
            words += ["--to", f"zmq+ipc://{self.path('socket')}?bind=1&pattern=pubsub"]
            if "--rate=2" not in words and "--immediate" not in words:
                words += ["--rate", "100"]
        elif words[0] in LIVE_VERBS:
            system = "demo://?seconds=0.2&seed=7"
            if words[0] == "publish":
                system = f"zmq+ipc://{self.path('socket')}?bind=1&pattern=pubsub"
            words = [system if word.startswith(("ros1:", "ros2:")) else word for word in words
                     if not OF_ROS.fullmatch(word)]
        if ENDLESS.search(line):
            return self.run_until_stopped(words)
        given = (self.folder / "run.mcap").read_bytes() if "-" in words else None
        if "<" in words:
            at = words.index("<")
            given = (self.folder / words[at + 1]).read_bytes()
            words = words[:at]
        done = self.run_program(*words, text=False, **({"input": given} if given else {}))
        said = re.sub(r"kitbag: warning: [^\n]*\n", "", done.stderr.decode())
        self.assertEqual((done.returncode, said), (0, ""), line)
        return None

    def check_row(self, tool, line, said):
        face = FACES[tool]
        words = [ADDRESS if word == "jane@example.com" else word
                 for word in shlex.split(line.removeprefix(tool))]
        if not is_ours(said):
            done = self.run_program(face, *words)
            self.assertEqual((done.returncode, done.stdout), (2, ""), line)
            self.assertEqual(done.stderr, f"kitbag: {tool} {words[0]}: {said}\n", line)
            return
        made = self.kitbag(face, "--print", *words).rstrip("\n")
        self.assertEqual(DATE.sub("YYYY-MM-DD-HH-MM-SS", made),
                         said.strip("`").replace("jane@example.com", ADDRESS), line)
        self.run_ours(made)

    def check_tool(self, tool):
        for line, said in rows(tool):
            with self.subTest(line):
                self.fresh()
                self.check_row(tool, line, said)

    def test_rosbag(self):
        need_gpg()
        home = Home()
        self.addCleanup(home.close)
        home.make_key(f"Kitbag Test <{ADDRESS}>")
        os.environ.pop("ROS_PACKAGE_PATH", None)
        self.check_tool("rosbag")

    def test_ros2_bag(self):
        self.check_tool("ros2 bag")

    def test_mcap(self):
        self.check_tool("mcap")

    def test_rostopic(self):
        self.check_tool("rostopic")

    def test_ros2_topic(self):
        self.check_tool("ros2 topic")

    def test_rosbags(self):
        for line, said in rows("rosbags"):
            with self.subTest(line):
                self.fresh()
                self.assertTrue(is_ours(said), said)
                self.run_ours(said.strip("`"))

    def test_every_option_is_known(self):
        for face, verbs in OPTIONS.items():
            found = spellings(face)
            for verb, options in verbs.items():
                names = {name for names in found[verb] for name in names.split(",")}
                self.assertEqual(names - {"--from", "--to"}, set(options.split()), (face, verb))

    def test_every_option_has_a_row(self):
        for tool, face in FACES.items():
            lines = [line.removeprefix(tool).split() for line, _ in rows(tool)]
            for verb, options in spellings(face).items():
                used = {re.split(r"=", word)[0] for words in lines if words[0] == verb
                        for word in words[1:] if word.startswith("-")}
                for names in options:
                    is_general = tool == "mcap" and verb != "cat" and names.startswith(OF_ALL)
                    if names not in ("--from", "--to") and not is_general:
                        self.assertTrue(used & set(names.split(",")), (tool, verb, names))
                self.assertIn(verb, {words[0] for words in lines})


class OtherNames(CliTest):
    """Names of other tools in our own verbs."""

    DEMO = "demo://?seconds=1&seed=7"

    def record(self, *options, output="x.mcap"):
        self.kitbag("record", "--from", self.DEMO, *options)
        return self.info(output)

    def topics(self, bag):
        return {channel["topic"] for channel in self.info(bag)["channels"]}

    def test_record(self):
        self.assertEqual(self.record("-a", "-O", "x.mcap")["format"], "mcap")
        for number, option in enumerate(("-s", "--storage", "--storage-format")):
            name = f"y{number}"
            self.kitbag("record", "-a", "--from", self.DEMO, option, "rosbag_v2", "-o", name)
            self.assertEqual(self.info(f"{name}.bag")["format"], "rosbag", option)
        self.kitbag("record", "-a", "--from", self.DEMO, "--storage-format=sqlite3", "-o", "z")
        self.assertEqual(self.info("z.db3")["format"], "sqlite3")

    def test_record_selects_and_splits(self):
        self.record("-e", "/(odom|imu)", "-x", "/i.*", "-o", "x.mcap")
        self.assertEqual(self.topics("x.mcap"), {"/odom"})
        self.kitbag("record", "-a", "--from", self.DEMO, "-d", "0.5", "--max-bag-size=1000000000",
                    "-o", "s.mcap")
        self.assertIn("s_1.mcap", self.files())
        self.assertEqual(self.record("-l", "3", "/imu", "-o", "l.mcap",
                                     output="l.mcap")["messages"], 3)

    def test_play(self):
        to = f"zmq+ipc://{self.path('socket')}?bind=1&pattern=pubsub"
        whole = ["play", "--to", to, "--immediate"]
        self.assertIn("300 messages", self.kitbag(*whole, "-i", self.bag))
        self.assertIn("100 messages", self.kitbag(*whole, self.bag, "--start-offset", "2"))
        self.assertIn("100 messages", self.kitbag(*whole, self.bag, "--playback-duration=1"))
        self.assertIn("100 messages", self.kitbag(*whole, self.bag, "-e", "/ti.*"))
        self.assertIn("7 messages", self.kitbag(*whole, self.bag, "--count", "7"))
        self.assertIn("5 messages", self.kitbag(*whole, self.bag, "--count", "5", "--where",
                                                "topic == '/count'"))

    def test_info(self):
        bags = ["info", self.bag, self.bag]
        whole = self.kitbag("info", "-y", self.bag)
        self.assertRegex(whole, r"\Apath: \S+\nversion: 2\.0\nduration: 2\.990000\nstart: 17")
        self.assertIn("\n    - topic: /tick\n      type: std_msgs/Empty\n", whole)
        self.assertEqual(self.kitbag(*bags, "--yaml"), f"{whole}---\n{whole}")
        self.assertEqual(self.kitbag("info", "-y", "-k", "messages", self.bag), "300\n")
        types = self.kitbag("info", "-y", "--key=types", self.bag)
        self.assertRegex(types, r"\A- type: std_msgs/Empty\n  md5: d41d8cd98f00b204e9800998ecf842")
        self.kitbag("convert", self.bag, "x.mcap", "--encoding", "cdr")
        self.assertIn("\n      md5: '*'\n", self.kitbag("info", "--yaml", "x.mcap"))

    def test_conversion(self):
        self.kitbag("filter", self.bag, "out.mcap", "-y", "/t.*")
        self.assertEqual(self.topics("out.mcap"), {"/tick"})
        self.kitbag("convert", self.bag, "out.bag", "-n", "/t.*", "--bz2")
        self.assertEqual(self.topics("out.bag"), {"/chatter", "/count"})
        self.assertEqual(self.kitbag("info", "-v", self.bag),
                         self.kitbag("info", "--verbose", self.bag))

    def test_our_way(self):
        for words, saying in (
                (["play", self.bag, "--hz", "100"], "rosbag's --clock --hz 100 is --clock 100"),
                (["record", "--split", "--size", "9"], "is --split-size 100MiB here"),
                (["record", "--compression-mode=file"], "is --compression zstd_file here"),
                (["info", "--key", "size", self.bag], "--key requires --yaml"),
                (["info", "--yaml", "--json", self.bag], "--yaml cannot be combined"),
                (["info", "-y", "-k", "sise", self.bag], "no key \"sise\"; there are path, ver"),
                (["compress", "-q", self.bag], "> /dev/null"),
                (["get", self.bag, "attachment", "x", "--offset", "9"], "--number N"),
                (["cat", self.bag, "--metadata"], "kitbag list BAG metadata"),
                (["play", "--start-offset"], "--start-offset needs a value"),
                (["doctor", self.bag], "mcap's doctor is kitbag check"),
                (["pub", "/a", "std_msgs/String"], "rostopic's pub is kitbag publish"),
                (["hz", "/scan"], "rostopic's hz is kitbag topics SYSTEM TOPIC --rates"),
                (["burst", self.bag], "kitbag play --immediate --count N")):
            self.fails(*words, saying=saying)
        self.assertEqual(self.files(), ["run.bag"])

    def test_no_option_of_ours_is_hidden(self):
        source = (ROOT / "src" / "cli" / "peers" / "other_names.cpp").read_text()
        lists = dict(re.findall(r'constexpr char (k\w+)\[\] =\s*"([^"]*)"', source))
        entries = re.findall(r'^    \{(k\w+|" \w+ "), "(-[^"]+)"', source, re.M)
        self.assertGreater(len(entries), 50)
        for verbs, name in entries:
            for verb in lists.get(verbs, verbs.strip('"')).split():
                text = self.kitbag(verb, "--help-all")
                self.assertNotRegex(text, rf"(?m)^  (-\S+,)?{name}[ ,\n]", (verb, name))


class Lines(CliTest):
    """How the words of a command line are read."""

    def line(self, face, *words):
        return self.kitbag(face, "--print", *words).rstrip("\n")

    def test_it_runs_as_it_is(self):
        self.kitbag("rosbag", "filter", "run.bag", "out.bag", "topic == '/count' and m.data > 5")
        self.assertTrue(self.messages("out.bag"))
        self.assertEqual({message["topic"] for message in self.messages("out.bag")}, {"/count"})
        self.assertEqual(self.kitbag("bag", "info", "run.bag"), self.kitbag("info", "run.bag"))

    def test_a_recording_of_rosbag_is_a_bag_of_that_name(self):
        self.kitbag("rosbag", "record", "-a", "-O", "demo", "--from", "demo://?seconds=0.2")
        self.assertEqual(self.info("demo.bag")["format"], "rosbag")

    def test_a_recording_of_ros2_bag_is_a_directory(self):
        self.kitbag("bag", "record", "--all-topics", "-o", "demo", "-s", "sqlite3", "--from",
                    "demo://?seconds=0.2")
        self.assertTrue((self.folder / "demo" / "metadata.yaml").exists())

    def test_reindex_of_a_directory_writes_its_metadata(self):
        self.kitbag("split", "run.bag", "drive/", "--split-messages", "100")
        metadata = self.folder / "drive" / "metadata.yaml"
        whole = metadata.read_text()
        metadata.unlink()
        for path in "drive", "drive/":
            self.run_program("bag", "reindex", path)
            self.assertEqual(metadata.read_text(), whole)
        self.kitbag("check", "drive")

    def test_forms_of_options(self):
        for words in (["-r2"], ["-r", "2"], ["-r=2"], ["--rate=2"], ["--rate", "2"], ["--ra", "2"]):
            self.assertEqual(self.line("bag", "play", *words, "run.bag"),
                             "kitbag play run.bag --rate=2 --to=ros2://", words)
        self.assertEqual(self.line("rosbag", "compress", "-jq", "--", "run.bag"),
                         "kitbag compress run.bag --compression=bz2")
        self.assertNotIn("--split", self.line("bag", "record", "-a", "-b", "0", "-d=0", "-o", "x"))
        self.assertEqual(self.line("bag", "play", "run.bag", "--clock", "-l"),
                         "kitbag play run.bag --loop --clock=40 --to=ros2://")

    def test_what_is_printed_is_quoted_for_a_shell(self):
        made = self.line("rosbag", "filter", "run.bag", "out.bag", "topic == '/a b'")
        self.assertEqual(shlex.split(made)[-1], "--where=topic == '/a b'")

    def test_unknown_words(self):
        self.fails("rosbag", "play", "--rat-e", "2", "run.bag",
                   saying="rosbag play: has no option --rat-e; similar: --rate")
        self.fails("rosbag", "pley", "run.bag", saying='has no verb "pley"; similar: play')
        self.fails("bag", "play", "--exclude", "/a", "run.bag", saying="--exclude may be -x,--excl")
        self.fails("bag", "play", "run.bag", "--rate", saying="--rate needs a value")
        self.fails("bag", "play", "run.bag", "--loop=3", saying="--loop takes no value")
        self.fails("rosbag", "play", "--rate", "x", "run.bag", saying="--rate: invalid rate")

    def test_fix_takes_the_packages_that_are_there(self):
        package = self.folder / "ws" / "std_msgs" / "msg"
        package.mkdir(parents=True)
        (package / "Int32.msg").write_text("int64 data\nstring note\n")
        environment = {**os.environ, "ROS_PACKAGE_PATH": f"{self.folder}/ws:/nowhere"}
        self.kitbag("rosbag", "fix", "run.bag", "new.bag", env=environment)
        counts = [m["data"] for m in self.messages("new.bag", "--topics", "/count")]
        self.assertEqual(counts[0]["note"], "")

    def test_convert_writes_several_outputs(self):
        make_bag(self.path("all.bag"), start_ns=START_NS, topics=TOPICS, messages=60)
        self.kitbag("convert", "all.bag", "all.mcap", "--encoding", "cdr")
        Path(self.path("out.yaml")).write_text(SEVERAL)
        self.kitbag("bag", "convert", "-i", "all.mcap", "-o", "out.yaml")
        topics = {bag: {channel["topic"] for channel in self.info(bag)["channels"]}
                  for bag in ("some", "topics", "hidden", "all")}
        self.assertEqual(topics, {
            "some": {"/tick", "/add/_service_event"}, "topics": {"/chatter", "/imu", "/tick"},
            "hidden": {"/add/_service_event", "/dock/_action/status"}, "all": set(TOPICS)})
        self.assertEqual(self.info("some")["format"], "directory")
        self.assertTrue(Path(self.path("topics/topics_0.db3")).exists())
        self.assertLess(self.info("all")["messages"], 60)
        lines = self.line("bag", "convert", "-i", "a.mcap", "mcap", "-i", "b", "-o", "out.yaml")
        self.assertEqual(lines.count("\nkitbag convert a.mcap b "), 3)

    def test_convert_says_what_it_cannot_do(self):
        for text, saying in (
                ("output_bags: [{uri: x, topcs: [/a]}]", "unknown key topcs; similar: topics"),
                ("output_bags: [{uri: x}]", "x: no topics are chosen, so it would be empty"),
                ("output_bags: [{all: true}]", "an output has no uri"),
                ("output_bags: [{uri: x, all: true, custom_data: {a: b}}]", "kitbag add BAG"),
                ("output_bags: [{uri: x, all: true, compression_mode: part}]", "none, file and m"),
                ("output_bags: [{uri: x, all_topics: true, services: [/a]}]", "an output for each"),
                ("output_bags: [{uri: x, all: true, end_time_ns: soon}]", "invalid value \"soon\""),
                ("output_bags: [{uri: [a, b], all: true}]", "uri takes one value"),
                ("output_bags: [{uri: {a: [b]}}]", "out.yaml: line 1: \"uri\" has a value"),
                ("output_bags: []", "the list output_bags is empty"),
                ("bags: []", "out.yaml: the list \"output_bags\" is missing"),
                ("output_bags: {", "out.yaml: line 2: invalid YAML")):
            Path(self.path("out.yaml")).write_text(text + "\n")
            self.fails("bag", "convert", "-i", "run.bag", "-o", "out.yaml", saying=saying)
        self.fails("bag", "convert", "-i", "run.bag", "-o", "nope.yaml", saying="no such file")
        self.fails("bag", "convert", "-i", "run.bag", saying="-o needs a file")
        self.fails("bag", "convert", "-o", "out.yaml", saying="--input-options names the bags")
        self.assertEqual(self.files(), ["out.yaml", "run.bag"])

    def test_help_of_a_verb_is_its_table(self):
        text = self.kitbag("rosbag", "play", "--help")
        self.assertRegex(text, r"(?m)^  -r,--rate +--rate=\{\}$")
        self.assertIn("rosbag play, as kitbag does it", text)


if __name__ == "__main__":
    main()
