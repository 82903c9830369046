// Draws the axes and curves of a plot on a canvas; what moves over them is in cursors.ts. What it
// costs depends on the pixels and not on the messages: of a long range there are parts, two pixels
// wide, and no more.

import { lengthText } from "../../format";
import type { Curve } from "./data";
import { digitsOf, spacedTicks, tickText, ticksOf, timeTicksOf, type Extent } from "./scale";

export type Style = "lines" | "points" | "steps";

export interface Stroke {
  curve: Curve;
  colour: string;
  style: Style;
}

export interface Look {
  series(number: number): string;
  text: string;
  grid: string;
  font: string;
}

export interface Frame {
  /** In CSS pixels. */
  width: number;
  height: number;
  ratio: number;
  x: Extent;
  y: Extent;
  /** The x axis is time; else it is a field. */
  isTime: boolean;
  strokes: Stroke[];
  look: Look;
}

/** What is around the part with the curves. */
export const AROUND = { left: 52, right: 10, top: 8, bottom: 22 };
const LABEL_Y = 32;

export interface Mapping {
  toX(value: number): number;
  toY(value: number): number;
}

export function mappingOf({ width, height, x, y }: Frame | MappingOf): Mapping {
  const across = (width - AROUND.left - AROUND.right) / (x.max - x.min);
  const up = (height - AROUND.top - AROUND.bottom) / (y.max - y.min);
  return {
    toX: (value) => AROUND.left + (value - x.min) * across,
    toY: (value) => height - AROUND.bottom - (value - y.min) * up,
  };
}
export type MappingOf = Pick<Frame, "width" | "height" | "x" | "y">;

export function draw(context: CanvasRenderingContext2D, frame: Frame): void {
  const { width, height, ratio } = frame;
  const map = mappingOf(frame);
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  const box = {
    width: width - AROUND.left - AROUND.right,
    height: height - AROUND.top - AROUND.bottom,
  };
  if (box.width <= 0 || box.height <= 0) return;
  drawAxes(context, frame, map, box);
  context.save();
  context.beginPath();
  context.rect(AROUND.left, AROUND.top, box.width, box.height);
  context.clip();
  for (const stroke of frame.strokes) drawBand(context, stroke, map);
  for (const stroke of frame.strokes) drawCurve(context, stroke, map);
  context.restore();
}

function drawAxes(
  context: CanvasRenderingContext2D,
  { width, height, x, y, isTime, look }: Frame,
  map: Mapping,
  box: { width: number; height: number },
): void {
  context.font = look.font;
  context.fillStyle = look.grid;
  const xs = spacedTicks(
    x,
    box.width,
    (most) => (isTime ? timeTicksOf(x, most) : ticksOf(x, most)),
    (ticks) => {
      const digits = digitsOf(ticks, 3);
      return ticks.map((at) => (isTime ? lengthText(at, digits) : tickText(at, ticks)));
    },
    (text) => context.measureText(text).width,
  );
  const ys = ticksOf(y, Math.max(2, Math.floor(box.height / LABEL_Y)));
  for (const { at } of xs) context.fillRect(Math.round(map.toX(at)), AROUND.top, 1, box.height);
  for (const at of ys) context.fillRect(AROUND.left, Math.round(map.toY(at)), box.width, 1);
  context.fillStyle = look.text;
  context.textBaseline = "top";
  context.textAlign = "center";
  for (const { at, label } of xs) {
    const half = context.measureText(label).width / 2;
    const middle = Math.min(width - half - 2, Math.max(half + 2, map.toX(at)));
    context.fillText(label, middle, height - AROUND.bottom + 6);
  }
  context.textBaseline = "middle";
  context.textAlign = "right";
  for (const at of ys) {
    const up = Math.min(height - AROUND.bottom - 5, Math.max(AROUND.top + 5, map.toY(at)));
    context.fillText(tickText(at, ys), AROUND.left - 6, up, AROUND.left - 8);
  }
}

function drawBand(context: CanvasRenderingContext2D, stroke: Stroke, map: Mapping): void {
  const { times, low, high } = stroke.curve;
  if (!low || !high || stroke.style === "points") return;
  context.fillStyle = stroke.colour;
  context.globalAlpha = 0.25;
  let begin = 0;
  for (let i = 0; i <= times.length; ++i) {
    if (i < times.length && low[i] !== null && high[i] !== null) continue;
    if (i - begin > 0) {
      context.beginPath();
      for (let j = begin; j < i; ++j) context.lineTo(map.toX(times[j]!), map.toY(high[j]!));
      for (let j = i; j-- > begin; ) context.lineTo(map.toX(times[j]!), map.toY(low[j]!));
      context.fill();
    }
    begin = i + 1;
  }
  context.globalAlpha = 1;
}

function drawCurve(
  context: CanvasRenderingContext2D,
  { curve: { times, values }, colour, style }: Stroke,
  map: Mapping,
): void {
  if (style === "points") {
    context.fillStyle = colour;
    for (let i = 0; i < times.length; ++i) {
      if (values[i] === null) continue;
      context.fillRect(map.toX(times[i]!) - 1.5, map.toY(values[i]!) - 1.5, 3, 3);
    }
    return;
  }
  context.strokeStyle = colour;
  context.lineWidth = 1.5;
  context.lineJoin = "round";
  context.beginPath();
  let isOpen = false;
  let before = 0;
  for (let i = 0; i < times.length; ++i) {
    if (values[i] === null) {
      isOpen = false;
      continue;
    }
    const x = map.toX(times[i]!);
    const y = map.toY(values[i]!);
    const isLast = i + 1 >= times.length || values[i + 1] === null;
    if (!isOpen) {
      context.moveTo(x, y);
      if (isLast) context.lineTo(x + 1.5, y); // a value alone is seen, too
    } else {
      if (style === "steps") context.lineTo(x, before);
      context.lineTo(x, y);
    }
    isOpen = true;
    before = y;
  }
  context.stroke();
}
