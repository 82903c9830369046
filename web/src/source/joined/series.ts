// Plots over several bags. Each bag divides its part of the range by itself, finer than what is
// asked for, and these parts are put together into equal parts of the range: all their messages are
// in one of them, and their count, least, greatest and mean value are exact.

import type { Series, SeriesAnswer } from "../../api";

/** So much finer, so that no part of the whole has none by chance. */
export const FINER = 4;
export const MOST_PARTS = 10_000;

export interface SeriesRange {
  /** In seconds since 1970. */
  start: number;
  end: number;
  buckets: number;
}

export function unitedSeries(answers: SeriesAnswer[], range: SeriesRange): SeriesAnswer {
  const { start, end, buckets } = range;
  const size = (end - start) / buckets;
  const sums = new Map<string, Sum>();
  for (const answer of answers) {
    for (const series of answer.series) {
      const key = `${series.topic}\n${series.field}`;
      let sum = sums.get(key);
      if (!sum) sums.set(key, (sum = new Sum(series.topic, series.field, buckets)));
      for (let i = 0; i < series.count.length; ++i) {
        const middle = answer.start_time + (i + 0.5) * answer.bucket_duration;
        const at = Math.floor((middle - start) / size);
        sum.add(Math.min(Math.max(0, at), buckets - 1), middle, series, i);
      }
    }
  }
  const series = [...sums.values()].map((sum) => sum.series());
  return { start_time: start, bucket_duration: size, buckets, series };
}

class Sum {
  private readonly count: number[];
  private readonly min: number[];
  private readonly max: number[];
  private readonly mean: number[];
  private readonly last: (number | null)[];
  private readonly lastAt: number[];

  constructor(
    private readonly topic: string,
    private readonly field: string,
    parts: number,
  ) {
    this.count = new Array<number>(parts).fill(0);
    this.min = new Array<number>(parts).fill(Infinity);
    this.max = new Array<number>(parts).fill(-Infinity);
    this.mean = new Array<number>(parts).fill(0);
    this.last = new Array<number | null>(parts).fill(null);
    this.lastAt = new Array<number>(parts).fill(-Infinity);
  }

  /** The `i`-th part of a bag's series, the middle of which is at `middle`. */
  add(at: number, middle: number, { count, min, max, mean, last }: Series, i: number): void {
    const many = count[i]!;
    if (!many) return;
    // Null is an infinite number; what is put together with it is null, too.
    this.min[at] = Math.min(this.min[at]!, min[i] ?? NaN);
    this.max[at] = Math.max(this.max[at]!, max[i] ?? NaN);
    this.count[at]! += many;
    this.mean[at]! += (((mean[i] ?? NaN) - this.mean[at]!) * many) / this.count[at]!;
    if (middle < this.lastAt[at]!) return;
    this.last[at] = last?.[i] ?? null;
    this.lastAt[at] = middle;
  }

  series(): Series {
    const { topic, field, count, last } = this;
    const seen = (values: number[]) =>
      values.map((value, i) => (count[i] && Number.isFinite(value) ? value : null));
    const [min, max, mean] = [seen(this.min), seen(this.max), seen(this.mean)];
    return { topic, field, count, min, max, mean, last };
  }
}
