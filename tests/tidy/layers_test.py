#!/usr/bin/env python3
"""Static archives do not check who includes whom; this does.

Reads every `#include "module/..."` and `#include "kitbag/..."` line of the sources against the
table of layers: include only downward, and neighbours on a layer never see one another. A face
(the program, a benchmark, a test of the shared library) sees public headers and its own files only.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

LAYERS = {
    "base": 0,
    "lazy": 1,
    "io": 1,
    "net": 1,
    "compress": 1,
    "io/output": 2,
    "io/remote": 2,
    "io/local": 3,
    "model": 4,
    "stream": 5,
    "database": 5,
    "arrow": 5,
    "parquet": 6,
    "codec/positional": 6,  # what encodings by position share
    "codec/keyed": 6,  # what encodings by number or name share
    "language/ros": 5,  # what the languages of ROS share
    "transport/framing": 5,  # what transports share that carry any payload
    "language/ros1msg": 6,
    "language/ros2": 6,  # what those of ROS 2 share
    "language/ros2idl": 7,
    "language/ros2msg": 7,
    "storage/writing": 5,
    "storage/chunked": 6,
    "storage/rosbag2": 6,
    "definitions": 7,
    "payload": 8,
    "open": 9,
    "flow": 10,
    "compare": 11,
    "columns": 11,
    "import": 11,
    "pictures": 11,
    "repair": 11,
    "transforms": 11,
    "value": 11,
    "live/listen": 11,
    "live/upload": 11,
    "batch": 11,
    "plot": 12,
    "video": 12,
    "present": 12,
    "live/control": 12,
    "live/topics": 12,
    "live/publish": 12,
    "live/play": 12,
    "live/record": 12,
    "export": 13,
    "catalog": 13,
    "capi": 14,
}
# The layer of what can be plugged in and is not in the table. A storage format sees what several
# share, and no other format.
PLUGGED_IN = {"codec": 7, "language": 5, "storage": 7, "transport": 6}
# Folders inside a module's folder.
PARTS = {"definitions/standard": "definitions", "model/type": "model",
         "storage/rosbag/old": "storage/rosbag", "storage/rosbag/recovery": "storage/rosbag",
         "storage/mcap/write": "storage/mcap", "storage/sqlite3/pages": "storage/sqlite3",
         "storage/sqlite3/write": "storage/sqlite3", "export/lerobot": "export"}
# What sees the public headers alone: faces, and plugins.
FACES = {"cli": "src/cli", "server": "src/server", "sql": "src/sql", "bench": "bench",
         "python": "python/src", "tests": "tests", "transport/ros1": "src/transport/ros1",
         "transport/ros2": "src/transport/ros2", "transport/broker": "src/transport/broker",
         "transport/zmq": "src/transport/zmq", "transport/mqtt": "src/transport/mqtt",
         "transport/nats": "src/transport/nats",
         "transport/iceoryx": "src/transport/iceoryx",
         "video/libav": "src/video/libav",
         "files/remote": "src/files/remote", "database/postgres": "src/database/postgres",
         "export/hdf5": "src/export/hdf5", "export/video": "src/export/video"}
# What a face sees of another one: the program starts the server and asks the
# database; so does the server, for queries of its clients.
OF_OTHER_FACES = {("cli", "server/server.h"), ("cli", "server/api/url.h"),
                  ("cli", "server/bags/catalog_name.h"),
                  ("cli", "sql/database.h"), ("cli", "sql/fleet.h"),
                  ("cli", "sql/duckdb/database.h"), ("cli", "sql/print.h"),
                  ("server", "sql/database.h"), ("server", "sql/print.h"),
                  ("bench", "sql/database.h"),
                  ("server", "net/net_stream.h"),
                  # Owners of what libav gives, and the encoder, for both plugins.
                  ("export/video", "video/libav/av.h"),
                  ("export/video", "video/libav/picture_encoder.h"),
                  # What zmq and the transports over brokers share.
                  *((face, f"transport/framing/{header}.h")
                    for face in ("transport/broker", "transport/iceoryx", "transport/mqtt",
                                 "transport/nats", "transport/zmq")
                    for header in ("framing", "receiver")),
                  *((face, f"transport/broker/{header}.h")
                     for face in ("transport/iceoryx", "transport/mqtt", "transport/nats")
                     for header in ("address", "beginning", "endpoint", "fields", "intake",
                                    "publisher", "tcp", "within")),
                  ("transport/zmq", "transport/broker/address.h")}
# Folders of a face that see its files in these folders and no others of its own.
ROOMS = {"src/cli/terminal/": ("cli/terminal/", "cli/context.h"),
         "src/cli/peers/": ("cli/peers/",),
         "src/cli/options/": ("cli/terminal/", "cli/options/", "cli/context.h", "cli/verbs.h"),
         "src/cli/command_line/": ("cli/command_line/", "cli/peers/", "cli/options/",
                                   "cli/terminal/", "cli/context.h", "cli/verbs.h")}

# The public headers belong to modules too.
PUBLIC = {
    "base": ["abi", "arrow", "base64", "bytes", "damage", "error", "escape", "export", "leave",
             "system_error", "text", "time"],
    "io": ["file", "file_system"],
    "io/remote": ["remote_file", "remote_options", "remote_rules"],
    "model": ["bag", "bookmark", "calls", "chunk_figures", "codec", "excerpt", "feed", "live",
              "message", "messages", "pieces", "registry", "selector", "session", "stream",
              "transport", "type"],
    "stream": ["merge"],
    "arrow": ["arrow_ipc", "table"],
    "parquet": ["parquet"],
    "storage/rosbag2": ["bag_options", "rosbag2"],
    "storage/writing": ["batch_writer"],
    "definitions": ["definitions"],
    "payload": ["fields", "table_origin", "transcode"],
    "open": ["bag_folder", "bag_stream", "copy_files", "open", "paths", "plugin"],
    "flow": ["join", "pipeline"],
    "present": ["find", "moment_cuts", "bag_info", "print"],
    "live/control": ["control"],
    "live/listen": ["listen"],
    "live/play": ["play"],
    "live/publish": ["publish_message"],
    "live/record": ["record"],
    "live/topics": ["live_topics"],
    "live/upload": ["upload"],
    "batch": ["batch"],
    "catalog": ["catalog", "catalog_jobs"],
    "database": ["database"],
    "compare": ["compare", "message_timeline", "statistics", "usage"],
    "capi": ["c"],
    "columns": ["align", "columns", "series"],
    "export": ["export_messages", "exporter"],
    "import": ["csv", "import_tables"],
    "pictures": ["picture", "video"],
    "plot": ["plot"],
    "repair": ["repair", "rewrite"],
    "transforms": ["transforms"],
    "video": ["encode_video"],
    "value": ["describe", "field", "struct_writer", "value", "value_text"],
    "transport/foxglove": ["foxglove"],
}
MODULE_OF_HEADER = {f"kitbag/{h}.h": module for module, hs in PUBLIC.items() for h in hs}

EVERYTHING = "kitbag/kitbag.h"  # of the faces: it includes the other headers

GENERATED = {"kitbag/abi.h"}  # by CMake

# Files are reached through FileSystem, so that a bag can be anywhere: these modules know nothing of
# the file system of this machine. What needs it all the same is listed below, with the reason.
EVERYWHERE = ("storage/", "flow", "compare", "repair", "live/record", "model", "stream")
OF_THIS_MACHINE = re.compile(r'#\s*include\s+["<](io/local/\S+|io/output/\S+|filesystem|'
                             r'fcntl\.h|unistd\.h|sys/stat\.h|dirent\.h)[">]')
ON_THIS_MACHINE = {
    "src/storage/writing/create_by.cpp": "a format that writes by itself gets a temporary folder",
    "src/storage/directory/writer_name.cpp": "the names of machine and process, for those of files",
    "src/storage/packed/unpack.cpp": "what is unpacked lies in a temporary file",
    "src/repair/rewrite.cpp": "a second name for a file, where the disk has such; else a copy",
    "src/storage/rosbag/gpg.cpp": "runs gpg",
    "src/storage/sqlite3/format.cpp": "SQLite writes by itself: Format::needs_local_file",
    "src/storage/sqlite3/write/gathering_vfs.cpp": "likewise",
    "src/storage/sqlite3/write/writer.cpp": "likewise",
    "src/storage/sqlite3/write/writer.h": "likewise",
}

INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"')
FOR_TESTS = "tests/support/"
CONFORMANCE = "tests/conformance/"  # looks at records, so it sees the inside of a format
POWER_LOSS = "tests/support/power_loss.h"  # stands in for the file that a format writes
FUZZ = "tests/fuzz/"  # calls what takes bytes from strangers, wherever that is


def module_of(path):
    """The module that a source or an include path belongs to, or None."""
    if path in MODULE_OF_HEADER:
        return MODULE_OF_HEADER[path]
    folder = path.rpartition("/")[0]
    folder = PARTS.get(folder, folder)
    return folder if layer_of(folder) is not None else None


def layer_of(module):
    room, _, name = module.partition("/")
    is_part = name and "/" not in name and module not in FACES
    return LAYERS.get(module, PLUGGED_IN.get(room) if is_part else None)


def why_forbidden(file, included):
    """What is wrong with `file` including `included`, or None. `file` is relative to the root."""
    name = file.rpartition("/")[2]
    is_test = name.endswith("_test.cpp") or name.startswith("test_") or file.startswith("tests/")
    if included.startswith(FOR_TESTS):
        return None if is_test else "only tests include the support of tests"
    target = module_of(included)
    if file.startswith(CONFORMANCE) and (target or included.startswith(CONFORMANCE)):
        return None
    if file == POWER_LOSS and target in ("io", "io/local"):
        return None
    if file == f"include/{EVERYTHING}" and target:
        return None
    if file.startswith(FUZZ) and (target or included.startswith(("transport/", "server/", FUZZ))):
        return None
    for room, seen in ROOMS.items():
        if file.startswith(room) and included.startswith("cli/") and not included.startswith(seen):
            return f"{room} sees {', '.join(seen)} only"
    for face, folder in FACES.items():
        if file.startswith(folder + "/"):
            if included.startswith((f"{face}/", "kitbag/")) or "/" not in included:
                return None
            if (face, included) in OF_OTHER_FACES:
                return None
            return f"{face} sees public headers and its own files only"
    own = module_of(file.removeprefix("src/").removeprefix("include/"))
    if own is None:
        return ("this file is in no module of the table; add its folder to LAYERS, or to PARTS if "
                "it is inside the folder of a module")
    if target is None:
        return ("no module of the table has such a header; a public header is added to PUBLIC, a "
                "folder to LAYERS, or to PARTS if it is inside the folder of a module")
    if target != own and layer_of(target) >= layer_of(own):
        return f"{own} (layer {layer_of(own)}) must not see {target} (layer {layer_of(target)})"
    return None


def is_bound_to_this_machine(file, line):
    """Whether `file` includes what only this machine's file system has, and should not."""
    module = module_of(file.removeprefix("src/")) or ""
    is_test = file.endswith("_test.cpp") or file.rpartition("/")[2].startswith("test_")
    return (not is_test and file not in ON_THIS_MACHINE and module.startswith(EVERYWHERE)
            and OF_THIS_MACHINE.match(line))


def exists(file, included):
    """`included` with a folder in it is named from one of the roots, without one lies beside."""
    roots = ("src", "include", ".") if "/" in included else (file.parent,)
    is_there = any((ROOT / folder / included).is_file() for folder in roots)
    return is_there or included in GENERATED


def check(file):
    name = file.relative_to(ROOT).as_posix()
    for number, line in enumerate(file.read_text().splitlines(), 1):
        if is_bound_to_this_machine(name, line):
            yield (f"{name}:{number}: {line}: files are reached through FileSystem "
                   "(kitbag/file_system.h); exceptions are listed in ON_THIS_MACHINE")
        match = INCLUDE.match(line)
        if not match:
            continue
        why = why_forbidden(name, match[1])
        if why is None and not exists(file, match[1]):
            why = "there is no such file"
        if why:
            yield f'{name}:{number}: #include "{match[1]}": {why}'


def main():
    folders = ("src", "include", "bench", "python", "tests")
    files = [f for folder in folders for f in (ROOT / folder).rglob("*")
             if f.suffix in (".h", ".cpp")]
    problems = [p for f in sorted(files) for p in check(f)]
    print(*problems, sep="\n")
    print(f"{len(files)} files, {len(problems)} forbidden includes")
    return 1 if problems or not files else 0


if __name__ == "__main__":
    sys.exit(main())
