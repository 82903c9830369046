// What is drawn, before a graphics card sees it: lines, solids and texts in one frame, as flat
// arrays. Messages become drawings here and in messages.ts and markers.ts; stage.ts shows them.

import { compose, rotate, type Transform, type Triple } from "../../player/transforms";
import type { Colour } from "./colours";
import { isFinite3 } from "./values";

/** Each fits into a cube of 1 m around its origin; an arrow and a cone begin there and point to
    +x, an arrow's head and a cone's end are 1 m wide. */
export type Shape = "cube" | "sphere" | "cylinder" | "arrow" | "cone";

/** Red, green, blue: 0 to 255; opacity: 0 to 1. */
export interface Ink {
  colour: Colour;
  opacity: number;
}

export interface Text {
  text: string;
  at: Triple;
  /** Metres. */
  height: number;
  ink: Ink;
}

/** Solids of one shape: 16 numbers of a matrix (by columns) and a colour of each. */
export interface Solids {
  shape: Shape;
  opacity: number;
  matrices: number[];
  colours: number[];
}

/** What a person can be told of it, as of a mesh that is not in the bag. */
const MOST_NOTES = 5;
const MOST_TEXTS = 500;
const MOST_TEXT = 200;
/** Numbers in one list; beyond them a picture has nothing to say. */
const MOST = 6_000_000;

export class Drawing {
  /** Two ends of each segment, and the colour of each end. */
  readonly lines: number[] = [];
  readonly lineColours: number[] = [];
  readonly solids = new Map<string, Solids>();
  /** Three corners of each triangle, and red, green and blue of each. */
  readonly triangles: number[] = [];
  readonly triangleColours: number[] = [];
  /** Points with a size in metres. */
  readonly points: number[] = [];
  readonly pointColours: number[] = [];
  pointSize = 0;
  readonly texts: Text[] = [];
  readonly notes: string[] = [];

  note(text: string): void {
    if (this.notes.length < MOST_NOTES && !this.notes.includes(text)) this.notes.push(text);
  }

  line(from: Triple, to: Triple, colour: Colour, other = colour): void {
    if (!isFinite3(from) || !isFinite3(to) || this.lines.length >= MOST) return;
    this.lines.push(...from, ...to);
    this.lineColours.push(...colour, ...other);
  }

  strip(points: Triple[], colour: Colour, isClosed = false): void {
    for (let i = 1; i < points.length; ++i) this.line(points[i - 1]!, points[i]!, colour);
    if (isClosed && points.length > 2) this.line(points.at(-1)!, points[0]!, colour);
  }

  solid(shape: Shape, pose: Transform, scale: Triple, { colour, opacity }: Ink): void {
    if (!isFinite3(pose.translation) || !isFinite3(scale)) return;
    // Few steps of opacity: solids of the same one are drawn at once.
    const rounded = Math.round(Math.min(1, Math.max(0, opacity)) * 20) / 20;
    const key = `${shape} ${rounded}`;
    let solids = this.solids.get(key);
    if (!solids) {
      this.solids.set(key, (solids = { shape, opacity: rounded, matrices: [], colours: [] }));
    }
    if (solids.matrices.length >= MOST) return;
    const [a, b, c] = ([[1, 0, 0], [0, 1, 0], [0, 0, 1]] as Triple[])
      .map((axis) => rotate(pose.rotation, axis)) as [Triple, Triple, Triple];
    const [x, y, z] = scale;
    const [px, py, pz] = pose.translation;
    solids.matrices.push(
      a[0] * x, a[1] * x, a[2] * x, 0,
      b[0] * y, b[1] * y, b[2] * y, 0,
      c[0] * z, c[1] * z, c[2] * z, 0,
      px, py, pz, 1,
    );
    solids.colours.push(...colour);
  }

  arrow(pose: Transform, length: number, width: number, ink: Ink): void {
    this.solid("arrow", pose, [length, width, width], ink);
  }

  /** An arrow from one point to another, in the frame of `pose`. */
  arrowTo(pose: Transform, from: Triple, to: Triple, width: number, ink: Ink): void {
    const [x, y, z] = [to[0] - from[0], to[1] - from[1], to[2] - from[2]];
    const length = Math.hypot(x, y, z);
    if (!(length > 0)) return;
    // The shortest turn from +x to there.
    const w = 1 + x / length;
    const turn: Transform["rotation"] =
      w > 1e-6 ? [0, -z / length, y / length, w] : [0, 0, 1, 0];
    const size = Math.hypot(...turn);
    const rotation = turn.map((each) => each / size) as Transform["rotation"];
    this.arrow(compose(pose, { translation: from, rotation }), length, width, ink);
  }

  triangle(corners: Triple[], colours: Colour[]): void {
    if (!corners.every(isFinite3) || this.triangles.length >= MOST) return;
    for (const corner of corners) this.triangles.push(...corner);
    for (const colour of colours) this.triangleColours.push(...colour);
  }

  point(at: Triple, size: number, colour: Colour): void {
    if (!isFinite3(at) || this.points.length >= MOST) return;
    this.points.push(...at);
    this.pointColours.push(...colour);
    this.pointSize = size;
  }

  text(text: string, at: Triple, height: number, ink: Ink): void {
    if (!isFinite3(at) || !text || this.texts.length >= MOST_TEXTS) return;
    this.texts.push({ text: text.slice(0, MOST_TEXT), at, height, ink });
  }
}
