// The time line: how many messages there are over time, what of them is loaded, and where the clock
// is. Click or drag to seek, the wheel zooms at the pointer, Shift and the wheel pan.

import { useEffect, useRef, useState } from "preact/hooks";

import { clockText, lengthText, numberText } from "../format";
import { nextSpeed } from "./keys";
import type { Player } from "./player";

const ZOOM = 1.002; // for each unit of the wheel

export function Timeline({ player }: { player: Player }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [, redraw] = useState("");
  const [hover, setHover] = useState<{ x: number; time: number } | null>(null);
  const isDragging = useRef(false);
  useEffect(() => {
    let drawn = "";
    return player.onFrame(() => {
      const { width, height } = sizeOf(canvas.current!);
      const { view, covered, time, clock } = player;
      const state = [view.start, view.end, covered.start, covered.end, time, width, height];
      const key = [...state, player.timeline !== null, schemeOf()].join(" ");
      if (key !== drawn) draw(canvas.current!, player);
      drawn = key;
      redraw(`${time} ${clock.isPlaying} ${clock.speed} ${player.isLoading} ${player.problem}`);
    });
  }, [player]);
  const timeAt = (event: MouseEvent) => {
    const box = canvas.current!.getBoundingClientRect();
    const part = (event.clientX - box.left) / box.width;
    return player.view.start + part * (player.view.end - player.view.start);
  };
  const move = (event: PointerEvent) => {
    const time = timeAt(event);
    const box = canvas.current!.getBoundingClientRect();
    setHover({ x: event.clientX - box.left, time });
    if (isDragging.current) player.seek(time);
  };
  useEffect(() => {
    const turn = (event: WheelEvent) => {
      event.preventDefault();
      const size = player.view.end - player.view.start;
      if (event.shiftKey) player.pan(((event.deltaY + event.deltaX) / 1000) * size);
      else player.zoom(ZOOM ** event.deltaY, timeAt(event));
    };
    // A listener that may keep the page from scrolling has to say so.
    canvas.current!.addEventListener("wheel", turn, { passive: false });
    return () => canvas.current?.removeEventListener("wheel", turn);
  }, [player]);
  const { clock, time } = player;
  return (
    <footer class="timeline">
      <div class="controls">
        <button
          class="play"
          aria-label={clock.isPlaying ? "Pause" : "Play"}
          onClick={() => player.toggle()}
        >
          <svg viewBox="0 0 16 16" aria-hidden="true">
            <path d={clock.isPlaying ? "M4 3h3v10H4zM9 3h3v10H9z" : "M4 2.5v11l9-5.5z"} />
          </svg>
        </button>
        <button
          class="speed"
          title="Speed (+ −)"
          aria-label={`Speed ${numberText(clock.speed)} times`}
          onClick={() => player.setSpeed(clock.speed >= 20 ? 0.1 : nextSpeed(clock.speed, true))}
        >
          {numberText(clock.speed)}×
        </button>
        <time class="clock">{clockText(player.origin + time)}</time>
        <span class="position">
          +<b data-time={time}>{lengthText(time)}</b> / {lengthText(player.bag.length)}
        </span>
        <span class="state" role="status">
          {player.problem && `${player.problem}. Trying again …`}
          {!player.problem && player.isLoading && "Loading …"}
        </span>
      </div>
      <div class="strip">
        <canvas
          ref={canvas}
          role="slider"
          tabIndex={0}
          aria-label="Time"
          aria-valuemin={0}
          aria-valuemax={player.bag.length}
          aria-valuenow={time}
          aria-valuetext={lengthText(time)}
          onPointerDown={(event) => {
            canvas.current!.setPointerCapture(event.pointerId);
            isDragging.current = true;
            player.seek(timeAt(event));
          }}
          onPointerMove={move}
          onPointerUp={() => (isDragging.current = false)}
          onPointerCancel={() => (isDragging.current = false)}
          onPointerLeave={() => setHover(null)}
        />
        {hover && (
          <span class="hover" style={{ left: `${hover.x}px` }}>
            +{lengthText(hover.time)}
          </span>
        )}
      </div>
    </footer>
  );
}

const schemeOf = () => matchMedia("(prefers-color-scheme: dark)").matches;

function sizeOf(canvas: HTMLCanvasElement): { width: number; height: number } {
  return {
    width: Math.round(canvas.clientWidth * devicePixelRatio),
    height: Math.round(canvas.clientHeight * devicePixelRatio),
  };
}

function draw(canvas: HTMLCanvasElement, player: Player): void {
  const { width, height } = sizeOf(canvas);
  if (canvas.width !== width) canvas.width = width;
  if (canvas.height !== height) canvas.height = height;
  const context = canvas.getContext("2d")!;
  const style = getComputedStyle(canvas);
  const colour = (name: string) => style.getPropertyValue(name).trim();
  const { start, end } = player.view;
  const x = (time: number) => ((time - start) / (end - start)) * width;
  context.clearRect(0, 0, width, height);

  const loaded = Math.max(2, Math.round(3 * devicePixelRatio));
  const { covered } = player;
  context.fillStyle = colour("--loaded");
  context.fillRect(x(covered.start), height - loaded, x(covered.end) - x(covered.start), loaded);

  drawDensity(context, player, x, { width, height: height - loaded - 2 }, colour);

  context.fillStyle = colour("--accent");
  const line = Math.max(2, Math.round(2 * devicePixelRatio));
  context.fillRect(Math.round(x(player.time) - line / 2), 0, line, height);
}

/** A bar for each pixel: the messages that it stands for, compared with the busiest one. */
function drawDensity(
  context: CanvasRenderingContext2D,
  player: Player,
  x: (time: number) => number,
  { width, height }: { width: number; height: number },
  colour: (name: string) => string,
): void {
  const { timeline } = player;
  if (!timeline) return;
  const parts = Math.max(0, ...timeline.topics.map((topic) => topic.counts.length));
  const counts = new Float64Array(parts);
  for (const topic of timeline.topics) topic.counts.forEach((count, i) => (counts[i]! += count));
  const most = counts.reduce((a, b) => Math.max(a, b), 1);
  const begin = timeline.start_time - player.origin;
  context.fillStyle = colour("--density");
  for (let i = 0; i < parts; ++i) {
    if (!counts[i]) continue;
    const left = Math.floor(x(begin + i * timeline.bucket_duration));
    const right = Math.floor(x(begin + (i + 1) * timeline.bucket_duration));
    if (right < 0 || left > width) continue;
    const size = Math.max(1, (counts[i]! / most) * height);
    context.fillRect(left, height - size, Math.max(1, right - left), size);
  }
}
