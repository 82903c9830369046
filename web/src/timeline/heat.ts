// What the strips of the timeline say, column by column, before anything is drawn. The server
// counts messages in equal parts of the bag; a column of pixels is a part of another length, so
// counts are shared out in proportion. A rate is compared with the usual one of its topic, over no
// less than a few periods: over less, each message of a steady topic would look like a burst.

import type { Range } from "../player/feed";

/** Periods over which a rate is taken at least. */
const PERIODS = 5;

/** Counts of equal parts of a bag, the first of which begins at `start`. Several bags together have
    a list of them. */
export interface Counts {
  start: number;
  /** Length of a part, in seconds. */
  part: number;
  counts: ArrayLike<number>;
}

/** How many messages there are before each of `columns + 1` equally spaced times of a range. */
function before(of: Counts[], range: Range, columns: number): Float64Array {
  const sums = new Float64Array(columns + 1);
  for (const each of of) addBefore(sums, each, range, columns);
  return sums;
}

function addBefore(sums: Float64Array, of: Counts, range: Range, columns: number): void {
  const { start, part, counts } = of;
  const step = (range.end - range.start) / columns;
  let part0 = 0; // the first part that is not in `sum`
  let sum = 0;
  for (let i = 0; i <= columns; ++i) {
    const at = (range.start + i * step - start) / part;
    while (part0 < counts.length && part0 + 1 <= at) sum += counts[part0++]!;
    const share = part0 < counts.length ? Math.max(0, at - part0) * counts[part0]! : 0;
    sums[i]! += sum + share;
  }
}

/** The time between two messages as a rule: the median, unless messages come in bursts. Then that
    would be the time within a burst, and everything else a gap. */
export function usualPeriod(
  median: number | undefined,
  messages: number,
  length: number,
): number | undefined {
  const mean = length / Math.max(1, messages);
  return median !== undefined && mean > BURSTS * median ? mean : median;
}
const BURSTS = 3;

/** Messages in each column of a range. */
export function columnsOf(of: Counts[], range: Range, columns: number): Float64Array {
  const sums = before(of, range, columns);
  return Float64Array.from({ length: columns }, (_, i) => sums[i + 1]! - sums[i]!);
}

/** Messages in a range, about. */
export function countIn(of: Counts[], range: Range): number {
  return columnsOf(of, range, 1)[0]!;
}

/** The rate in each column of a range, 1 being the usual one. */
export function ratesOf(of: Counts[], period: number, range: Range, columns: number): Float64Array {
  const rates = new Float64Array(columns);
  for (const each of of) {
    const end = each.start + each.part * each.counts.length;
    if (each.start > range.end || end < range.start) continue;
    rateIn(each, period, range, columns).forEach((rate, i) => (rates[i]! += rate));
  }
  return rates;
}

function rateIn(of: Counts, period: number, range: Range, columns: number): Float64Array {
  const step = (range.end - range.start) / columns;
  const half = Math.max(step, of.part, PERIODS * period) / 2;
  const end = of.start + of.part * of.counts.length;
  const margin = Math.ceil(half / step);
  const wide = { start: range.start - margin * step, end: range.end + margin * step };
  const sums = before([of], wide, columns + 2 * margin);
  return Float64Array.from({ length: columns }, (_, i) => {
    const middle = range.start + (i + 0.5) * step;
    if (middle < of.start || middle > end) return 0;
    const left = Math.max(of.start, middle - half);
    const right = Math.min(end, middle + half);
    const at = (time: number) => {
      const place = Math.min(Math.max(0, (time - wide.start) / step), sums.length - 1);
      const low = Math.floor(place);
      const high = Math.min(low + 1, sums.length - 1);
      return sums[low]! + (place - low) * (sums[high]! - sums[low]!);
    };
    return ((at(right) - at(left)) * period) / (right - left);
  });
}

/** The greatest value in each column; NaN where there is none. */
export function mostOf(
  times: ArrayLike<number>,
  values: ArrayLike<number>,
  range: Range,
  columns: number,
): Float64Array {
  const most = new Float64Array(columns).fill(NaN);
  const size = range.end - range.start;
  for (let i = 0; i < times.length; ++i) {
    const column = Math.floor(((times[i]! - range.start) / size) * columns);
    const value = values[i]!;
    if (column < 0 || column >= columns || Number.isNaN(value)) continue;
    if (!(most[column]! >= value)) most[column] = value;
  }
  return most;
}

/** Into how many parts the bag should be divided, so that a part is no wider than a few pixels. */
export function partsFor(view: Range, length: number, width: number, topics: number): number {
  const fine = (width / PIXELS_PER_PART) * (length / Math.max(1e-9, view.end - view.start));
  const most = Math.max(PARTS[0]!, MOST_COUNTS / Math.max(1, topics));
  const wanted = PARTS.find((parts) => parts >= fine) ?? PARTS.at(-1)!;
  return Math.min(wanted, PARTS.findLast((parts) => parts <= most)!);
}
const PIXELS_PER_PART = 3;
/** What is asked for; the last one is the most that the server makes. */
const PARTS = [500, 1000, 2500, 5000, 10_000];
/** Of all topics together, so that an answer stays below a megabyte. */
const MOST_COUNTS = 200_000;
