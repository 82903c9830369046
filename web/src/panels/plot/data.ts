// What a plot draws: exact points where the page holds all messages of the range, else what the
// server has made of them, a band from the least to the greatest value and the mean in it.

import type { SeriesAnswer } from "../../api";
import { numberAt } from "../../decode/type";
import type { Feed, Range } from "../../player/feed";

/** Columns as uPlot takes them: times, then for each field its values, minima and maxima. */
export type Columns = [number[], ...(number | null)[][]];

/** More than these are no longer points that one could tell apart. */
const MOST_POINTS = 4000;

export function exactColumns(
  feed: Feed,
  topic: string,
  fields: string[],
  range: Range,
): Columns | null {
  const { covered } = feed;
  if (range.start < covered.start || range.end > covered.end) return null;
  const messages = feed.between(topic, range.start - 1e-9, range.end);
  if (messages.length > MOST_POINTS) return null;
  const columns: Columns = [messages.map((each) => each.time)];
  for (const field of fields) {
    const values = messages.map((each) => finite(numberAt(each.value, field)));
    columns.push(values, values, values);
  }
  return columns;
}

function finite(value: number | null): number | null {
  return value !== null && Number.isFinite(value) ? value : null;
}

/** `origin` is the start of the bag in seconds since 1970. Parts without a value are left out, so
    that the line goes on. */
export function seriesColumns(answer: SeriesAnswer, fields: string[], origin: number): Columns {
  const series = fields.map((field) => answer.series.find((each) => each.field === field));
  const times: number[] = [];
  const values: (number | null)[][] = fields.flatMap(() => [[], [], []]);
  for (let part = 0; part < answer.buckets; ++part) {
    if (!series.some((each) => each?.count[part])) continue;
    times.push(answer.start_time - origin + (part + 0.5) * answer.bucket_duration);
    series.forEach((each, field) => {
      values[3 * field]!.push(each?.mean[part] ?? null);
      values[3 * field + 1]!.push(each?.min[part] ?? null);
      values[3 * field + 2]!.push(each?.max[part] ?? null);
    });
  }
  return [times, ...values];
}
