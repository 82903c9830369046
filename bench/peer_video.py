#!/usr/bin/env python3
"""ffmpeg, which encodes the pictures of a file: the export benchmark's peer for videos; arguments
as those of kitbag_columns."""

import json
import os
import resource
import subprocess
import sys
import time

PICTURE_BYTES = 1280 * 720 * 3


def main():
    _, path, _ = sys.argv[1:]
    begin = time.perf_counter()
    subprocess.run(["ffmpeg", "-v", "error", "-y", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s",
                    "1280x720", "-r", "20", "-i", f"{path}.rgb", "-pix_fmt", "yuv420p", "-c:v",
                    "libx264", "-preset", "medium", "-crf", "20", f"{path}.mp4"], check=True)
    wall = time.perf_counter() - begin
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(json.dumps({"messages": os.path.getsize(f"{path}.rgb") // PICTURE_BYTES, "sum": 0,
                      "bytes": os.path.getsize(f"{path}.mp4"),
                      "cpu_s": used.ru_utime + used.ru_stime, "wall_s": wall,
                      "peak_bytes": used.ru_maxrss * 1024}))
    os.remove(f"{path}.mp4")


main()
