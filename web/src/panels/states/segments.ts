// A state over time: stretches in which it is the same. From messages where the page holds them;
// else from what the server says of each part of the time: where the least and the greatest value
// are the same, that was the state, and where they are not, there were several.

import type { Series, SeriesAnswer } from "../../api";
import type { Message } from "../../player/store";

export type State = number | string;

export interface Segment {
  start: number;
  end: number;
  /** null: several, too close to tell apart. */
  state: State | null;
}

const MOST_TEXT = 200;

/** The state in a message; undefined: it has none. */
export function stateAt(value: unknown, path: string): State | undefined {
  for (const name of path.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) {
      return undefined;
    }
    value = (value as Record<string, unknown>)[name];
  }
  if (typeof value === "string") return value.slice(0, MOST_TEXT);
  if (typeof value === "number") return Number.isNaN(value) ? undefined : value;
  if (typeof value === "boolean" || typeof value === "bigint") return Number(value);
  return undefined;
}

class Stretches {
  readonly all: Segment[] = [];

  /** From a time on, the state is this one. */
  begin(state: State | null, start: number): void {
    const last = this.all.at(-1);
    if (last?.state === state) return;
    if (last) last.end = start;
    if (last && last.end <= last.start) this.all.pop();
    if (this.all.at(-1)?.state === state) return;
    this.all.push({ start, end: start, state });
  }
  finish(end: number): Segment[] {
    const last = this.all.at(-1);
    if (last) last.end = Math.max(last.start, end);
    return this.all;
  }
}

/** A state holds until another message says otherwise, at last until `end`. */
export function segmentsOf(messages: Message[], path: string, end: number): Segment[] {
  const stretches = new Stretches();
  for (const { time, value } of messages) {
    const state = stateAt(value, path);
    if (state !== undefined) stretches.begin(state, time);
  }
  return stretches.finish(end);
}

/** `origin` is the start of the bag in seconds since 1970. */
export function seriesSegments(
  answer: SeriesAnswer,
  series: Series,
  origin: number,
  end: number,
): Segment[] {
  const stretches = new Stretches();
  const size = answer.bucket_duration;
  for (let part = 0; part < answer.buckets; ++part) {
    if (!series.count[part]) continue;
    const start = answer.start_time - origin + part * size;
    const least = series.min[part] ?? null;
    if (least !== null && least === series.max[part]) {
      stretches.begin(least, start);
    } else {
      stretches.begin(null, start);
      stretches.begin(series.last?.[part] ?? null, start + size);
    }
  }
  return stretches.finish(end);
}

/** The one at a time. */
export function segmentAt(segments: Segment[], time: number): Segment | undefined {
  return segments.findLast((each) => each.start <= time && time < each.end);
}

/** When the state changed; where there were several, when the first of these came. */
export function changesOf(segments: Segment[]): number[] {
  const others = segments.slice(1);
  return others.filter((_, i) => segments[i]!.state !== null).map((each) => each.start);
}

/** When the state changed next, or last before; undefined: not in what is known. */
export function changeFrom(
  segments: Segment[],
  time: number,
  isForward: boolean,
): number | undefined {
  const starts = [...segments.slice(0, 1).map((each) => each.start), ...changesOf(segments)];
  if (isForward) return starts.find((start) => start > time + 1e-6);
  return starts.findLast((start) => start < time - 1e-6);
}
