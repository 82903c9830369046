// The map on its canvas: a grid of metres, the tracks, where the robots are now, north and a scale.

import type { Feed } from "../../player/feed";
import type { Message } from "../../player/store";
import { boxOf, fitted, fixOf, gridStep, metresText, Plane, positionText } from "./geo";
import type { Fix, Point, Position, View } from "./geo";
import { heldPositions, seriesPositions } from "./track";

const COLOURS = 7; // --series-1 to --series-7
const PARTS = 1000;
const GRID_PIXELS = 72;
const SCALE_PIXELS = 60;
const MOST_SCALE = 10_000; // pixels of a metre
const LEAST_SCALE = 1e-5;

interface Track {
  topic: string;
  whole: Position[];
  held: Position[];
  message: Message | undefined;
  fix: Fix | null;
  /** The last one that made sense. */
  last: Fix | null;
}

export interface Told {
  /** Of each topic, when it has changed. */
  setFixes(fixes: (Fix | null)[]): void;
  setProblem(problem: string): void;
  setPointer(text: string): void;
}

export class Drawing {
  private readonly tracks: Track[];
  private plane: Plane | null = null;
  private view: View | null = null; // null: all is seen
  private drawn = "";
  private version = 0; // of the tracks
  private size = { width: 0, height: 0 };
  private readonly gone = new AbortController();

  constructor(
    private readonly canvas: HTMLCanvasElement,
    topics: string[],
    private readonly feed: Feed,
    private readonly told: Told,
  ) {
    this.tracks = topics.map((topic) => ({
      topic,
      whole: [],
      held: [],
      message: undefined,
      fix: null,
      last: null,
    }));
  }

  begin(): () => void {
    for (const track of this.tracks) void this.load(track);
    this.listen();
    const end = this.feed.onFrame(() => this.frame());
    return () => {
      end();
      this.gone.abort();
    };
  }

  private async load(track: Track): Promise<void> {
    const all = { start: 0, end: Infinity };
    const fields = ["latitude", "longitude"];
    try {
      track.whole = seriesPositions(await this.feed.series(track.topic, fields, all, PARTS));
      ++this.version;
    } catch (error) {
      this.told.setProblem(`No track of the whole bag: ${(error as Error).message}`);
    }
  }

  private frame(): void {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (!width || !height) return;
    this.size = { width, height };
    let isChanged = false;
    for (const track of this.tracks) {
      const message = this.feed.at(track.topic);
      if (message === track.message) continue;
      track.message = message;
      track.fix = message ? fixOf(message.value) : null;
      if (track.fix?.hasFix) track.last = track.fix;
      isChanged = true;
    }
    if (isChanged) this.told.setFixes(this.tracks.map((each) => each.fix));
    const { covered } = this.feed;
    const scheme = matchMedia("(prefers-color-scheme: dark)").matches;
    const times = this.tracks.map((each) => each.message?.time).join();
    const screen = [width, height, devicePixelRatio, scheme].join();
    const key = [this.version, times, covered.start, screen].join(" ");
    if (key === this.drawn) return;
    this.drawn = key;
    for (const track of this.tracks) track.held = heldPositions(this.feed, track.topic);
    this.draw();
  }

  private points(positions: Position[]): Point[] {
    return positions.map((each) => this.plane!.pointOf(each));
  }

  /** null: there is no position to show. */
  private shownView(): View | null {
    const known = this.tracks.flatMap(({ whole, held, last }) => [
      ...whole,
      ...held,
      ...(last ? [last.position!] : []),
    ]);
    if (!known.length) return null;
    this.plane ??= new Plane(known[0]!);
    if (this.view) return this.view;
    return fitted(boxOf(this.points(known))!, this.size.width, this.size.height);
  }

  private draw(): void {
    const { width, height } = this.size;
    const density = devicePixelRatio;
    this.canvas.width = Math.round(width * density);
    this.canvas.height = Math.round(height * density);
    const context = this.canvas.getContext("2d")!;
    context.scale(density, density);
    const view = this.shownView();
    if (!view) return;
    const style = getComputedStyle(this.canvas);
    const colour = (name: string) => style.getPropertyValue(name).trim();
    const at = ({ x, y }: Point): [number, number] => [
      width / 2 + (x - view.x) * view.scale,
      height / 2 - (y - view.y) * view.scale,
    ];
    this.drawGrid(context, view, colour("--line"));
    context.lineJoin = "round";
    this.tracks.forEach((track, i) => {
      const stroke = colour(`--series-${(i % COLOURS) + 1}`);
      const line = (positions: Position[], lineWidth: number, alpha: number) => {
        context.beginPath();
        for (const point of this.points(positions)) context.lineTo(...at(point));
        context.globalAlpha = alpha;
        context.lineWidth = lineWidth;
        context.strokeStyle = stroke;
        context.stroke();
        context.globalAlpha = 1;
      };
      line(track.whole, 1.5, 0.5);
      line(track.held, 3, 1);
    });
    this.tracks.forEach((track, i) => {
      if (!track.last) return;
      const [x, y] = at(this.plane!.pointOf(track.last.position!));
      const fill = colour(`--series-${(i % COLOURS) + 1}`);
      const dot = (radius: number, style: string, alpha: number) => {
        context.globalAlpha = alpha;
        context.fillStyle = style;
        context.beginPath();
        context.arc(x, y, radius, 0, 2 * Math.PI);
        context.fill();
        context.globalAlpha = 1;
      };
      if (track.last.deviation) dot(track.last.deviation * view.scale, fill, 0.2);
      dot(8, colour("--surface"), 1);
      dot(6, track.fix?.hasFix ? colour("--accent") : colour("--text-quiet"), 1);
    });
    this.drawScale(context, view, colour);
    drawNorth(context, width - 24, 28, colour("--text-quiet"));
  }

  private drawGrid(context: CanvasRenderingContext2D, view: View, line: string): void {
    const { width, height } = this.size;
    const step = gridStep(view.scale, GRID_PIXELS);
    context.strokeStyle = line;
    context.lineWidth = 1;
    context.beginPath();
    const left = view.x - width / 2 / view.scale;
    const bottom = view.y - height / 2 / view.scale;
    for (let i = Math.ceil(left / step); ; ++i) {
      const x = Math.round((i * step - left) * view.scale) + 0.5;
      if (x > width) break;
      context.moveTo(x, 0);
      context.lineTo(x, height);
    }
    for (let i = Math.ceil(bottom / step); ; ++i) {
      const y = height - Math.round((i * step - bottom) * view.scale) - 0.5;
      if (y < 0) break;
      context.moveTo(0, y);
      context.lineTo(width, y);
    }
    context.stroke();
  }

  private drawScale(
    context: CanvasRenderingContext2D,
    view: View,
    colour: (name: string) => string,
  ): void {
    const metres = gridStep(view.scale, SCALE_PIXELS);
    const long = metres * view.scale;
    const [x, y] = [12, this.size.height - 12];
    context.strokeStyle = colour("--text");
    context.lineWidth = 1.5;
    context.beginPath();
    context.moveTo(x, y - 5);
    context.lineTo(x, y);
    context.lineTo(x + long, y);
    context.lineTo(x + long, y - 5);
    context.stroke();
    context.fillStyle = colour("--text");
    context.font = `12px ${colour("--font-data")}`;
    context.fillText(metresText(metres), x + 4, y - 5);
  }

  private redraw(): void {
    ++this.version;
  }

  /** 0: all of it. */
  zoom(factor: number, x = this.size.width / 2, y = this.size.height / 2): void {
    const view = this.shownView();
    if (!view || factor === 0) {
      this.view = null;
    } else {
      const scale = Math.min(MOST_SCALE, Math.max(LEAST_SCALE, view.scale * factor));
      const { width, height } = this.size;
      const [across, up] = [x - width / 2, height / 2 - y];
      this.view = {
        x: view.x + across / view.scale - across / scale,
        y: view.y + up / view.scale - up / scale,
        scale,
      };
    }
    this.redraw();
  }

  private move(x: number, y: number): void {
    const view = this.shownView();
    if (!view) return;
    this.view = { ...view, x: view.x - x / view.scale, y: view.y + y / view.scale };
    this.redraw();
  }

  private tellPointer(event: PointerEvent): void {
    const view = this.shownView();
    if (!view || !this.plane) return;
    const { width, height } = this.size;
    const x = view.x + (event.offsetX - width / 2) / view.scale;
    const y = view.y - (event.offsetY - height / 2) / view.scale;
    this.told.setPointer(positionText(this.plane.positionOf({ x, y })));
  }

  private listen(): void {
    const { signal } = this.gone;
    const { canvas } = this;
    const wheel = (event: WheelEvent) => {
      if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) return; // to another page
      event.preventDefault();
      const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
      this.zoom(Math.exp((-event.deltaY * lines) / 300), event.offsetX, event.offsetY);
    };
    const pointer = (event: PointerEvent) => {
      if (event.buttons === 1) this.move(event.movementX, event.movementY);
      this.tellPointer(event);
    };
    canvas.addEventListener("wheel", wheel, { signal, passive: false });
    canvas.addEventListener("pointermove", pointer, { signal });
    canvas.addEventListener("pointerleave", () => this.told.setPointer(""), { signal });
    canvas.addEventListener("dblclick", () => this.zoom(0), { signal });
  }
}

function drawNorth(context: CanvasRenderingContext2D, x: number, y: number, fill: string): void {
  context.fillStyle = fill;
  context.beginPath();
  context.moveTo(x, y - 16);
  context.lineTo(x + 6, y);
  context.lineTo(x, y - 4);
  context.lineTo(x - 6, y);
  context.fill();
  context.font = "600 11px sans-serif";
  context.textAlign = "center";
  context.fillText("N", x, y + 12);
  context.textAlign = "start";
}
