// Which part of a bag the timeline shows. Whoever zooms holds on to an instant: it stays where it
// is on the screen, be it under the pointer or under two fingers.

import type { Range } from "../player/feed";

/** The least that a timeline shows, in seconds. */
export const LEAST_VIEW = 0.05;

/** What a timeline shows when it shows everything. */
export function wholeOf(length: number): Range {
  return { start: 0, end: Math.max(length, LEAST_VIEW) };
}

/** A view of this size that begins at `start`, or as near to it as the bag allows. */
function placed(start: number, size: number, length: number): Range {
  const whole = wholeOf(length).end;
  const fits = Math.min(whole, Math.max(LEAST_VIEW, size));
  const left = Math.min(Math.max(0, start), whole - fits);
  return { start: left, end: left + fits };
}

/** Shows `factor` times as much; the instant `around` stays where it is. */
export function zoomed(view: Range, factor: number, around: number, length: number): Range {
  const size = view.end - view.start;
  const next = Math.min(wholeOf(length).end, Math.max(LEAST_VIEW, size * factor));
  return placed(around - ((around - view.start) / size) * next, next, length);
}

export function panned(view: Range, by: number, length: number): Range {
  return placed(view.start + by, view.end - view.start, length);
}

/** Two fingers go from some parts of the width (0 to 1) to others; what is under them follows. */
export function pinched(
  view: Range,
  from: [number, number],
  to: [number, number],
  length: number,
): Range {
  const size = view.end - view.start;
  const spread = Math.max(0.01, Math.abs(to[1] - to[0]));
  const next = (size * Math.max(0.01, Math.abs(from[1] - from[0]))) / spread;
  const fits = Math.min(wholeOf(length).end, Math.max(LEAST_VIEW, next));
  const held = view.start + ((from[0] + from[1]) / 2) * size;
  return placed(held - ((to[0] + to[1]) / 2) * fits, fits, length);
}

export function isWhole(view: Range, length: number): boolean {
  return view.end - view.start >= wholeOf(length).end * (1 - 1e-9);
}

const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21600, 43200, 86400];

/** Seconds between labels, as people divide time, so that there are at most `most` of them. */
export function labelStep(seconds: number, most: number): number {
  const least = seconds / Math.max(1, most);
  if (least > 1) return STEPS.find((step) => step >= least) ?? Math.ceil(least / 86400) * 86400;
  const scale = 10 ** Math.floor(Math.log10(least));
  const digit = [1, 2, 5, 10].find((each) => each * scale >= least * (1 - 1e-9))!;
  return digit * scale;
}
