#!/usr/bin/env python3
"""The zstd of the command line, by two threads, in the place of kitbag_convert.

usage: peer_zstd.py WORKLOAD FILE convert"""

import json
import resource
import subprocess
import sys
import time
from pathlib import Path


def main():
    path = Path(sys.argv[2])
    packed = path.with_suffix(".zst")
    begin = time.monotonic()
    subprocess.run(["zstd", "-1", "-T2", "-q", "-f", path, "-o", packed], check=True)
    subprocess.run(["sync", packed], check=True)
    wall_s = time.monotonic() - begin
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    packed.unlink()
    print(json.dumps({"bytes": path.stat().st_size, "wall_s": wall_s,
                      "cpu_s": used.ru_utime + used.ru_stime}))


if __name__ == "__main__":
    main()
