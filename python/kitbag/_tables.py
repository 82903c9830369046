"""Files for other programs, and bags of tables."""

import json
import os
from dataclasses import dataclass

from . import _kitbag
from ._bag import Bag, _names, _wanted, open as _open
from ._flow import _shown

_OF_FORMATS = {"zstd_level": ("parquet", "lerobot"), "row_group_bytes": ("parquet", "lerobot"),
               "page_bytes": ("parquet", "lerobot"), "metadata": ("parquet",),
               "time_format": ("csv",), "escape_formulas": ("csv",),
               "crf": ("mp4", "mkv", "lerobot"), "preset": ("mp4", "mkv", "lerobot"),
               "dataset": ("lerobot",), "frame": ("tum", "kitti")}
_MOST_DESCRIPTION_BYTES = 1 << 20


@dataclass(frozen=True)
class Exported:
    """What was written of a topic; of all, where it is "". `path` is the file; of several, the
    first one, or their folder with a "/"."""
    topic: str
    path: str
    messages: int
    files: int
    size_bytes: int


def _bag_names(paths):
    """{path: name}: the last parts of the paths, as many as it takes to distinguish them."""
    whole = {path: path.rstrip("/") or path for path in paths}

    def end(path, count):
        return "/".join(path.split("/")[-count:])

    names = {}
    for path, name in whole.items():
        others = [each for each in whole.values() if each != name]
        count = 1
        while any(end(each, count) == end(name, count) for each in others):
            count += 1
        names[path] = end(name, count)
    return names


def _description(dataset):
    """The YAML that describes a dataset; JSON is YAML too."""
    if dataset is None or isinstance(dataset, dict):
        return dataset and json.dumps(dataset)
    path = os.fspath(dataset)
    with open(path, encoding="utf-8") as file:
        text = file.read(_MOST_DESCRIPTION_BYTES + 1)
    if len(text) > _MOST_DESCRIPTION_BYTES:
        raise ValueError(f"{path} is too large for the description of a dataset")
    return text


def _messages_of(done, total):
    return f"{done:,} of {total:,} messages" if total else f"{done:,} messages"


def export(source, folder, topics=(), fields=(), *, format="parquet",  # noqa: A002
           exclude=(), types=(), start=None, end=None, where="", time="log_time", partition=None,
           on_error="stop", dataset=None, replace=False, progress=None, **options):
    """Writes what is selected, as by Bag.read(), as files for programs that know nothing of bags
    into `folder`, which is created: tables ("parquet", "arrow", "csv", "hdf5"), a "lerobot"
    dataset, "images", point clouds ("pcd", "ply"), trajectories ("tum", "kitti"), tracks ("gpx",
    "geojson") or videos ("mp4", "mkv"). `source` is what open() takes, or a Bag. docs/export.md
    says what is in the files. They get their names when all are complete.

    `fields` are the columns of tables (default: all); `time` is "log_time", "publish_time" or
    "header_stamp"; `partition` "day" or "bag" divides tables; `on_error` says what happens to
    messages that cannot be decoded: "stop", "skip" or "raw". `dataset` describes a dataset of
    LeRobot: a YAML file, or a dict. Options of formats: `zstd_level`, `row_group_bytes`,
    `page_bytes` and `metadata`, a dict (parquet); `time_format` "ns", "seconds" or "iso", and
    `escape_formulas` (csv); `crf` and `preset` (mp4, mkv, lerobot); `frame`, a pair such as
    ("map", "laser"): where the second was in the first, by the transforms (tum, kitti).
    `held_bytes` may wait to be written.

    `progress` is called with the messages read and the messages of the bag ten times a second; True
    shows them. Returns a list of Exported."""
    options["dataset"] = _description(dataset)
    for name, value in options.items():
        if name not in _OF_FORMATS and name != "held_bytes":
            raise TypeError(f"unknown argument {name!r}")
        formats = _OF_FORMATS.get(name, (format,))
        if value is not None and format not in formats:
            raise ValueError(f"{name} is for format {' and '.join(map(repr, formats))}")
    if format == "lerobot" and dataset is None:
        raise ValueError("format 'lerobot' needs dataset=, which describes it; docs/datasets.md "
                         "has an example")
    if options.get("frame") is not None:
        options["frame_parent"], options["frame_child"] = options["frame"]
    options.pop("frame", None)
    bag = source if isinstance(source, Bag) else _open(source)
    options.update(format=format, fields=_names(fields), time=time, partition=partition,
                   on_error=on_error, replace=replace)
    bag._require(topics)
    wanted = _wanted(topics, exclude=exclude, types=types, start=start, end=end, where=where)
    with _shown(progress, _messages_of) as shown:
        written = _kitbag._export(bag._opened(), os.fspath(folder), options, wanted,
                                  _bag_names(bag._paths), shown)
    return [Exported(*each) for each in written]


def _tables(tables):
    """Paths, and streams of Arrow in their capsules. A folder stands for the tables in it."""
    if isinstance(tables, (str, os.PathLike)) or hasattr(tables, "__arrow_c_stream__"):
        tables = [tables]
    found = []
    for table in tables:
        if hasattr(table, "__arrow_c_stream__"):
            found.append(table.__arrow_c_stream__())
            continue
        path = os.fspath(table)
        if not os.path.isdir(path):
            found.append(path)
            continue
        names = sorted(name for name in os.listdir(path) if name[0] != "."
                       and name.endswith((".parquet", ".csv", ".tsv")))
        if not names:
            raise FileNotFoundError(f"{path!r} has no .parquet, .csv or .tsv file")
        found += [os.path.join(path, name) for name in names]
    if not found:
        raise ValueError("no table is named")
    return found


def import_tables(tables, target, *, topic="", type="",  # noqa: A002
                  encoding="", time_column="", time_unit="", ignore_columns=False, delimiter="",
                  definitions=(), progress=None, **options):
    """Writes a bag of tables, whose rows become messages: the opposite of export(). A table is a
    Parquet or CSV file, a folder of them, or an object with __arrow_c_stream__(), as pyarrow,
    polars, pandas and Topic have it; or `tables` is a list of these.

    `topic` and `type` ("package/Type") are needed where the table does not say them; `definitions`
    are folders with definitions of types. Times are in `time_column` (default: "time", "log_time"
    or "log_time_ns"); `time_unit` is that of times that are numbers: "s", "ms", "us" or "ns".
    `ignore_columns` leaves out columns that fit no field, which are an error otherwise. `delimiter`
    is that of CSV, `encoding` that of the messages ("cdr", "ros1", "protobuf", "json"). The other
    options are those of create(). docs/import.md says how values are converted.

    `progress` is called with the messages written and their number, or 0 where it is not known, ten
    times a second; True shows them. What it raises ends the call, and the target stays as it was.
    Returns the numbers of messages and bytes."""
    how = dict(topic=topic, type=type, encoding=encoding, time_column=time_column,
               time_unit=time_unit, ignore_columns=ignore_columns, delimiter=delimiter,
               definitions=[os.fspath(each) for each in definitions])
    with _shown(progress, _messages_of) as shown:
        return _kitbag._import_tables(_tables(tables), os.fspath(target), how, options, shown)
