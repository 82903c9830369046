// One plot on the screen: it follows the clock and the part of the bag that the timeline shows,
// asks for the curves of it, and draws them when they have changed.

import type { SeriesAnswer } from "../../api";
import { numberAt } from "../../decode/type";
import type { Feed, Range } from "../../player/feed";
import {
  against,
  broken,
  derivative,
  exactCurves,
  placeOf,
  seriesCurve,
  valueAt,
  type Choice,
  type Curve,
} from "./data";
import { Cursors, type Marks } from "./cursors";
import { AROUND, draw, type Frame, type Look } from "./draw";
import type { Stroke } from "./draw";
import type { Line } from "./lines";
import { equalScales, extentOf, zoomed, type Extent } from "./scale";

export interface Shown {
  /** Of each line, at the instant or under the pointer. */
  values: (number | null)[];
  problem: string;
}

/** Curves of a range. */
interface Loaded {
  range: Range;
  /** Seconds that a point stands for; 0: they are messages. */
  part: number;
  /** Of what the page holds: more may have come since. */
  until: number;
  curves: Curve[];
}

const PIXELS_PER_PART = 2;
/** How much more than the view is asked for on each side, so that one can pan. */
const MARGIN = 0.5;
/** As many fields as the server takes at once. */
const MOST_FIELDS = 16;
const ZOOM = 1.002; // for each unit of the wheel
const AXIS_DRAG = 3; // pixels from which a press is a drag

export class Drawing {
  private lines: Line[] = [];
  private choice: Choice | undefined;
  private loaded: Loaded | null = null;
  private isAsking = false;
  private problem = "";
  private told = "";
  private drawn = "";
  private version = 0; // of the curves
  private curves: Curve[] = [];
  private area: Frame | null = null;
  private readonly canvas = document.createElement("canvas");
  private cursors: Cursors | null = null;
  private look: Look | undefined;

  constructor(
    private readonly host: HTMLElement,
    private readonly feed: Feed,
    private readonly tell: (shown: Shown) => void,
    private readonly zoom: (settings: { min: string; max: string }) => void,
  ) {}

  begin(): () => void {
    this.host.append(this.canvas);
    this.cursors = new Cursors(this.host);
    const scheme = matchMedia("(prefers-color-scheme: dark)");
    const again = () => {
      this.look = undefined;
      this.drawn = "";
    };
    scheme.addEventListener("change", again);
    const listening = new AbortController();
    this.listen(listening.signal);
    const end = this.feed.onFrame(() => this.frame());
    return () => {
      end();
      listening.abort();
      scheme.removeEventListener("change", again);
      this.canvas.remove();
      this.cursors?.remove();
    };
  }

  show(lines: Line[], choice: Choice): void {
    const paths = (of: Line[]) => of.map((line) => `${line.topic} ${line.path}`).join("\n");
    const isSame = paths(lines) === paths(this.lines);
    if (!isSame || choice.isStamped !== this.choice?.isStamped) this.loaded = null;
    this.lines = lines;
    this.choice = choice;
    this.drawn = "";
    this.derive();
  }

  private frame(): void {
    const { clientWidth: width, clientHeight: height } = this.host;
    if (width === 0 || height === 0 || !this.choice) return;
    if (this.lines.length) this.load(width);
    this.say();
    const { view } = this.feed;
    const ratio = devicePixelRatio;
    const key = [view.start, view.end, width, height, ratio, this.version].join(" ");
    if (key !== this.drawn) this.draw(width, height, ratio);
    this.drawn = key;
    this.cursors!.place(this.area!, this.marks());
  }

  private draw(width: number, height: number, ratio: number): void {
    if (this.canvas.width !== Math.round(width * ratio)) {
      this.canvas.width = Math.round(width * ratio);
    }
    if (this.canvas.height !== Math.round(height * ratio)) {
      this.canvas.height = Math.round(height * ratio);
    }
    const begin = performance.now();
    const frame = this.frameOf(width, height, ratio);
    this.area = frame;
    draw(this.canvas.getContext("2d")!, frame);
    this.host.dataset.drawn = String(this.version);
    this.host.dataset.x = `${frame.x.min} ${frame.x.max}`;
    this.host.dataset.y = `${frame.y.min} ${frame.y.max}`;
    this.host.dataset.ms = (performance.now() - begin).toFixed(2);
  }

  // --- the curves ---

  private load(width: number): void {
    const { view, covered } = this.feed;
    const { loaded } = this;
    const exact = this.isExact();
    if (exact) {
      const isThere = loaded?.part === 0 && loaded.range.start === view.start;
      if (isThere && loaded.range.end === view.end && loaded.until === covered.end) return;
      const curves = exactCurves(this.feed, this.lines, view, this.choice!.isStamped);
      if (curves) {
        this.take({ range: { ...view }, part: 0, until: covered.end, curves });
        return;
      }
    }
    const length = view.end - view.start;
    const part = length / Math.max(10, Math.floor(width / PIXELS_PER_PART));
    if (this.isAsking) return;
    const isFine = loaded && loaded.part > 0 && loaded.part < 1.5 * part;
    const isCoarse = loaded && loaded.part > part / 3;
    const isAll = loaded && loaded.range.start <= view.start && loaded.range.end >= view.end;
    if (isFine && isCoarse && isAll) return;
    this.ask({ start: view.start - MARGIN * length, end: view.end + MARGIN * length }, part);
  }

  private isExact(): boolean {
    const { view, covered } = this.feed;
    return view.start >= covered.start && view.end <= covered.end;
  }

  private ask(range: Range, part: number): void {
    const { lines, feed } = this;
    this.isAsking = true;
    const byTopic = groups(lines);
    const parts = Math.min(10_000, Math.round((range.end - range.start) / part));
    const answers = [...byTopic].flatMap(([topic, paths]) => {
      const asked: Promise<SeriesAnswer>[] = [];
      for (let i = 0; i < paths.length; i += MOST_FIELDS) {
        asked.push(feed.series(topic, paths.slice(i, i + MOST_FIELDS), range, parts));
      }
      return asked;
    });
    Promise.all(answers).then(
      (all) => {
        this.isAsking = false;
        if (lines !== this.lines) return;
        const curves = lines.map(({ topic, path }) => {
          const answer = all.find((each) => seriesOf(each, topic, path));
          if (!answer) return { times: [], values: [] };
          return seriesCurve(answer, seriesOf(answer, topic, path), feed.origin);
        });
        this.problem = "";
        this.take({ range, part, until: 0, curves });
      },
      (error: Error) => {
        this.isAsking = false;
        if (lines !== this.lines) return;
        this.problem = error.message;
        this.take({ range, part, until: 0, curves: lines.map(() => ({ times: [], values: [] })) });
      },
    );
  }

  private take(loaded: Loaded): void {
    this.loaded = loaded;
    if (loaded.part === 0) this.problem = "";
    this.derive();
    this.host.dataset.kind = loaded.part === 0 ? "points" : "series";
    this.host.dataset.range = `${loaded.range.start} ${loaded.range.end}`;
    const counts = loaded.curves.map((curve) => curve.times.length);
    this.host.dataset.points = String(Math.max(0, ...counts));
  }

  private derive(): void {
    const { gaps = [] } = this.feed;
    const curves = (this.loaded?.curves ?? []).map((curve) => broken(curve, gaps));
    this.curves = this.choice?.isDerivative ? curves.map(derivative) : curves;
    this.host.dataset.version = String(++this.version);
  }

  // --- what is drawn ---

  private frameOf(width: number, height: number, ratio: number): Frame {
    const { feed, choice, curves } = this;
    const look = (this.look ??= lookOf(this.host));
    const colour = (i: number) => look.series(this.lines[i]!.colour);
    const shown = this.shown();
    const base = { width, height, ratio, look };
    if (choice!.isXy) return this.xyFrame(base, shown, colour);
    const strokes = shown.map((i): Stroke => {
      const usual = this.lines[i]!.isStep ? "steps" : "lines";
      const chosen = choice!.style as Stroke["style"] | undefined;
      return { curve: curves[i]!, colour: colour(i), style: chosen ?? usual };
    });
    const x = { min: feed.view.start, max: feed.view.end };
    const y = this.limited(extentOf(strokes.flatMap(({ curve }) => inView(curve, x))));
    return { ...base, x, y, isTime: true, strokes };
  }

  /** The first field across, the others up. */
  private xyFrame(
    base: Pick<Frame, "width" | "height" | "ratio" | "look">,
    shown: number[],
    colour: (i: number) => string,
  ): Frame {
    const { feed, curves } = this;
    const [first, ...others] = shown;
    const view = { min: feed.view.start, max: feed.view.end };
    const strokes: Stroke[] = [];
    const across = first === undefined ? undefined : within(curves[first]!, view);
    for (const i of others) {
      const points = against(across!, curves[i]!);
      const curve = { times: points.map(({ x }) => x), values: points.map(({ y }) => y) };
      const style = this.choice!.style === "points" ? "points" : "lines";
      strokes.push({ curve, colour: colour(i), style });
    }
    const [x, y] = equalScales(
      extentOf(strokes.map(({ curve }) => curve.times)),
      this.limited(extentOf(strokes.map(({ curve }) => curve.values))),
      base.width - AROUND.left - AROUND.right,
      base.height - AROUND.top - AROUND.bottom,
    );
    return { ...base, x, y, isTime: false, strokes };
  }

  /** Of a field against another one, the points of the instant or of the pointer's time. */
  private marks(): Marks {
    const { time: instant, hover } = this.feed;
    if (!this.choice!.isXy) return { instant, hover, points: [] };
    const [first, ...others] = this.shown();
    const across = first === undefined ? null : valueAt(this.curves[first]!, hover ?? instant);
    const points = others.flatMap((i) => {
      const [x, y] = [across, valueAt(this.curves[i]!, hover ?? instant)];
      const colour = this.look!.series(this.lines[i]!.colour);
      return x === null || y === null ? [] : [{ x, y, colour }];
    });
    return { instant: null, hover: null, points };
  }

  /** Lines that are not hidden and have a curve, by their numbers. */
  private shown(): number[] {
    return this.lines.map((_, i) => i).filter((i) => !this.lines[i]!.isHidden && this.curves[i]);
  }

  private limited({ min, max }: Extent): Extent {
    const own = { min: this.choice!.min ?? min, max: this.choice!.max ?? max };
    return own.max > own.min ? own : { min: own.min, max: own.min + 1 };
  }

  /** The values of the legend, if they have changed. */
  private say(): void {
    const { hover, time, isLoading } = this.feed;
    const at = hover ?? time;
    const isOfMessage =
      hover === null && !this.choice!.isDerivative && !this.choice!.isStamped;
    const values = this.lines.map(({ topic, path }, i) => {
      if (isOfMessage) return numberAt(this.feed.at(topic)?.value, path);
      return this.curves[i] ? valueAt(this.curves[i]!, at) : null;
    });
    let { problem } = this;
    if (!problem) problem = this.whyNothing(isLoading);
    const told = `${problem} ${values.join(" ")}`;
    if (told === this.told) return;
    this.told = told;
    this.tell({ values, problem });
  }

  private whyNothing(isLoading: boolean): string {
    const { isStamped, isXy } = this.choice!;
    if (isXy && this.lines.length === 1) return "Add a second field to plot against the first";
    if (isStamped && this.loaded && this.loaded.part > 0) {
      return "Of so long a part there are only the times of the log: zoom in for those in headers";
    }
    const error = this.lines.map(({ topic }) => this.feed.at(topic)?.error).find(Boolean);
    return isLoading ? "" : (error ?? "");
  }

  // --- pointer ---

  private listen(signal: AbortSignal): void {
    const { host, feed } = this;
    const at = (event: MouseEvent) => {
      const box = host.getBoundingClientRect();
      return { x: event.clientX - box.left, y: event.clientY - box.top };
    };
    let isSeeking = false;
    let axis: { y: number; extent: Extent } | null = null;
    const on = <K extends keyof HTMLElementEventMap>(
      name: K,
      act: (event: HTMLElementEventMap[K]) => void,
    ) => host.addEventListener(name, act, { signal, passive: false });
    on("pointerdown", (event) => {
      if (!this.area || event.button !== 0) return;
      host.setPointerCapture(event.pointerId);
      const { x, y } = at(event);
      if (x < AROUND.left) axis = { y, extent: this.area.y };
      else if (!this.choice!.isXy) feed.seek(this.timeAt(x));
      isSeeking = x >= AROUND.left && !this.choice!.isXy;
    });
    on("pointermove", (event) => {
      const { x, y } = at(event);
      if (axis && this.area) {
        if (Math.abs(y - axis.y) < AXIS_DRAG) return;
        const { min, max } = axis.extent;
        const by = ((y - axis.y) / this.plotHeight) * (max - min);
        this.setRange({ min: min + by, max: max + by });
      } else if (x >= AROUND.left && !this.choice!.isXy) {
        if (isSeeking) feed.seek(this.timeAt(x));
        feed.hover = this.timeAt(x);
      } else {
        feed.hover = null;
      }
    });
    const stop = () => {
      isSeeking = false;
      axis = null;
    };
    on("pointerup", stop);
    on("pointercancel", stop);
    on("pointerleave", () => (feed.hover = null));
    on("dblclick", () => this.zoom({ min: "", max: "" }));
    on("wheel", (event) => {
      event.preventDefault();
      if (!this.area) return;
      const { x, y } = at(event);
      const { start, end } = feed.view;
      if (event.ctrlKey) {
        const { min, max } = this.area.y;
        const part = (this.area.height - AROUND.bottom - y) / this.plotHeight;
        this.setRange(zoomed({ min, max }, ZOOM ** event.deltaY, min + part * (max - min)));
      } else if (event.shiftKey) {
        feed.pan(((event.deltaY + event.deltaX) / 1000) * (end - start));
      } else {
        feed.zoom(ZOOM ** event.deltaY, this.choice!.isXy ? feed.time : this.timeAt(x));
      }
    });
  }

  private get plotHeight(): number {
    return Math.max(1, this.area!.height - AROUND.top - AROUND.bottom);
  }

  private timeAt(x: number): number {
    const { width } = this.host.getBoundingClientRect();
    const { start, end } = this.feed.view;
    const part = (x - AROUND.left) / Math.max(1, width - AROUND.left - AROUND.right);
    return start + Math.min(1, Math.max(0, part)) * (end - start);
  }

  private setRange({ min, max }: Extent): void {
    if (!(max > min)) return;
    const text = (value: number) => String(Number(value.toPrecision(6)));
    if (Number(text(max)) > Number(text(min))) this.zoom({ min: text(min), max: text(max) });
  }
}

function groups(lines: Line[]): Map<string, string[]> {
  const byTopic = new Map<string, string[]>();
  for (const { topic, path } of lines) {
    const paths = byTopic.get(topic) ?? [];
    if (!paths.includes(path)) paths.push(path);
    byTopic.set(topic, paths);
  }
  return byTopic;
}

function seriesOf(answer: SeriesAnswer, topic: string, path: string) {
  return answer.series.find((each) => each.topic === topic && each.field === path);
}

/** Points from `min` to `max`, and one on each side. */
function within({ times, values }: Curve, { min, max }: Extent): Curve {
  const from = Math.max(0, placeOf(times, min));
  const to = placeOf(times, max) + 2;
  return { times: times.slice(from, to), values: values.slice(from, to) };
}

/** All numbers that the view has to show of a curve. */
function inView({ times, values, low, high }: Curve, view: Extent): (number | null)[][] {
  const from = Math.max(0, placeOf(times, view.min));
  const to = placeOf(times, view.max) + 2;
  return [values, low, high].flatMap((list) => (list ? [list.slice(from, to)] : []));
}

function lookOf(host: HTMLElement): Look {
  const style = getComputedStyle(host);
  const value = (name: string) => style.getPropertyValue(name).trim();
  const series = new Map<number, string>();
  return {
    series: (number) => {
      if (!series.has(number)) series.set(number, value(`--series-${number}`));
      return series.get(number)!;
    },
    text: value("--text-quiet"),
    grid: value("--line"),
    font: `11px ${value("--font-text")}`,
  };
}
