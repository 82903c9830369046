// Where a bag is quiet: long stretches in which no topic has a message, between several bags or
// within one. Whoever plays may skip them. They are what the counts of the timeline leave free, so
// that they never hold a message, and may be a little longer than is known.

import type { Range } from "../player/feed";
import type { Counts } from "./heat";

/** In seconds: for a shorter time one waits. */
const LONG = 10;
/** So much of its ends is played, that one sees what happened before and after. */
const SHOWN = 0.5;

/** `all`: counts of all topics, of each bag that is shown. */
export function quietStretches(all: Counts[], length: number): Range[] {
  const busy: Range[] = [];
  for (const { start, part, counts } of all) {
    for (let i = 0; i < counts.length; ++i) {
      if (counts[i]) busy.push({ start: start + i * part, end: start + (i + 1) * part });
    }
  }
  busy.sort((a, b) => a.start - b.start);
  const quiet: Range[] = [];
  let end = 0;
  for (const each of [...busy, { start: length, end: length }]) {
    if (each.start - end > LONG) quiet.push({ start: end, end: each.start });
    end = Math.max(end, each.end);
  }
  return quiet;
}

/** What play leaves out of these stretches. */
export function skipsOf(quiet: Range[]): Range[] {
  return quiet.map(({ start, end }) => ({ start: start + SHOWN, end: end - SHOWN }));
}
