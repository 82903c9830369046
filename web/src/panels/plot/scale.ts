// Scales of a plot: what part of the numbers is shown, and at which of them are lines.

/** Pixels that a label has across if it is no longer than usual, and that are free beside it. */
const LABEL = 80;
const BETWEEN = 12;

export interface Extent {
  min: number;
  max: number;
}

/** What contains all values, with some air; of one value, a part around it. */
export function extentOf(lists: Iterable<readonly (number | null)[]>): Extent {
  let min = Infinity;
  let max = -Infinity;
  for (const list of lists) {
    for (const value of list) {
      if (value === null) continue;
      if (value < min) min = value;
      if (value > max) max = value;
    }
  }
  if (min > max) return { min: 0, max: 1 };
  const air = max > min ? (max - min) * 0.06 : Math.abs(max) * 0.1 || 1;
  return { min: min - air, max: max + air };
}

/** `factor` times as much, where the number `at` stays in its place. */
export function zoomed({ min, max }: Extent, factor: number, at: number): Extent {
  return { min: at + (min - at) * factor, max: at + (max - at) * factor };
}

/** The same for both directions, so that a circle is round: `px` and `py` are pixels. */
export function equalScales(x: Extent, y: Extent, px: number, py: number): [Extent, Extent] {
  const perPixel = Math.max((x.max - x.min) / px, (y.max - y.min) / py);
  const around = ({ min, max }: Extent, pixels: number): Extent => {
    const middle = (min + max) / 2;
    return { min: middle - (perPixel * pixels) / 2, max: middle + (perPixel * pixels) / 2 };
  };
  return [around(x, px), around(y, py)];
}

/** Numbers that people count by: 1, 2 and 5 times a power of ten. */
export function ticksOf({ min, max }: Extent, most: number): number[] {
  const rough = (max - min) / Math.max(1, most);
  if (!(rough > 0) || !Number.isFinite(rough)) return [];
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5].find((each) => each * power >= rough) ?? 10);
  return multiples(step, min, max);
}

/** Between ticks of time, in seconds: what people divide minutes and hours by. */
const STEPS = [
  ...[0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30],
  ...[60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 21600, 43200, 86400],
];

export function timeTicksOf({ min, max }: Extent, most: number): number[] {
  const rough = (max - min) / Math.max(1, most);
  const step = STEPS.find((each) => each >= rough) ?? 86400 * Math.ceil(rough / 86400);
  return multiples(step, min, max);
}

function multiples(step: number, min: number, max: number): number[] {
  const first = Math.ceil(min / step);
  const count = Math.min(200, Math.floor(max / step) - first + 1);
  return Array.from({ length: Math.max(0, count) }, (_, i) => (first + i) * step);
}

/** The most ticks whose labels do not touch each other. `ticks` gives those of a number of them,
    `room` is what all have across, in the units of `widthOf`. */
export function spacedTicks(
  { min, max }: Extent,
  room: number,
  ticks: (most: number) => number[],
  textsOf: (ticks: number[]) => string[],
  widthOf: (text: string) => number,
): { at: number; label: string }[] {
  for (let most = Math.max(2, Math.floor(room / LABEL)); ; --most) {
    const at = ticks(most);
    const labels = textsOf(at);
    const all = at.map((each, i) => ({ at: each, label: labels[i]! }));
    const widest = Math.max(...labels.map(widthOf), 0);
    const apart = at.length > 1 ? ((at[1]! - at[0]!) / (max - min)) * room : room;
    if (apart >= widest + BETWEEN || !at.length) return all;
    if (most === 2) return all.slice(0, 1);
  }
}

/** Decimals that tell ticks apart. */
export function digitsOf(ticks: number[], most: number): number {
  const step = (ticks[1] ?? 1) - (ticks[0] ?? 0);
  return step >= 1 ? 0 : Math.min(most, Math.ceil(-Math.log10(step) - 1e-9));
}

/** "0.25", "1.5e+9": as many digits as tell ticks apart. */
export function tickText(value: number, ticks: number[]): string {
  const size = Math.max(...ticks.map(Math.abs));
  if (size >= 1e6 || (size > 0 && size < 1e-4)) return Number(value.toPrecision(4)).toExponential();
  return value.toFixed(digitsOf(ticks, 8));
}
