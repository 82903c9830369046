// Plots of a local file, as /series gives them: for each part of a range how many values a field
// has, the least, the greatest and their mean. The messages have to be read for it, so there is a
// limit to how much of a file one plot may be.

import type { Series, SeriesAnswer } from "../../api";
import { numberAt } from "../../decode/type";
import type { Message } from "../../player/store";
import type { IndexedFile } from "./indexed";
import { Stream } from "./stream";

const MOST_BYTES = 4 * 2 ** 30;
const MOST_PARTS = 10_000;

export interface SeriesQuery {
  topic: string;
  fields: string[];
  parts: number;
  /** In ns since 1970; `end` is left out. */
  start: bigint;
  end: bigint;
}

/** `turn`: waits while something more urgent is read; null: nothing is. */
export async function readSeries(
  file: IndexedFile,
  query: SeriesQuery,
  turn: () => Promise<void> | null,
): Promise<SeriesAnswer> {
  const { topic, start, end } = query;
  if (file.bytesFor([topic], start, end - 1n) > MOST_BYTES) {
    throw new Error("This is more than the page reads of a local file for a plot: zoom in");
  }
  const sums = new Sums(query);
  const stream = new Stream(file, start, [topic]);
  for await (const message of file.messages([topic], start, end - 1n)) {
    sums.add(stream.take(message));
    const wait = turn();
    if (wait) await wait;
  }
  sums.add(stream.flush());
  return sums.answer();
}

/** Values that are being put together; message times are seconds since the start of the range. */
export class Sums {
  private readonly parts: number;
  private readonly part: number;
  private readonly series: Series[];

  constructor(private readonly query: SeriesQuery) {
    this.parts = Math.min(MOST_PARTS, Math.max(1, query.parts));
    this.part = Math.ceil(Number(query.end - query.start) / this.parts) / 1e9;
    this.series = query.fields.map((field) => ({
      topic: query.topic,
      field,
      count: new Array<number>(this.parts).fill(0),
      min: new Array<number | null>(this.parts).fill(null),
      max: new Array<number | null>(this.parts).fill(null),
      mean: new Array<number | null>(this.parts).fill(null),
    }));
  }

  add(messages: Message[]): void {
    for (const { time, value } of messages) {
      const at = Math.min(this.parts - 1, Math.floor(time / this.part));
      for (const { field, count, min, max, mean } of this.series) {
        const number = numberAt(value, field);
        if (number === null || Number.isNaN(number)) continue;
        const many = ++count[at]!;
        min[at] = Math.min(min[at] ?? Infinity, number);
        max[at] = Math.max(max[at] ?? -Infinity, number);
        mean[at] = (mean[at] ?? 0) + (number - (mean[at] ?? 0)) / many;
      }
    }
  }

  answer(): SeriesAnswer {
    const start_time = Number(this.query.start) / 1e9;
    return {
      start_time,
      bucket_duration: this.part,
      buckets: this.parts,
      series: this.series,
    };
  }
}
