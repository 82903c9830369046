// The curves of a plot: exact points where the page holds all messages of the range, else what the
// server has made of them, the mean and a band from the least to the greatest value. NaN and
// infinities are null: a curve has a gap there.

import type { Series, SeriesAnswer } from "../../api";
import { numberAt } from "../../decode/type";
import type { Feed, Range } from "../../player/feed";
import type { Message } from "../../player/store";
import type { Line } from "./lines";

export interface Curve {
  times: number[];
  values: (number | null)[];
  /** The band; undefined: the values are those of messages. */
  low?: (number | null)[];
  high?: (number | null)[];
}

export interface Choice {
  /** "lines", "points" or "steps"; undefined: as the field is. */
  style: string | undefined;
  isXy: boolean;
  isDerivative: boolean;
  /** Times are those in the headers of messages. */
  isStamped: boolean;
  min: number | null;
  max: number | null;
}

const numberOf = (text: string | undefined) => {
  const number = text ? Number(text) : NaN;
  return Number.isFinite(number) ? number : null;
};

export function choiceOf(settings: Record<string, string>): Choice {
  return {
    style: settings.style,
    isXy: settings.mode === "xy",
    isDerivative: settings.derivative === "yes",
    isStamped: settings.time === "stamp",
    min: numberOf(settings.min),
    max: numberOf(settings.max),
  };
}

/** More than these are no longer points that one could tell apart. */
const MOST_POINTS = 4000;
const MARGIN = 0.25;
const finite = (value: number | null) => (Number.isFinite(value) ? value : null);

/** Null if the page does not hold the range, or if it has too many messages for a plot. */
export function exactCurves(
  feed: Feed,
  lines: Line[],
  range: Range,
  isStamped = false,
): Curve[] | null {
  const { covered } = feed;
  if (range.start < covered.start || range.end > covered.end) return null;
  const margin = (range.end - range.start) * MARGIN;
  const byTopic = new Map<string, Message[]>();
  for (const { topic } of lines) {
    if (byTopic.has(topic)) continue;
    // More than the range, so that lines come from outside it.
    const messages = feed.between(topic, range.start - margin, range.end + margin);
    if (messages.length > MOST_POINTS) return null;
    byTopic.set(topic, messages);
  }
  return lines.map(({ topic, path }) => {
    const messages = byTopic.get(topic)!;
    const time = (each: Message) => (isStamped && stampOf(each, feed.origin)) || each.time;
    return {
      times: messages.map(time),
      values: messages.map((each) => finite(numberAt(each.value, path))),
    };
  });
}

/** The stamp in a message's header, in seconds since the start of the bag; null: it has none. */
export function stampOf(message: Message, origin: number): number | null {
  for (const header of ["header.stamp", "stamp"]) {
    for (const [whole, part] of [["sec", "nsec"], ["sec", "nanosec"], ["seconds", "nanos"]]) {
      const seconds = numberAt(message.value, `${header}.${whole}`);
      const ns = numberAt(message.value, `${header}.${part}`);
      if (seconds !== null && ns !== null) return seconds - origin + ns / 1e9;
    }
  }
  return null;
}

/** `origin` is the start of the bag in seconds since 1970. Parts without a value are left out, so
    that the line goes on. */
export function seriesCurve(answer: SeriesAnswer, series: Series | undefined, origin: number) {
  const curve = { times: [], values: [], low: [], high: [] } as Required<Curve>;
  for (let part = 0; part < answer.buckets; ++part) {
    if (!series?.count[part]) continue;
    curve.times.push(answer.start_time - origin + (part + 0.5) * answer.bucket_duration);
    curve.values.push(series.mean[part] ?? null);
    curve.low.push(series.min[part] ?? null);
    curve.high.push(series.max[part] ?? null);
  }
  return curve as Curve;
}

/** The curve with a gap where nothing is, between bags that are shown together. */
export function broken(curve: Curve, gaps: Range[]): Curve {
  if (!gaps.length) return curve;
  const made: Curve = { times: [...curve.times], values: [...curve.values] };
  if (curve.low && curve.high) Object.assign(made, { low: [...curve.low], high: [...curve.high] });
  for (const { start, end } of gaps) {
    const middle = (start + end) / 2;
    const at = placeOf(made.times, middle) + 1;
    if (at === 0 || at === made.times.length) continue;
    made.times.splice(at, 0, middle);
    for (const values of [made.values, made.low, made.high]) values?.splice(at, 0, null);
  }
  return made;
}

/** The change by second, from each value to the next one. */
export function derivative({ times, values }: Curve): Curve {
  const rates: (number | null)[] = [];
  for (let i = 1; i < times.length; ++i) {
    const [before, now] = [values[i - 1]!, values[i]!];
    const seconds = times[i]! - times[i - 1]!;
    const isThere = before !== null && now !== null && seconds > 0;
    rates.push(isThere ? finite((now - before) / seconds) : null);
  }
  return { times: times.slice(1), values: rates };
}

/** The place of the last point at or before a time; -1: there is none. */
export function placeOf(times: number[], time: number): number {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle]! <= time) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

export function valueAt({ times, values }: Curve, time: number): number | null {
  return values[placeOf(times, time)] ?? null;
}

/** Values of one curve against those of another one, at the times of the first. */
export function against(x: Curve, y: Curve): { x: number; y: number }[] {
  const points: { x: number; y: number }[] = [];
  x.times.forEach((time, i) => {
    const [left, up] = [x.values[i]!, valueAt(y, time)];
    if (left !== null && up !== null) points.push({ x: left, y: up });
  });
  return points;
}
