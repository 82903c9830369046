// Draws the timeline: labels of time, how many messages there are, a row for each pinned topic, the
// marked range and events. The clock and what is loaded move in each frame; they are elements that
// lie on top, so that nothing here is drawn again for them.

import { aboutText } from "../source/joined/words";
import type { Range } from "../player/feed";
import type { Damage } from "../player/loader";
import type { BagEvent } from "./events";
import { columnsOf, mostOf, ratesOf } from "./heat";
import { longestDelay, type Stamps } from "./stamps";
import type { Strip, Strips } from "./strips";
import { labelStep } from "./zoom";

/** Heights in CSS pixels, from the top. */
export const AXIS = 16;
export const DENSITY = 36;
export const ROW = 18;
const RATE = 10;
const DELAY = 4;
/** Below the counts is room for what is loaded. */
const UNDER = 7;
/** A rate is drawn in steps of this many device pixels. */
const CELL = 2;
/** How strong the colour of the usual rate is: a burst is stronger. */
const USUAL = 0.7;
/** Between bags, a shorter time is no gap for the eye. */
const LEAST_GAP = 3;
/** What a time on the axis has across, if it is no longer than usual. */
const LABEL = 110;
/** Messages that are farther apart than this are drawn one by one, in CSS pixels. */
const APART = 7;

export interface Picture {
  view: Range;
  strips: Strips;
  pins: string[];
  marked: Range | null;
  isLooping: boolean;
  events: BagEvent[];
  damage: Damage[];
  /** Between bags that are shown together. */
  gaps: Range[];
  /** What play leaves out. */
  skips: Range[];
  length: number;
  /** What a label says; `clock` is what a clock says at the start of the bag, in seconds, so that
      labels are at round times. */
  text(time: number, step: number): string;
  clock: number;
}

export function stripHeight(rows: number): number {
  return AXIS + DENSITY + rows * ROW;
}

/** Where on the canvas, and how. */
class Pen {
  readonly context: CanvasRenderingContext2D;
  readonly scale = devicePixelRatio;
  readonly width: number;
  readonly height: number;
  private readonly style: CSSStyleDeclaration;

  constructor(
    readonly canvas: HTMLCanvasElement,
    readonly view: Range,
  ) {
    this.width = Math.round(canvas.clientWidth * this.scale);
    this.height = Math.round(canvas.clientHeight * this.scale);
    if (canvas.width !== this.width) canvas.width = this.width;
    if (canvas.height !== this.height) canvas.height = this.height;
    this.context = canvas.getContext("2d")!;
    this.context.clearRect(0, 0, this.width, this.height);
    this.style = getComputedStyle(canvas);
  }

  colour(name: string): string {
    return this.style.getPropertyValue(name).trim();
  }
  x(time: number): number {
    return ((time - this.view.start) / (this.view.end - this.view.start)) * this.width;
  }
  y(pixels: number): number {
    return Math.round(pixels * this.scale);
  }
  /** From one time to another, at least `least` device pixels wide. */
  bar(range: Range, top: number, height: number, least = 1): void {
    const left = Math.max(-4, Math.floor(this.x(range.start)));
    const right = Math.min(this.width + 4, Math.ceil(this.x(range.end)));
    if (right < 0 || left > this.width) return;
    this.context.fillRect(left, top, Math.max(least, right - left), height);
  }
  line(time: number, top: number, bottom: number, pixels: number): void {
    const size = Math.max(1, Math.round(pixels * this.scale));
    this.context.fillRect(Math.round(this.x(time) - size / 2), top, size, bottom - top);
  }
  hatched(name: string): CanvasPattern | string {
    const colour = this.colour(name);
    const key = `${colour} ${this.scale}`;
    if (!tiles.has(key)) tiles.set(key, hatchedTile(colour, this.scale));
    return this.context.createPattern(tiles.get(key)!, "repeat") ?? colour;
  }
}

/** Of the few colours and scales that there are; a canvas takes longer to make than to draw. */
const tiles = new Map<string, OffscreenCanvas>();

function hatchedTile(colour: string, scale: number): OffscreenCanvas {
  const size = Math.round(6 * scale);
  const tile = new OffscreenCanvas(size, size);
  const context = tile.getContext("2d")!;
  context.strokeStyle = colour;
  context.lineWidth = Math.max(1, scale);
  context.beginPath();
  for (const shift of [-size, 0, size]) {
    context.moveTo(shift, size);
    context.lineTo(shift + size, 0);
  }
  context.stroke();
  return tile;
}

export function drawTimeline(canvas: HTMLCanvasElement, picture: Picture): void {
  const pen = new Pen(canvas, picture.view);
  if (pen.width === 0) return;
  drawMarked(pen, picture);
  drawDensity(pen, picture);
  drawSkips(pen, picture);
  drawAxis(pen, picture);
  picture.pins.forEach((topic, i) => {
    const strip = picture.strips.byTopic.get(topic);
    if (strip) drawRow(pen, picture, strip, AXIS + DENSITY + i * ROW);
  });
  drawEvents(pen, picture);
}

function drawAxis(pen: Pen, { view, clock, text }: Picture): void {
  const { context, scale } = pen;
  context.font = `${Math.round(10.5 * scale)}px ${pen.colour("--font-data")}`;
  const stepOf = (room: number) => labelStep(view.end - view.start, pen.width / room);
  // Of a long timeline, times have the day and the year before them.
  const widest = context.measureText(text(view.end, stepOf(LABEL * scale))).width;
  const step = stepOf(Math.max(LABEL * scale, widest + 12 * scale));
  context.textBaseline = "middle";
  for (let i = Math.ceil((view.start + clock) / step - 1e-6); ; ++i) {
    const time = i * step - clock;
    if (time > view.end) break;
    const x = Math.round(pen.x(time));
    context.fillStyle = pen.colour("--line");
    context.fillRect(x, 0, Math.max(1, Math.round(scale)), pen.y(AXIS + DENSITY));
    const label = text(time, step);
    if (x + context.measureText(label).width + 4 * scale > pen.width) continue;
    context.fillStyle = pen.colour("--text-quiet");
    context.fillText(label, x + 4 * scale, pen.y(AXIS / 2));
  }
}

function drawDensity(pen: Pen, { view, strips, gaps, damage }: Picture): void {
  const { context } = pen;
  const bottom = pen.y(AXIS + DENSITY - UNDER);
  const top = pen.y(AXIS);
  if (strips.all) {
    const height = bottom - top;
    const columns = columnsOf(strips.all, view, pen.width);
    const most = columns.reduce((a, b) => Math.max(a, b), 1e-9);
    context.fillStyle = pen.colour("--density");
    columns.forEach((count, x) => {
      if (count <= 0) return;
      const size = Math.max(1, Math.round((count / most) * height));
      context.fillRect(x, top + height - size, 1, size);
    });
  }
  context.fillStyle = pen.hatched("--line");
  for (const each of gaps) {
    if (pen.x(each.end) - pen.x(each.start) > pen.y(LEAST_GAP)) pen.bar(each, top, bottom - top);
  }
  context.fillStyle = pen.hatched("--bad");
  for (const each of damage) pen.bar(each, top, bottom - top, 4);
}

/** An arrow over what play leaves out, with how long that is. */
function drawSkips(pen: Pen, { skips }: Picture): void {
  const { context, scale } = pen;
  const middle = pen.y(AXIS + (DENSITY - UNDER) / 2);
  context.font = `${Math.round(10.5 * scale)}px ${pen.colour("--font-data")}`;
  context.textBaseline = "middle";
  for (const each of skips) {
    const [left, right] = [Math.max(0, pen.x(each.start)), Math.min(pen.width, pen.x(each.end))];
    if (right <= left) continue;
    context.fillStyle = pen.colour("--accent");
    pen.bar(each, middle, pen.y(2), pen.y(2));
    if (right - left < pen.y(12)) continue;
    context.beginPath();
    context.moveTo(right, middle + pen.y(1));
    context.lineTo(right - pen.y(6), middle - pen.y(4));
    context.lineTo(right - pen.y(6), middle + pen.y(6));
    context.fill();
    const label = aboutText(each.end - each.start);
    const width = context.measureText(label).width + pen.y(8);
    if (right - left < width + pen.y(24)) continue;
    const at = (left + right - width) / 2;
    context.fillStyle = pen.colour("--surface");
    context.fillRect(at, middle - pen.y(7), width, pen.y(16));
    context.fillStyle = pen.colour("--text-quiet");
    context.fillText(label, at + pen.y(4), middle + pen.y(1));
  }
}

function drawRow(pen: Pen, picture: Picture, strip: Strip, top: number): void {
  const { context } = pen;
  const { view, strips, length } = picture;
  const y = pen.y(top + 2);
  const rate = pen.y(RATE);
  const bag = { start: Math.max(0, view.start), end: Math.min(length, view.end) };
  context.fillStyle = pen.colour("--page");
  pen.bar(bag, y, rate);
  const stamps = strips.stampsOf(strip.topic, view);
  const perPixel = (pen.width / pen.scale) * ((strip.period ?? Infinity) / (view.end - view.start));
  context.fillStyle = pen.colour("--accent");
  if (strip.period !== undefined && perPixel < APART) {
    const columns = Math.ceil(pen.width / CELL);
    ratesOf(strip.counts, strip.period, view, columns).forEach((value, i) => {
      context.globalAlpha = USUAL * Math.min(1.4, value);
      context.fillRect(i * CELL, y, CELL, rate);
    });
    context.globalAlpha = 1;
  } else if (stamps) {
    for (const time of stamps.times) pen.line(time, y, y + rate, 2);
  } else {
    drawTicks(pen, strip, y, rate);
  }
  context.fillStyle = pen.hatched("--warn");
  for (const gap of strip.gaps) {
    context.clearRect(Math.round(pen.x(gap.start)), y, pen.x(gap.end) - pen.x(gap.start), rate);
    pen.bar(gap, y, rate, 2);
  }
  if (stamps) drawStamps(pen, picture, stamps, y, rate);
}

/** Of what is too slow or too rare to have a rate. */
function drawTicks(pen: Pen, strip: Strip, y: number, size: number) {
  for (const { start, part, counts } of strip.counts) {
    for (let i = 0; i < counts.length; ++i) {
      if (!counts[i]) continue;
      pen.bar({ start: start + i * part, end: start + i * part }, y, size, pen.y(2));
    }
  }
}

/** Below the rate: the longest delay of each column, and where messages are missing. */
function drawStamps(pen: Pen, picture: Picture, stamps: Stamps, y: number, rate: number): void {
  const { context } = pen;
  const columns = Math.ceil(pen.width / CELL);
  const top = y + rate + pen.y(1);
  // One scale for all rows, so that they can be compared.
  const longest = picture.pins.reduce((most, topic) => {
    const of = picture.strips.stampsOf(topic, picture.view);
    return Math.max(most, (of && longestDelay(of)) ?? 0);
  }, SHORT);
  context.fillStyle = pen.colour("--warn");
  mostOf(stamps.times, stamps.delays, picture.view, columns).forEach((delay, i) => {
    if (Number.isNaN(delay)) return;
    context.globalAlpha = 0.12 + 0.88 * Math.min(1, Math.max(0, delay) / longest);
    context.fillRect(i * CELL, top, CELL, pen.y(DELAY));
  });
  context.globalAlpha = 1;
  context.fillStyle = pen.colour("--bad");
  for (const { time } of stamps.drops) pen.line(time, y - pen.y(1), y + rate + pen.y(1), 3);
}
/** What is far below this looks short, in seconds. */
const SHORT = 0.02;

function drawMarked(pen: Pen, { marked, isLooping }: Picture): void {
  if (!marked) return;
  const { context } = pen;
  context.fillStyle = pen.colour("--accent-soft");
  pen.bar(marked, 0, pen.height);
  context.fillStyle = pen.colour("--accent");
  if (isLooping) pen.bar(marked, 0, pen.y(2));
  for (const [time, side] of [[marked.start, 1], [marked.end, -1]] as const) {
    pen.line(time, 0, pen.height, 1);
    const x = pen.x(time);
    context.beginPath(); // what the hand takes
    context.moveTo(x, 0);
    context.lineTo(x + side * pen.y(8), 0);
    context.lineTo(x, pen.y(10));
    context.fill();
  }
}

function drawEvents(pen: Pen, { events }: Picture): void {
  const { context } = pen;
  const middle = pen.y(AXIS + 1);
  const size = pen.y(5);
  for (const { start, end } of events) {
    context.fillStyle = pen.colour("--series-4");
    if (end !== null) pen.bar({ start, end }, middle - pen.y(1), pen.y(2));
    pen.line(start, middle, pen.y(AXIS + DENSITY - 3), 1);
    const x = pen.x(start);
    context.beginPath();
    context.moveTo(x, middle - size);
    context.lineTo(x + size, middle);
    context.lineTo(x, middle + size);
    context.lineTo(x - size, middle);
    context.closePath();
    context.strokeStyle = pen.colour("--surface");
    context.lineWidth = Math.max(1, pen.scale);
    context.stroke();
    context.fill();
  }
}

/** The whole bag, very small. */
export function drawOverview(canvas: HTMLCanvasElement, strips: Strips, whole: Range): void {
  const pen = new Pen(canvas, whole);
  if (pen.width === 0 || !strips.all) return;
  const columns = columnsOf(strips.all, whole, pen.width);
  const most = columns.reduce((a, b) => Math.max(a, b), 1e-9);
  pen.context.fillStyle = pen.colour("--density");
  columns.forEach((count, x) => {
    const size = Math.round((count / most) * pen.height);
    if (size > 0) pen.context.fillRect(x, pen.height - size, 1, size);
  });
}
