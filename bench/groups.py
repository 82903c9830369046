"""The groups of `./dev bench GROUP`: the work of each, its peers, and what it needs."""

from dataclasses import dataclass

import peer_programs
import work
from peer_programs import (catalogue_load, instructions_load, jobs_load, live_load, many_load,
                           page_load, python_load, remote_load, serve_load)


@dataclass
class Group:
    work: callable
    peers: callable = lambda build: []  # those that are installed
    same: tuple = ("messages", "bytes", "sum")  # equal in the reports of all sides but limits
    own: callable = None  # kitbag's command; None: the program of the group's name
    plugin: str = None  # the plugin that the group needs
    program: str = None  # the program that the group needs
    npm: str = None  # the folder whose npm packages the group needs
    needs_python: bool = False  # the group needs the Python package
    runs: int = None  # if the group's own program repeats the work: how often the program runs


GROUPS = {
    "rosbag": Group(work.rosbag, peer_programs.rosbag),
    "old": Group(work.old),
    "mcap": Group(work.mcap, peer_programs.mcap),
    "sqlite3": Group(work.sqlite3, peer_programs.sqlite3),
    "threads": Group(work.threads, peer_programs.threads),
    "live": Group(work.live, peer_programs.live),
    "record": Group(work.record, same=()),
    "ros1": Group(work.ros1, peer_programs.ros1, same=(), own=live_load, plugin="transport_ros1"),
    "ros2": Group(work.ros2, same=(), own=live_load, plugin="transport_ros2"),
    "mqtt": Group(work.mqtt, peer_programs.broker, same=(), own=live_load, plugin="transport_mqtt",
                  program="mosquitto"),
    "nats": Group(work.nats, peer_programs.broker, same=(), own=live_load, plugin="transport_nats",
                  program="nats-server"),
    "serve": Group(work.serve, peer_programs.serve, same=(), own=serve_load, program="wrk"),
    "page": Group(work.page, same=(), own=page_load, program="chromium-headless-shell", npm="web",
                  runs=1),
    "remote": Group(work.remote, peer_programs.remote, same=(), own=remote_load,
                    plugin="files_remote", program="radosgw", runs=3),
    "convert": Group(work.convert, peer_programs.convert, same=("bytes",)),
    "instructions": Group(work.instructions, same=(), own=instructions_load, program="valgrind",
                          runs=1),
    "many": Group(work.many, peer_programs.many, same=("messages",), own=many_load),
    "catalogue": Group(work.catalogue, peer_programs.catalogue, same=("messages",),
                       own=catalogue_load, runs=1),
    "jobs": Group(work.jobs, peer_programs.jobs, same=("messages",), own=jobs_load),
    "disk": Group(work.disk, peer_programs.disk),
    "huge": Group(work.huge),
    "columns": Group(work.columns, peer_programs.columns, same=()),
    "export": Group(work.export, peer_programs.export, same=(), own=peer_programs.columns_program),
    "codec": Group(work.codec, peer_programs.codec, same=("sum",)),
    "python": Group(work.python, peer_programs.python, same=("messages",), own=python_load,
                    needs_python=True),
}
