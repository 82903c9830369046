#!/usr/bin/env python3
"""Writes definitions.txt, the standard messages of ROS that kitbag knows by itself.

Usage: make.py ROS1_FOLDER MSGDEFS > definitions.txt

ROS1_FOLDER is a folder with Debian's packages of messages unpacked (`dpkg -x`): ros-std-msgs,
ros-geometry-msgs, libtf-dev and so on, with package/msg/Type.msg somewhere in it. MSGDEFS is the
folder of that name of npm's @foxglove/rosmsg-msgs-common, which has those of the releases of ROS 2,
and of Velodyne for ROS 1.

definitions.txt is included by ../standard_definitions.cpp as one string.

A definition loses its comments and spaces, which neither an MD5 sum nor a type hash counts. Of a
later release of ROS 2 only the types that differ from the releases before it are listed, in
themselves or in a type that they contain. The oldest bags have no hash, so Humble comes first.
"""

import re
import sys
from pathlib import Path

LATER = (("Jazzy", "ros2jazzy"), ("Iron", "ros2iron"), ("Galactic", "ros2galactic"))
LEFT_OUT = {"test_msgs"}
STRING_CONSTANT = re.compile(r"\s*w?string(<=\d+)?\s+\w+\s*=")


def compact(text):
    lines = []
    for line in text.splitlines():
        if STRING_CONSTANT.match(line):  # the rest of its line is its value
            lines.append(line.strip())
            continue
        line = line if '"' in line or "'" in line else line.split("#")[0]
        line = " ".join(line.split())
        if line and not line.startswith("#"):
            lines.append(line)
    return "\n".join(lines)


def definitions(folder):
    """{(package, type): text}."""
    found = {}
    for file in sorted(folder.rglob("*.msg")):
        package = file.parent.parent if file.parent.name == "msg" else file.parent
        if package.name not in LEFT_OUT:
            own = file.read_text(encoding="utf-8").split("\n" + 80 * "=")[0]
            found[package.name, file.stem] = compact(own)
    return found


def parts(name, texts):
    """The type and all that it contains."""
    seen, left = set(), [name]
    while left:
        package, kind = each = left.pop()
        if each in seen or each not in texts:
            continue
        seen.add(each)
        for line in texts[each].splitlines():
            words = re.split(r"[\[<]", line.split()[0])[0].split("/")
            left.append((words[0] if len(words) > 1 else package, words[-1]))
    return seen


def write(language, title, texts, names):
    if names:
        print(f"@ {language} {title}")
    for package, kind in sorted(names):
        print(f"= {package}/msg/{kind}.msg")
        if texts[package, kind]:
            print(texts[package, kind])


def main():
    ros1, msgdefs = map(Path, sys.argv[1:])
    print('R"kitbag(')
    texts = definitions(ros1)
    velodyne = definitions(msgdefs / "ros1" / "velodyne_msgs")
    texts.update(velodyne)
    write("ros1msg", "ROS 1 Noetic", texts, texts)
    known = [definitions(msgdefs / "ros2humble")]
    write("ros2msg", "ROS 2 Humble", known[0], known[0])
    for title, folder in LATER:
        texts = definitions(msgdefs / folder)
        names = [name for name in texts
                 if all(any(texts[part] != other.get(part) for part in parts(name, texts))
                        for other in known)]
        write("ros2msg", f"ROS 2 {title}", texts, names)
        known.append(texts)
    print(')kitbag"')


if __name__ == "__main__":
    main()
