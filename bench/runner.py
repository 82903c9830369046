"""Runs kitbag and its peers in turn, each in a process of its own."""

import json
import os
import subprocess
from dataclasses import replace

from groups import GROUPS
from peer_programs import Peer


class Programs:
    """The sides of a group, and the folder in which they write."""

    def __init__(self, group, build, folder):
        own = GROUPS[group].own
        self.kitbag = Peer("kitbag", own(build) if own else (build / f"bench/kitbag_{group}",))
        self.peers = list(GROUPS[group].peers(build))
        self._same = GROUPS[group].same
        self._group = group
        self._folder = folder

    def path(self, work, side):
        """Each side writes a bag of its own. All read the bag of a peer if one writes any."""
        write = replace(work, phase="write")
        writers = [peer for peer in self.peers
                   if not peer.is_limit and not peer.is_bare and peer.does(write)]
        writer = self.kitbag
        if not work.prepare and writers and not side.is_limit:
            writer = side if work.phase.startswith("write") else writers[0]
        return self._folder / f"{self._group}_{writer.name}_{'_'.join(work.arguments)}.bag"

    def run(self, work, side, phase):
        path = self.path(work, side)
        if phase.startswith("write") and not side.is_limit:
            path.unlink(missing_ok=True)
            os.sync()  # else this run would wait for what the last one wrote
        return subprocess.run([*side.command, *work.arguments, path, phase], check=True,
                              capture_output=True, text=True).stdout

    def measure(self, work, runs):
        """Returns the reports of all runs by side. The sides run in turn, kitbag first."""
        if work.prepare:
            self.run(work, self.kitbag, work.prepare)
        sides = [self.kitbag] + [peer for peer in self.peers if peer.does(work)]
        reports = {side.name: [] for side in sides}
        for _ in range(runs):
            for side in sides:
                reports[side.name].append(json.loads(self.run(work, side, work.phase)))
        for key in self._same:
            same = {run[key] for side in sides if not side.is_limit for run in reports[side.name]}
            if len(same) != 1:
                raise SystemExit(f"{work.name}: the sides did not do the same ({key})")
        return reports
