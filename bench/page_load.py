#!/usr/bin/env python3
"""The player page in a real Chromium, as a side of `./dev bench`. Server, browser and this program
run on one machine, and what a graphics card would draw is drawn by its processor (SwiftShader).

Each phase repeats its work and gives the median. A picture counts as drawn when the frame after the
one in which the page has drawn it begins: then the browser has taken it.

* first: from the navigation in a window without a cache to the first picture of the camera. The
  server has the bag's index, as it has for whoever opens a bag from the list.
* seek: from a click on the timeline to where every panel shows the new instant: none is grey, the
  3D scene has drawn it, and the camera has the picture that the server says is the last one. What
  the plots of the whole bag need has come before.
* play: what the main thread computes (Performance.getMetrics: ThreadTime; JavaScript, collection
  of garbage, layout, painting and all else) in each second, by the frames that the page was given
  in it. Beside it the same of all tasks by the wall's time (TaskDuration), in which the thread also
  waits for a core, and for the processor that draws 3D: its pictures are read back in the task.
  Memory is what JavaScript holds with its buffers, after a collection and while play pauses, a
  minute after the begin and at the end.
* pan: turns of the wheel, as many as the page takes; a frame counts if the plot in it is another
  than before, and its curve goes from one side to the other.
* load: what the page's own files take with gzip, until the first picture.

usage: page_load.py BUILD KIND [MINUTES] FILE PHASE"""

import json
import os
import random
import statistics
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import urlencode

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "support"))

import serve_load  # noqa: E402
from browser import Browser  # noqa: E402
from server import Server  # noqa: E402

LOADS = 7
SEEKS = 25
PAN_S = 6
HELD = 9
HEAP_PARTS = ("usedSize", "embedderHeapUsedSize", "backingStorageSize")
STRIP = "[aria-label=Time]"
PICTURE = "document.querySelector('[data-panel=image] [data-time]')"
PLOT = "document.querySelector('[data-panel=plot] .canvas')"
PLOTTED = ("[...document.querySelectorAll('[data-panel=plot] .canvas')]"
           ".every((plot) => plot.dataset.points > 0)")
TIME = "Number(document.querySelector('.position b').dataset.time)"
PLAYED = [("panel", "scene"), ("panel", "image /camera/image"),
          ("panel", "plot /odom pose.pose.position.x pose.pose.position.y"),
          ("panel", "plot /imu angular_velocity.z")]

WAITS = "document.querySelector('.state').dataset.state === 'buffering'"

# What the page is asked by, in the page: `drawn` gives the time of the frame after the first one
# in which something is true.
WATCH = """
addEventListener("pointerdown", (event) => (window.pressed = event.timeStamp), true);
window.drawn = (seen) => new Promise((resolve) => {
  const look = () => requestAnimationFrame(seen() ? resolve : look);
  look();
});
window.frames = 0;
const count = () => { ++window.frames; requestAnimationFrame(count); };
count();
"""

SEEN = f"""(() => {{
  const time = {TIME};
  const scene = document.querySelector("[data-panel=scene] canvas").dataset.time;
  return time !== window.before && !document.querySelector(".late") && Number(scene) === time
    && Number({PICTURE}?.dataset.time) <= time
    && Number({PICTURE}.dataset.time) > time - 0.2;
}})"""

PANNED = f"""new Promise((resolve) => {{
  const plot = {PLOT};
  const begin = performance.now();
  let [drawn, last] = [0, plot.dataset.x];
  const look = (now) => {{
    const [from, to] = plot.dataset.x.split(" ").map(Number);
    const [first, end] = plot.dataset.range.split(" ").map(Number);
    if (plot.dataset.x !== last && first <= Math.max(0, from) && end >= to) ++drawn;
    last = plot.dataset.x;
    if (now - begin < {PAN_S * 1000}) return requestAnimationFrame(look);
    resolve({{ frames: drawn, wall_s: (now - begin) / 1000 }});
  }};
  requestAnimationFrame(look);
}})"""


class Window:
    """A Chromium with the page of a server."""

    def __init__(self, folder):
        self.browser = Browser()
        self.server = Server(folder)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.browser.end()
        self.server.end()

    def open(self, bag, *panels):
        self.server.list()
        self.browser.window()
        self.browser.before(script=WATCH)
        query = urlencode([("bag", bag.name), *panels])
        self.browser.open(url=f"http://{self.server.host}/?{query}")

    def see(self, expression):
        return self.browser.see(expression=expression)

    def drawn(self, seen):
        """The wall time in ms since the navigation."""
        return self.see(f"drawn(() => {seen})")

    def metrics(self):
        answer = self.browser.tools(method="Performance.getMetrics")
        return {each["name"]: each["value"] for each in answer["metrics"]}


def first(window, bag):
    times = []
    for _ in range(LOADS):
        window.open(bag)
        times.append(window.drawn(PICTURE))
        window.drawn(PLOTTED)  # else the server would still be at it during the next load
    return {"wall_s": statistics.median(times) / 1000}


def last_picture(window, bag, instant):
    """The time of the last picture at or before an instant, both since the start of the bag."""
    begin = serve_load.DAY_S + instant
    rows = window.server.ask(f"/bags/{bag.name}/player?start_time={begin:.9f}&end_time="
                             f"{begin + 1e-9:.9f}&topics=/camera/image&state=/camera/image"
                             "&fields=header&format=ndjson").body.splitlines()
    return json.loads(rows[-1])["__stamp"] - serve_load.DAY_S


def seek(window, bag):
    window.open(bag)
    window.drawn(PICTURE)
    window.drawn(PLOTTED)
    places = random.Random(7)
    times = []
    for _ in range(SEEKS):
        window.see(f"window.before = {TIME}")
        window.browser.click(on=STRIP, x=places.randint(20, 980), y=20)
        times.append(window.see(f"drawn({SEEN}).then((now) => now - pressed)"))
        instant = window.see(TIME)
        shown = window.see(f"Number({PICTURE}.dataset.time)")
        if abs(shown - last_picture(window, bag, instant)) > 1e-6:
            raise SystemExit(f"a picture of {shown} s is shown at {instant} s")
    return {"wall_s": statistics.median(times) / 1000}


def open_played(window, bag):
    """Until all that play() measures stands."""
    window.open(bag, *PLAYED)
    window.drawn(PICTURE)
    window.drawn("document.querySelector('[data-panel=scene] canvas').dataset.time > 0")
    window.browser.tools(method="Performance.enable")


def play(window, bag, minutes):
    open_played(window, bag)
    begin = time.monotonic()
    seconds = play_until(window, begin + 60)
    held_before = held(window)
    seconds += play_until(window, begin + minutes * 60)
    held_after = held(window)
    task_s, cpu_s, frames, wall_s = zip(*(each for each in seconds if each[2]))
    return {"held_before_bytes": held_before, "held_bytes": held_after,
            "tasks_s": statistics.median(a / b for a, b in zip(task_s, frames)),
            "frame_s": statistics.median(a / b for a, b in zip(cpu_s, frames)),
            "frames": sum(frames), "wall_s": sum(wall_s)}


def play_until(window, end):
    """What each second has taken: tasks, processor time, frames, wall time. In each, the clock of
    the page has moved, unless the messages that come next are on their way."""
    turn(window, to="Pause")
    seconds = []
    last, instant = sample(window), window.see(TIME)
    while time.monotonic() < end:
        time.sleep(1)
        now = sample(window)
        seconds.append([after - before for before, after in zip(last, now)])
        last, before, instant = now, instant, window.see(TIME)
        if instant <= before and not window.see(WAITS):
            raise SystemExit(f"the page has stopped to play, at {instant} s")
    turn(window, to="Play")
    return seconds


def turn(window, to):
    """Plays or pauses, and waits for the frame in which the button offers the other."""
    window.browser.press(key=" ")
    window.browser.wait(until=f"document.querySelector('button.play').title === '{to} (Space)'")


def held(window):
    """What JavaScript holds with its buffers while play pauses, when the page has loaded all that
    it loads ahead: else the figure goes up and down with each slice of two seconds."""
    sizes = []
    for _ in range(HELD):
        time.sleep(1)
        window.browser.tools(method="HeapProfiler.collectGarbage")
        usage = window.browser.tools(method="Runtime.getHeapUsage")
        sizes.append(sum(usage[part] for part in HEAP_PARTS))
    return min(sizes[len(sizes) // 2:])


def sample(window):
    metrics = window.metrics()
    return (metrics["TaskDuration"], metrics["ThreadTime"], window.see("window.frames"),
            metrics["Timestamp"])


def pan(window, bag):
    window.open(bag, ("panel", "plot /number data"))
    window.drawn(f"{PLOT}?.dataset.points > 0")
    window.browser.wheel(on="[data-panel=plot] .canvas", at=0.5, by=-600)
    window.see("drawn(() => true)")
    window.see(f"void (window.panned = {PANNED})")
    window.browser.turn(on="[data-panel=plot] .canvas", by=12, key="Shift", seconds=PAN_S + 1)
    return window.see("window.panned")


def load(window, bag):
    window.open(bag)
    window.drawn(PICTURE)
    root = f"http://{window.server.host}"
    own = {url.removeprefix(root) for url in window.browser.asked()
           if not url.startswith(f"{root}/bags/")}
    replies = [window.server.ask(target, Accept_Encoding="gzip") for target in own]
    if any(reply.status != 200 for reply in replies):
        raise SystemExit("the page asked for what is not there")
    return {"bytes": sum(len(reply.body) for reply in replies)}


PHASES = {"first": first, "seek": seek, "play": play, "pan": pan, "load": load}


def prepare(build, kind, folder):
    if kind == "large":
        serve_load.prepare(build, kind, folder)
    elif not folder.exists():
        folder.mkdir()
        subprocess.run([build / "bench" / "kitbag_numbers", folder / "numbers.mcap"], check=True)


def main():
    build, kind, *minutes, path, phase = sys.argv[1:]
    build = Path(build)
    # The bag of an hour and a half is that of the group "serve", too.
    folder = Path(path).with_name("serve_large" if kind == "large" else "page_numbers")
    if phase == "prepare":
        prepare(build, kind, folder)
        return
    os.environ["KITBAG"] = str(build / "kitbag")
    with Window(folder) as window:
        report = PHASES[phase](window, next(folder.iterdir()), *map(float, minutes))
        if said := window.browser.said():
            raise SystemExit(f"the page said: {said}")
        print(json.dumps(report))


if __name__ == "__main__":
    main()
