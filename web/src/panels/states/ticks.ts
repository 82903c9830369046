// Times to write below a strip: at what people divide minutes and hours by.

import type { Range } from "../../player/feed";

const STEPS = [
  ...[0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30],
  ...[60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 21600, 43200, 86400],
];
const PIXELS = 80;

/** Within the range and so that their texts do not meet, with the decimals that tell them apart. */
export function ticks(range: Range, width: number): { time: number; digits: number }[] {
  const most = Math.max(1, Math.floor(width / PIXELS));
  const step = STEPS.find((each) => (range.end - range.start) / each <= most) ?? STEPS.at(-1)!;
  const digits = step >= 1 ? 0 : Math.min(3, Math.ceil(-Math.log10(step)));
  const found = [];
  const edge = ((range.end - range.start) * PIXELS) / 4 / width;
  for (let i = Math.ceil((range.start + edge) / step); i * step <= range.end - edge; ++i) {
    found.push({ time: i * step, digits });
  }
  return found;
}
