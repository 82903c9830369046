// A and B: the range that somebody has marked, and whether it is played again and again. Either end
// may be missing; then the range goes on to the start or the end of the bag.

import type { Range } from "../player/feed";

export interface Marks {
  a: number | null;
  b: number | null;
  isLooping: boolean;
}

export const NO_MARKS: Marks = { a: null, b: null, isLooping: false };

/** The range between the marks; null: there are none. */
export function rangeOf({ a, b }: Marks, length: number): Range | null {
  return a === null && b === null ? null : { start: a ?? 0, end: b ?? length };
}

/** What is played again and again; null: nothing is. Without marks it is the whole bag. */
export function loopOf(marks: Marks, length: number): Range | null {
  if (!marks.isLooping) return null;
  return rangeOf(marks, length) ?? { start: 0, end: length };
}

/** A stands before B: whoever puts it behind B begins another range. */
export function withA(marks: Marks, time: number): Marks {
  return { ...marks, a: time, b: marks.b !== null && marks.b > time ? marks.b : null };
}

export function withB(marks: Marks, time: number): Marks {
  return { ...marks, b: time, a: marks.a !== null && marks.a < time ? marks.a : null };
}

/** From one time to another one, in either order. */
export function between(marks: Marks, one: number, other: number): Marks {
  return { ...marks, a: Math.min(one, other), b: Math.max(one, other) };
}

/** Moves one end, which stops at the other one. */
export function moved(marks: Marks, end: "a" | "b", time: number): Marks {
  if (end === "a") return { ...marks, a: Math.min(time, (marks.b ?? Infinity) - LEAST) };
  return { ...marks, b: Math.max(time, (marks.a ?? 0) + LEAST) };
}
const LEAST = 0.001;

/** What of it is in the URL. */
export function readMarks(query: URLSearchParams): Marks {
  const time = (name: string) => {
    const value = Number(query.get(name) ?? NaN);
    return Number.isFinite(value) && value >= 0 ? value : null;
  };
  const a = time("a");
  const b = time("b");
  const isLooping = query.get("loop") === "1";
  return { a, b: a !== null && b !== null && b <= a ? null : b, isLooping };
}

export function writeMarks({ a, b, isLooping }: Marks, query: URLSearchParams): void {
  if (a !== null) query.set("a", String(Number(a.toFixed(3))));
  if (b !== null) query.set("b", String(Number(b.toFixed(3))));
  if (isLooping) query.set("loop", "1");
}
