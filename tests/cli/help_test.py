#!/usr/bin/env python3
"""What the program says of itself."""

import re

from cli import SELECTIONS, VERBS, WRITING_VERBS, CliTest, main

OPTION = re.compile(r"^  (?:-\w,)?(--[\w-]+)", re.M)
STORAGE = {"--compression", "--chunk-size", "--chunk-duration", "--sync", "--threads", "--io",
           "--force", "--ros-distro",
           "--format", "--format-version", "--preset", "--metadata-version", "--no-chunks",
           "--no-crc"}
TARGET = STORAGE | {"--definitions", "--rename", "--append", "--force", "--split-size",
                    "--split-duration", "--split-messages", "--gpg-key"}
WHERE = {"--where", "--on-error"}
EVOLUTION = {"--to-definitions", "--migrate"}
PAYLOAD = WHERE | EVOLUTION | {"--encoding"}
PRINT = {"--format", "--fields", "--nan", "--bytes", "--escape-formulas", "--on-error",
         "--definitions"}
REPAIR = STORAGE | {"--in-place", "--json", "--definitions", "--gpg-key"}
SELECT = set(SELECTIONS)
TAKING = {"--storage-format", "--ignore-crc", "--read-threads", "--max-memory", "--allow-outside"}
READING = TAKING | {"--strict", "--gpg-key"}
TOPICS = {"--topics", "--regex", "--exclude", "--exclude-regex", "--types"}
STREAM = TOPICS | PAYLOAD | {"--buffer", "--on-full", "--throttle", "--definitions"}
# Every option of every verb; each of them is tried in the other tests of this folder.
OPTIONS = {
    "record": STREAM | STORAGE | {"--all", "--from", "--output", "--split-size", "--split-duration",
                                  "--split-messages", "--repeat-latched", "--no-repeat-latched",
                                  "--max-files", "--max-total-size", "--max-age",
                                  "--min-free-space", "--snapshot", "--duration", "--limit",
                                  "--start-paused", "--use-sim-time", "--control", "--json",
                                  "--node-name", "--qos-overrides", "--static-topics",
                                  "--include-hidden-topics"},
    "play": READING | TOPICS | PAYLOAD | {"--to", "--start", "--end", "--duration", "--by",
                                          "--rename", "--definitions", "--rate", "--clock",
                                          "--delay", "--loop", "--skip-empty", "--start-paused",
                                          "--until-topic", "--control", "--read-ahead",
                                          "--wait-for-subscribers", "--node-name",
                                          "--qos-overrides"},
    "pipe": STREAM,
    "control": set(),
    "info": READING | {"--json", "--verbose"},
    "cat": SELECT | READING | PRINT | EVOLUTION | {"--where"},
    "echo": READING | PRINT | EVOLUTION | {"--topics", "--regex", "--exclude", "--exclude-regex",
                                           "--types", "--start", "--count", "--where"},
    "nth": READING | PRINT | {"--order", "--by"},
    "list": READING | {"--json"},
    "types": READING | {"--language", "--definitions"},
    "du": SELECT | READING | {"--json"},
    "get": READING | {"--output", "--force"},
    "add": {"--name", "--media-type", "--time"},
    "diff": SELECT | READING | {"--ignore-time"},
    "check": READING - {"--strict"} | EVOLUTION,
    **{verb: TAKING | REPAIR for verb in ("repair", "reindex", "recover")},
    **{verb: SELECT | TAKING | TARGET | PAYLOAD for verb in WRITING_VERBS},
}


class HelpTest(CliTest):
    def test_the_program_lists_its_verbs(self):
        text = self.kitbag("--help")
        for verb in VERBS:
            self.assertRegex(text, rf"(?m)^  {verb} +\w")
        self.assertIn("Examples:\n", text)

    def test_without_a_verb_it_helps_but_has_done_nothing(self):
        self.assertEqual(self.kitbag(code=2), self.kitbag("--help"))

    def test_version(self):
        self.assertRegex(self.kitbag("--version"), r"\Akitbag \d+\.\d+\.\d+\n\Z")

    def test_every_verb_teaches(self):
        for verb in VERBS:
            text = self.kitbag(verb, "--help")
            self.assertRegex(text, rf"(?m)^Usage: kitbag {verb} \[OPTIONS\]")
            example = "repair" if verb in ("reindex", "recover") else verb
            self.assertRegex(text, rf"(?m)^Examples:\n  kitbag {example} ")
            self.assertEqual(text, self.kitbag(verb, "-h"))

    def test_presets_name_the_convert_they_are(self):
        for verb in WRITING_VERBS[1:]:
            self.assertIn("convert", self.kitbag(verb, "--help").splitlines()[0])

    def test_it_fits_on_a_screen(self):
        for verb in VERBS:
            for line in self.kitbag(verb, "--help").splitlines():
                self.assertLessEqual(len(line), 100, line)

    def test_no_option_is_forgotten(self):
        for verb in VERBS:
            found = set(OPTION.findall(self.kitbag(verb, "--help"))) - {"--help"}
            self.assertEqual(found, OPTIONS[verb] | {"--plugin"}, verb)


if __name__ == "__main__":
    main()
