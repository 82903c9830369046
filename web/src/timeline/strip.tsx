// The strips themselves, and what one does on them: click or drag to seek, Alt and a drag to mark a
// range, a drag of its ends, the wheel and two fingers to look closer. What moves in each frame are
// elements on top of the canvas; the canvas is drawn again if what it shows has changed.

import { useEffect, useRef, useState } from "preact/hooks";

import { instantText, momentText, timeStyle } from "../format";
import type { Range } from "../player/feed";
import type { Player } from "../player/player";
import { AXIS, drawOverview, drawTimeline, stripHeight } from "./draw";
import { Filmstrip } from "./filmstrip";
import { Labels } from "./labels";
import { between, moved, rangeOf } from "./marks";
import { mayHavePictures, MOST_THUMBNAILS, Thumbnails } from "./thumbnails";
import { isWhole, wholeOf } from "./zoom";

const ZOOM = 1.002; // for each unit of the wheel
const NEAR = 6; // pixels within which a hand takes something
/** A browser may count the wheel in lines or pages. */
const WHEEL_UNITS = [1, 16, 400];
/** Thumbnails are of times this far apart, in pixels. */
const THUMBNAIL_STEP = 4;

type Drag =
  | { kind: "seek" }
  | { kind: "mark"; from: number }
  | { kind: "end"; end: "a" | "b" }
  | { kind: "pinch"; from: [number, number] };

export function Strip({ player }: { player: Player }) {
  const lane = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const overview = useRef<HTMLCanvasElement>(null);
  const [, redraw] = useState("");
  const [hover, setHover] = useState<{ x: number; time: number } | null>(null);
  const [, setCame] = useState(0);
  const thumbnails = useRef<Thumbnails | null>(null);
  const hand = useRef(new Hand(player, () => canvas.current!));
  const rows = player.pins.list.length;
  const cameras = player.bag.topics.filter(mayHavePictures).slice(0, MOST_THUMBNAILS);

  useEffect(() => {
    const { name, origin } = player.bag;
    const made = new Thumbnails(name, origin, () => setCame((count) => count + 1));
    thumbnails.current = made;
    return () => made.close();
  }, [player]);

  useEffect(() => {
    let drawn = "";
    return player.onFrame(() => {
      const { view, bag, strips, pins, marks, events } = player;
      const { clientWidth: width, clientHeight: height } = canvas.current!;
      strips.want(view, width, pins.list, performance.now());
      const sizes = [width, height, overview.current?.clientHeight, devicePixelRatio];
      const state = [view.start, view.end, marks.a, marks.b, marks.isLooping, player.damage.length];
      const versions = [strips.version, events.version, timeStyle(), schemeOf(), player.skipsQuiet];
      const key = [...state, ...sizes, ...versions, ...pins.list].join(" ");
      if (key !== drawn) {
        drawTimeline(canvas.current!, pictureOf(player));
        canvas.current!.dataset.start = String(view.start);
        canvas.current!.dataset.end = String(view.end);
        if (overview.current) drawOverview(overview.current, strips, wholeOf(bag.length));
      }
      drawn = key;
      redraw(key);
    });
  }, [player]);
  useEffect(() => player.onFrameEnd(() => place(lane.current!, player)), [player]);

  useEffect(() => {
    const turn = (event: WheelEvent) => {
      event.preventDefault();
      const unit = WHEEL_UNITS[event.deltaMode] ?? 1;
      const [across, along] = [event.deltaX * unit, event.deltaY * unit];
      const size = player.view.end - player.view.start;
      if (event.shiftKey) player.pan(((along + across) / 1000) * size);
      else if (Math.abs(across) > Math.abs(along)) player.pan((across / 1000) * size);
      else player.zoom(ZOOM ** along, hand.current.timeAt(event));
    };
    // A listener that may keep the page from scrolling has to say so.
    canvas.current!.addEventListener("wheel", turn, { passive: false });
    return () => canvas.current?.removeEventListener("wheel", turn);
  }, [player]);

  const width = canvas.current?.clientWidth ?? 0;
  const grain = (THUMBNAIL_STEP * (player.view.end - player.view.start)) / Math.max(1, width);
  const stepOf = (time: number) =>
    Math.min(player.bag.length, Math.max(0, Math.round(time / grain) * grain));
  const point = (event: PointerEvent) => {
    hand.current.move(event);
    if (event.pointerType === "touch" && !hand.current.isSeeking) return setHover(null);
    const time = Math.min(player.bag.length, Math.max(0, hand.current.timeAt(event)));
    setHover({ x: event.clientX - canvas.current!.getBoundingClientRect().left, time });
    thumbnails.current!.want(cameras.map((each) => each.topic), stepOf(time));
  };
  const leave = () => {
    setHover(null);
    thumbnails.current!.rest();
  };
  return (
    <div class="strip">
      <Labels player={player} />
      <div class="lane" ref={lane}>
        <canvas
          ref={canvas}
          style={{ height: `${stripHeight(rows)}px` }}
          role="slider"
          tabIndex={0}
          aria-label="Time"
          aria-valuemin={0}
          aria-valuemax={player.bag.length}
          onPointerDown={(event) => hand.current.down(event)}
          onPointerMove={point}
          onPointerUp={(event) => {
            hand.current.up(event);
            if (event.pointerType === "touch") leave();
          }}
          onPointerCancel={(event) => hand.current.up(event)}
          onPointerLeave={leave}
          onDblClick={() => player.showWhole()}
          onKeyDown={(event) => onStripKey(event, player)}
        />
        <i class="loaded" />
        <i class="now" />
        {!isWhole(player.view, player.bag.length) && (
          <div class="overview" onPointerDown={(event) => lead(event, player)}>
            <canvas ref={overview} />
            <i class="window" />
            <i class="small now" />
          </div>
        )}
        {hover && thumbnails.current && (
          <Filmstrip
            player={player}
            thumbnails={thumbnails.current}
            topics={cameras.map((each) => each.topic)}
            time={hover.time}
            step={stepOf(hover.time)}
            x={hover.x}
            width={width}
          />
        )}
      </div>
    </div>
  );
}

const schemeOf = () => matchMedia("(prefers-color-scheme: dark)").matches;

function pictureOf(player: Player) {
  const { view, strips, bag, damage } = player;
  return {
    view,
    strips,
    pins: player.pins.list,
    marked: rangeOf(player.marks, bag.length),
    isLooping: player.marks.isLooping,
    events: player.events.list,
    damage,
    gaps: player.gaps,
    skips: player.skipsQuiet ? player.quiet : [],
    length: bag.length,
    clock: clockAtStart(player.origin),
    text: (time: number, step: number) => {
      const digits = step >= 1 ? 0 : Math.min(3, Math.ceil(-Math.log10(step)));
      return momentText(player.origin, time, bag.length, digits);
    },
  };
}

function clockAtStart(origin: number): number {
  if (timeStyle() === "start") return 0;
  const zone = timeStyle() === "utc" ? 0 : new Date(origin * 1000).getTimezoneOffset() * 60;
  return (origin - zone) % 86_400;
}

/** Moves what moves in each frame. */
function place(lane: HTMLElement, player: Player): void {
  const { view, covered, time, bag } = player;
  const part = (at: number, range: Range) => (at - range.start) / (range.end - range.start);
  const within = (at: number) => Math.min(1, Math.max(0, part(at, view))) * 100;
  const put = (selector: string, left: number, size?: number, isSeen = true) => {
    const element = lane.querySelector<HTMLElement>(selector);
    if (!element) return;
    element.style.left = `${left}%`;
    if (size !== undefined) element.style.width = `${size}%`;
    element.hidden = !isSeen;
  };
  const now = part(time, view);
  put(".lane > .now", now * 100, undefined, now >= 0 && now <= 1);
  put(".loaded", within(covered.start), within(covered.end) - within(covered.start));
  const whole = wholeOf(bag.length);
  put(".window", part(view.start, whole) * 100, ((view.end - view.start) / whole.end) * 100);
  put(".overview .now", part(time, whole) * 100);
  const canvas = lane.querySelector("canvas")!;
  const text = instantText(player.origin, time, 1);
  if (canvas.getAttribute("aria-valuetext") === text) return;
  canvas.setAttribute("aria-valuetext", text);
  canvas.setAttribute("aria-valuenow", time.toFixed(3));
}

/** What the arrows and Home and End do is said in keys.ts; a slider has these, too. */
function onStripKey(event: KeyboardEvent, player: Player): void {
  const page = (player.view.end - player.view.start) / 10;
  const steps: Record<string, number> = {
    ArrowUp: 1,
    ArrowDown: -1,
    PageUp: page,
    PageDown: -page,
  };
  const step = steps[event.key];
  if (step === undefined) return;
  event.preventDefault();
  player.seek(player.time + step);
}

/** In the small strip of the whole bag, the part in view follows the pointer. */
function lead(event: PointerEvent, player: Player): void {
  const element = event.currentTarget as HTMLElement;
  const follow = (move: PointerEvent) => {
    const box = element.getBoundingClientRect();
    const time = ((move.clientX - box.left) / box.width) * wholeOf(player.bag.length).end;
    player.pan(time - (player.view.start + player.view.end) / 2);
  };
  element.setPointerCapture(event.pointerId);
  follow(event);
  element.addEventListener("pointermove", follow);
  const end = () => element.removeEventListener("pointermove", follow);
  element.addEventListener("pointerup", end, { once: true });
  element.addEventListener("pointercancel", end, { once: true });
}

/** What one or two pointers hold on the strips. */
class Hand {
  private readonly fingers = new Map<number, number>(); // pointer: part of the width
  private drag: Drag | null = null;

  constructor(
    private readonly player: Player,
    private readonly canvas: () => HTMLCanvasElement,
  ) {}

  get isSeeking(): boolean {
    return this.drag?.kind === "seek";
  }

  private partAt(event: MouseEvent): number {
    const box = this.canvas().getBoundingClientRect();
    return (event.clientX - box.left) / box.width;
  }
  timeAt(event: MouseEvent): number {
    const { view } = this.player;
    return view.start + this.partAt(event) * (view.end - view.start);
  }
  private isNear(event: MouseEvent, time: number): boolean {
    const { view } = this.player;
    const apart = (time - this.timeAt(event)) / (view.end - view.start);
    return Math.abs(apart) * this.canvas().clientWidth <= NEAR;
  }

  down(event: PointerEvent): void {
    if (event.button !== 0) return;
    this.canvas().setPointerCapture(event.pointerId);
    this.fingers.set(event.pointerId, this.partAt(event));
    if (this.fingers.size === 2) {
      this.drag = { kind: "pinch", from: [...this.fingers.values()] as [number, number] };
      return;
    }
    const { player } = this;
    const { marks, bag } = player;
    const time = this.timeAt(event);
    const isOnAxis = event.clientY - this.canvas().getBoundingClientRect().top < AXIS + NEAR;
    const noted = isOnAxis && player.events.list.find((each) => this.isNear(event, each.start));
    if (event.altKey) {
      this.drag = { kind: "mark", from: Math.min(bag.length, Math.max(0, time)) };
    } else if (marks.a !== null && this.isNear(event, marks.a)) {
      this.drag = { kind: "end", end: "a" };
    } else if (marks.b !== null && this.isNear(event, marks.b)) {
      this.drag = { kind: "end", end: "b" };
    } else {
      this.drag = noted ? null : { kind: "seek" };
      player.seek(noted ? noted.start : time);
    }
  }

  move(event: PointerEvent): void {
    const { drag, player } = this;
    const { a, b } = player.marks;
    const isOnEnd = [a, b].some((end) => end !== null && this.isNear(event, end));
    this.canvas().style.cursor = drag?.kind === "end" || isOnEnd ? "ew-resize" : "";
    if (!drag) return;
    const time = Math.min(player.bag.length, Math.max(0, this.timeAt(event)));
    if (drag.kind === "seek") player.seek(time);
    if (drag.kind === "mark") player.setMarks(between(player.marks, drag.from, time));
    if (drag.kind === "end") player.setMarks(moved(player.marks, drag.end, time));
    if (drag.kind === "pinch" && this.fingers.has(event.pointerId)) {
      this.fingers.set(event.pointerId, this.partAt(event));
      const to = [...this.fingers.values()] as [number, number];
      player.pinch(drag.from, to);
      drag.from = to;
    }
  }

  up(event: PointerEvent): void {
    this.fingers.delete(event.pointerId);
    this.drag = null;
  }
}
