// A row of coloured stretches on a canvas, with the names of the states where there is room. A
// colour alone says nothing: each stretch that is wide enough has its name, and all have it when
// the pointer is on them.

import { useEffect, useRef } from "preact/hooks";

import { lengthText } from "../../format";
import type { Range } from "../../player/feed";
import { segmentAt, type Segment, type State } from "./segments";

const COLOURS = 7; // --series-1 to --series-7
const ROOM = 8; // px on both sides of a name, together

export interface BarProps {
  label: string;
  segments: Segment[];
  /** The part that is loaded, if it is not all. */
  loaded: Range | undefined;
  view: Range;
  width: number;
  scheme: string;
  nameOf(state: State | null): string;
  colourOf(state: State): number;
  seek(time: number): void;
}

export function Bar(props: BarProps) {
  const { label, segments, view, width, seek, nameOf } = props;
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    if (width > 0) draw(canvas.current!, props);
  }, [segments, props.loaded?.start, props.loaded?.end, view.start, view.end, width, props.scheme]);
  const timeAt = (event: MouseEvent) => {
    const box = canvas.current!.getBoundingClientRect();
    return view.start + ((event.clientX - box.left) / box.width) * (view.end - view.start);
  };
  return (
    <canvas
      ref={canvas}
      role="img"
      aria-label={label}
      data-segments={segments.length}
      onClick={(event) => seek(timeAt(event))}
      onPointerMove={(event) => {
        const hit = segmentAt(segments, timeAt(event));
        canvas.current!.title = hit
          ? `${nameOf(hit.state)}, ${lengthText(hit.start)} – ${lengthText(hit.end)}`
          : "";
      }}
    />
  );
}

/** 0 is for what is off or unknown. */
export function colourName(index: number): string {
  return index === 0 ? "--density" : `--series-${((index - 1) % COLOURS) + 1}`;
}

function draw(
  canvas: HTMLCanvasElement,
  { segments, loaded, view, nameOf, colourOf }: BarProps,
): void {
  const scale = devicePixelRatio;
  const width = Math.round(canvas.clientWidth * scale);
  const height = Math.round(canvas.clientHeight * scale);
  if (canvas.width !== width) canvas.width = width;
  if (canvas.height !== height) canvas.height = height;
  const context = canvas.getContext("2d")!;
  const style = getComputedStyle(canvas);
  const colour = (name: string) => style.getPropertyValue(name).trim();
  const x = (time: number) => ((time - view.start) / (view.end - view.start)) * width;
  const edge = Math.max(2, Math.round(3 * scale));
  context.clearRect(0, 0, width, height);
  context.font = `${12 * scale}px ${style.fontFamily}`;
  context.textBaseline = "middle";

  const several = hatch(context, colour("--text-quiet"), scale);
  let drawn = -1; // up to this pixel
  for (const { start, end, state } of segments) {
    const left = Math.max(0, Math.round(x(start)));
    const right = Math.min(width, Math.round(x(end)));
    if (right <= 0 || left >= width || (right <= left && left === drawn)) continue;
    drawn = Math.max(left + 1, right);
    const size = drawn - left;
    context.globalAlpha = 1;
    if (state === null) {
      context.fillStyle = several;
      context.fillRect(left, 0, size, height);
    } else {
      context.fillStyle = colour(colourName(colourOf(state)));
      context.globalAlpha = 0.3;
      context.fillRect(left, 0, size, height);
      context.globalAlpha = 1;
      context.fillRect(left, height - edge, size, edge);
      context.fillRect(left, 0, Math.min(size, Math.max(1, Math.round(scale))), height);
      const room = size - ROOM * scale;
      const name = room > 8 * scale ? fitted(context, nameOf(state), room) : "";
      context.fillStyle = colour("--text");
      if (name) context.fillText(name, left + (ROOM / 2) * scale + 1, (height - edge) / 2 + scale);
    }
  }
  if (!loaded) return;
  context.fillStyle = hatch(context, colour("--line"), scale);
  for (const [from, to] of [
    [0, x(loaded.start)],
    [x(loaded.end), width],
  ] as const) {
    if (to <= from) continue;
    context.fillRect(from, 0, to - from, height);
    const text = "not loaded";
    const size = context.measureText(text).width + ROOM * scale;
    if (to - from < size + ROOM * scale) continue;
    const left = (from + to - size) / 2;
    context.save();
    context.fillStyle = colour("--surface");
    context.fillRect(left, 0, size, height);
    context.fillStyle = colour("--text-quiet");
    context.fillText(text, left + (ROOM / 2) * scale, height / 2);
    context.restore();
  }
}

/** As much of a text as fits; "" is better than a letter. */
function fitted(context: CanvasRenderingContext2D, text: string, room: number): string {
  const each = context.measureText("0").width; // the face is monospaced
  const count = Math.floor(room / each);
  if (text.length <= count) return text;
  return count >= 4 ? `${text.slice(0, count - 1)}…` : "";
}

function hatch(context: CanvasRenderingContext2D, colour: string, scale: number): CanvasPattern {
  const size = Math.round(6 * scale);
  const tile = new OffscreenCanvas(size, size);
  const pen = tile.getContext("2d")!;
  pen.strokeStyle = colour;
  pen.lineWidth = Math.max(1, scale);
  pen.beginPath();
  for (const offset of [-size, 0, size]) {
    pen.moveTo(offset, size);
    pen.lineTo(offset + size, 0);
  }
  pen.stroke();
  return context.createPattern(tile, "repeat")!;
}
