#!/usr/bin/env python3
"""What the program says of itself."""

import re

from cli import SELECTIONS, VERBS, WRITING_VERBS, CliTest, main

OPTION = re.compile(r"^  (?:-\w,)?(--[\w-]+)", re.M)
# An option and the first word of its text, which may be on the next line.
FIRST_WORD = re.compile(r"^  (-\S+)(?: \S+)?(?: {2,}|\n {10,})(\S+)", re.M)
# Texts of options begin with an imperative.
IMPERATIVES = set("""
    Accept Answer Append Begin Close Compress Convert Copy Decode Decompress Decrypt Delete Draw
    Encrypt Fail Handle Ignore Include Keep Limit Listen Load Loop Note Open Order Pause Play Print
    Publish Put Read Record Rename Repeat Replace Search Select Send Serve Set Skip Start Stop
    Subscribe Sync Upload Use Wait Write""".split())
MOST_LINES = 40  # of a verb's help
MOST_LINES_OF_THE_PROGRAM = 67
MOST_COLUMNS = 100
STORAGE = {"--compression", "--chunk-size", "--chunk-duration", "--sync", "--threads", "--io",
           "--force", "--ros-distro",
           "--format", "--format-version", "--preset", "--metadata-version", "--no-chunks",
           "--no-crc"}
OUTPUT = {"--output", "--output-dir", "--recursive"}
TARGET = STORAGE | OUTPUT | {"--jobs", "--json", "--definitions", "--rename", "--prefix",
                             "--append", "--force", "--split-size", "--split-duration",
                             "--split-messages", "--gpg-key"}
WHERE = {"--where", "--on-error"}
EVOLUTION = {"--to-definitions", "--migrate"}
CHANGES = {"--every", "--throttle", "--dedupe", "--shift", "--align-to-header", "--no-metadata",
           "--no-attachments", "--encode-video", "--no-key-frames"}
PAYLOAD = WHERE | EVOLUTION | {"--encoding"}
PRINT = {"--format", "--fields", "--nan", "--int64", "--bytes", "--escape-formulas", "--on-error",
         "--definitions", "--time-format", "--color", "--elide", "--full"}
REPAIR = STORAGE | OUTPUT | {"--in-place", "--json", "--definitions", "--gpg-key"}
SELECT = set(SELECTIONS)
CACHES = {"--cache-memory", "--cache-dir", "--cache-disk"}
TAKING = CACHES | {"--storage-format", "--ignore-crc", "--read-threads", "--max-memory",
                   "--allow-outside"}
READING = TAKING | {"--strict", "--gpg-key"}
TOPICS = {"--topics", "--regex", "--exclude", "--exclude-regex", "--types", "--services",
          "--exclude-services", "--actions", "--exclude-actions"}
ROS = {"--node-name", "--qos-overrides", "--include-hidden-topics"}
STREAM = TOPICS | PAYLOAD | {"--buffer", "--on-full", "--throttle", "--definitions"}
RECORDING = {"--split-size", "--split-duration", "--split-messages", "--repeat-latched",
             "--no-repeat-latched", "--max-files", "--max-total-size", "--max-age",
             "--min-free-space", "--snapshot", "--start-paused", "--use-sim-time", "--node-name",
             "--qos-overrides", "--static-topics", "--include-hidden-topics",
             "--encode-video"}
UPLOAD = {"--upload", "--upload-rate", "--robot"}
# Every option of every verb; each of them is tried in another test.
OPTIONS = {
    "record": RECORDING | STREAM | STORAGE | UPLOAD | {
        "--all", "--all-services", "--all-actions", "--from", "--output", "--join", "--duration",
        "--limit", "--control", "--json", "--upload-wait"},
    "play": READING | TOPICS | PAYLOAD | {"--to", "--start", "--end", "--duration", "--by",
                                          "--rename", "--prefix", "--definitions", "--rate",
                                          "--no-key-frames",
                                          "--immediate", "--count", "--clock",
                                          "--delay", "--loop", "--keep-alive",
                                          "--skip-empty", "--start-paused",
                                          "--until-topic", "--control", "--read-ahead",
                                          "--wait-for-subscribers", "--node-name",
                                          "--publish-service-requests",
                                          "--service-requests-source", "--send-actions-as-client",
                                          "--qos-overrides"},
    "pipe": STREAM,
    "view": {"--no-browser", "--panels", "--definitions"},
    "serve": {"--port", "--bind", "--public-url", "--tls-cert", "--tls-key", "--token",
              "--password-file", "--allow-origin", "--latched", "--no-default-latched",
              "--local-time", "--live", "--cache-dir", "--max-cache-size",
              "--max-slice-size", "--max-work", "--record", "--allow-publish", "--allow-sql",
              "--panels"}
             | {"--allow-uri", "--catalog", "--drain-time", "--drain-delay"} | CACHES
             | UPLOAD  # tried in tests/server
             | RECORDING | STREAM | STORAGE - {"--force"},  # tried in tests/server
    "control": set(),
    "upload": {"--delete", "--follow", "--json", "--robot", "--upload-rate"},
    "find": READING | {"--topics", "--types", "--between", "--longer-than", "--where", "--json",
                       "--definitions", "--catalog", "--tag", "--last", "--events", "--cut",
                       "--to", "--force", "--links", "--no-key-frames"},
    "catalog": READING | {"--tag", "--note", "--event", "--text", "--json", "--index-only",
                          "--every", "--forget-missing", "--checksums", "--damaged", "--dropped",
                          "--topic", "--at", "--output", "--force"},
    "ls": {"--long", "--recursive", "--bags", "--link", "--json"},
    "batch": {"--from", "--to", "--on", "--jobs", "--retry", "--replace", "--plan", "--job",
              "--json", "--catalog",
              "--bags-per-task", "--sbatch"},  # tried in tests/interop/slurm_test.py
    "cp": {"--force", "--recursive", "--jobs", "--verify", "--json"},
    "info": READING | {"--json", "--verbose", "--recursive", "--yaml", "--key"},
    "cat": ({"--recursive", "--where", "--split-by-topic"} | SELECT | READING | PRINT | EVOLUTION),
    "head": {"--recursive", "--where"} | SELECT | READING | PRINT | EVOLUTION,
    "tail": ({"--recursive", "--where", "--count", "--start", "--end", "--duration", "--by"}
             | TOPICS | READING | PRINT | EVOLUTION),
    "export": ({"--output", "--force", "--format", "--json", "--recursive", "--fields", "--time",
                "--partition", "--time-format", "--escape-formulas", "--config",
                "--definitions", "--crf", "--preset", "--frame"}
               | WHERE | SELECT | READING | EVOLUTION),
    "plot": TOPICS | READING | WHERE | {"--output", "--force", "--format", "--against", "--equal",
                                        "--stack", "--y", "--times", "--gap", "--title", "--size",
                                        "--theme", "--width", "--height", "--color", "--fields",
                                        "--start", "--end", "--duration", "--count", "--by",
                                        "--definitions", "--recursive"},
    "import": {"--output", "--json", "--topic", "--type", "--time-column", "--time-unit",
               "--ignore-columns", "--delimiter", "--encoding", "--definitions"} | STORAGE,
    "topics": TOPICS | ROS | {"--verbose", "--rates", "--watch", "--json", "--wait"},
    "echo": READING | PRINT | EVOLUTION | TOPICS | ROS | {"--start", "--count", "--once",
                                                          "--where"},
    "publish": ROS - {"--include-hidden-topics"} | {
        "--rate", "--count", "--once", "--latch", "--keep-alive", "--wait-for-subscribers",
        "--encoding", "--definitions"},
    "nth": READING | PRINT | {"--order", "--by"},
    "sql": READING | {"--engine", "--format", "--on-error", "--definitions", "--catalog"},
    "list": READING | {"--json", "--recursive"},
    "types": READING | {"--language", "--json", "--definitions"},
    "du": SELECT | READING | {"--json", "--recursive"},
    "stats": TOPICS | READING | {"--json", "--recursive", "--gap", "--definitions", "--start",
                                 "--end", "--duration"},
    "get": READING | {"--number", "--output", "--force"},
    "add": {"--name", "--media-type", "--time", "--create-time"},
    "diff": SELECT | READING | {"--ignore-time", "--json"},
    "check": READING - {"--strict"} | EVOLUTION | {"--decode", "--json", "--recursive"},
    "rosbag": {"--print"},  # tried in coming_from_test.py
    "bag": {"--print"},
    "mcap": {"--print"},
    "rostopic": {"--print"},
    "topic": {"--print"},
    **{verb: TAKING | REPAIR for verb in ("repair", "reindex", "recover")},
    **{verb: SELECT | TAKING | TARGET | PAYLOAD | CHANGES for verb in WRITING_VERBS},
}


class HelpTest(CliTest):
    texts = {}

    def help_of(self, *words):
        """What `kitbag WORDS` prints, which is asked for once."""
        if words not in self.texts:
            self.texts[words] = self.kitbag(*words)
        return self.texts[words]

    def test_the_program_lists_its_verbs(self):
        text = self.help_of("--help")
        verbs = re.findall(r"(?m)^  ([a-z]+) +[A-Z]", text)
        self.assertEqual(sorted(verbs), sorted(VERBS))
        self.assertIn("Examples:\n", text)

    def test_without_a_verb_it_helps_but_has_done_nothing(self):
        self.assertEqual(self.kitbag(code=2), self.help_of("--help"))

    def test_help_is_a_verb_too(self):
        self.assertEqual(self.kitbag("help"), self.help_of("--help"))
        for verb in VERBS:
            self.assertEqual(self.kitbag("help", verb), self.help_of(verb, "--help"))
        self.assertEqual(self.kitbag("help", "cat", "--help-all"),
                         self.help_of("cat", "--help-all"))

    def test_version(self):
        self.assertRegex(self.kitbag("--version"), r"\Akitbag \d+\.\d+\.\d+\n\Z")

    def test_the_program_explains_exit_codes(self):
        text = self.help_of("--help-all")
        self.assertTrue(text.startswith(self.help_of("--help")))
        self.assertIn("Exit codes:", text)

    def test_every_verb_teaches(self):
        for verb in VERBS:
            example = "repair" if verb == "recover" else verb
            for option in ("--help", "--help-all"):
                text = self.help_of(verb, option)
                self.assertRegex(text, rf"(?m)^Usage: kitbag {verb} \[OPTIONS\]")
                self.assertRegex(text, rf"(?m)^Examples:\n  kitbag {example} ")
            self.assertEqual(self.help_of(verb, "--help"), self.help_of(verb, "-h"))

    def test_examples_use_what_help_shows(self):
        # The others have options of other tools.
        for verb in set(VERBS) - {"rosbag", "bag", "mcap", "rostopic", "topic"}:
            text = self.help_of(verb, "--help")
            examples = text.partition("Examples:\n")[2].partition("\n\n")[0]
            used = set(re.findall(r" (--[a-z0-9-]+)", examples))
            self.assertLessEqual(used, set(OPTION.findall(text)), verb)
            self.assertLessEqual(examples.count("\n"), 2, verb)

    def test_presets_name_the_convert_they_are(self):
        for verb in WRITING_VERBS[1:]:
            self.assertIn("convert", self.help_of(verb, "--help").splitlines()[0])

    def test_it_fits_on_a_screen(self):
        for words in ([], *([verb] for verb in VERBS)):
            lines = self.help_of(*words, "--help").splitlines()
            most = MOST_LINES if words else MOST_LINES_OF_THE_PROGRAM
            self.assertLessEqual(len(lines), most, words)
            for line in (*lines, *self.help_of(*words, "--help-all").splitlines()):
                self.assertLessEqual(len(line), MOST_COLUMNS, line)

    def test_what_is_short_says_where_all_is(self):
        for verb in VERBS:
            short, full = self.help_of(verb, "--help"), self.help_of(verb, "--help-all")
            if short != full:
                self.assertLess(len(OPTION.findall(short)), len(OPTION.findall(full)))
                self.assertLessEqual(set(OPTION.findall(short)), set(OPTION.findall(full)))
                self.assertTrue(
                    short.endswith(f"\n\nkitbag {verb} --help-all lists all options.\n"))

    def test_no_option_is_forgotten(self):
        for verb in VERBS:
            found = set(OPTION.findall(self.help_of(verb, "--help-all")))
            self.assertEqual(found, OPTIONS[verb] | {"--help", "--help-all", "--plugin"}, verb)

    def test_options_begin_with_an_imperative(self):
        for verb in VERBS:
            text = self.help_of(verb, "--help-all")
            first = dict(FIRST_WORD.findall(text))
            self.assertEqual(len(first), len(OPTION.findall(text)), verb)
            self.assertEqual({option: word for option, word in first.items()
                              if word not in IMPERATIVES}, {}, verb)

    def test_values_with_units_are_explained(self):
        for verb in VERBS:
            text = self.help_of(verb, "--help-all")
            for value in ("TIME", "DURATION", "SIZE"):
                is_taken = re.search(rf"(?m)^  -.*\b{value}\b", text) is not None
                is_explained = re.search(rf"(?m)^  {value} +\w", text) is not None
                self.assertEqual(is_taken, is_explained, (verb, value))


if __name__ == "__main__":
    main()
