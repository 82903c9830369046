#!/usr/bin/env python3
"""Makes Debian's changelog of the packages from CHANGELOG.md.

What is unreleased is the entry of the version that is built. The time is SOURCE_DATE_EPOCH, so that
the same sources make the same bytes.
"""

import argparse
import gzip
import os
import re
import textwrap
import time
from email.utils import formatdate
from pathlib import Path

COLUMNS = 78
ENTRY = re.compile(r"^## (.*)$", re.MULTILINE)
ITEM = re.compile(r"^\* (.*?)(?=^\* |\Z)", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[([^]]*)\]\([^)]*\)")


def plain(text):
    """Markdown as text: links are their words, and code has no marks."""
    return LINK.sub(r"\1", " ".join(text.split())).replace("`", "")


def items_of(entry):
    for item in ITEM.findall(entry):
        yield textwrap.fill(plain(item), COLUMNS, initial_indent="  * ", subsequent_indent="    ",
                            break_long_words=False, break_on_hyphens=False)


def changelog(markdown, version, maintainer, seconds):
    """The newest entry of the text, which is that of `version`."""
    entries = ENTRY.split(markdown)[1:]  # titles and texts in turn
    items = list(items_of(entries[1]))
    if not items:
        raise SystemExit(f"changelog.py: the entry {entries[0]!r} has no items")
    return "\n".join([f"kitbag ({version}) bookworm; urgency=medium", "", *items, "",
                      f" -- {maintainer}  {formatdate(seconds)}", ""])


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    options.add_argument("--version", required=True)
    options.add_argument("--maintainer", required=True)
    options.add_argument("markdown", type=Path)
    options.add_argument("target", type=Path)
    chosen = options.parse_args()
    seconds = int(os.environ.get("SOURCE_DATE_EPOCH", time.time()))
    text = changelog(chosen.markdown.read_text(encoding="utf-8"), chosen.version,
                     chosen.maintainer, seconds)
    chosen.target.write_bytes(gzip.compress(text.encode(), 9, mtime=0))


if __name__ == "__main__":
    main()
