"""Small videos: twelve frames of 64 x 48 pixels by format, of which frame i has the gray 20 * i,
and 0 and 6 are key frames."""

from pathlib import Path

WIDTH, HEIGHT, FRAMES = 64, 48, 12
KEYS = (0, 6)


def videos():
    """The frames by format: "h264", "h265", "vp9", "av1"."""
    found = {}
    for line in Path(__file__).with_name("videos.txt").read_text().splitlines():
        format_, digits = line.split()
        found.setdefault(format_, []).append(bytes.fromhex(digits))
    return found
