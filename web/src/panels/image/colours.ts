// Numbers as colours: a range and a scale.

import { tableOf, type Scale } from "../scales";
import type { Numbers } from "./pixels";

/** From the least to the greatest value of the pixels that have one. */
export function rangeOf({ numbers, none }: Numbers): [number, number] {
  let low = Infinity;
  let high = -Infinity;
  for (let i = 0; i < numbers.length; ++i) {
    const value = numbers[i]!;
    if (value === none || value - value !== 0) continue; // NaN and infinity
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return low <= high ? [low, high] : [0, 1];
}

/** RGBA; a pixel without a value is black. */
export function coloursOf(
  { numbers, none }: Numbers,
  [low, high]: [number, number],
  scale: Scale,
): Uint8ClampedArray<ArrayBuffer> {
  const table = tableOf(scale);
  const pixels = new Uint8ClampedArray(numbers.length * 4);
  const factor = high > low ? 255 / (high - low) : 0;
  for (let i = 0, to = 0; i < numbers.length; ++i, to += 4) {
    const value = numbers[i]!;
    pixels[to + 3] = 255;
    if (value === none || Number.isNaN(value)) continue;
    const place = factor ? (value - low) * factor : value > low ? 255 : 0;
    const at = Math.round(Math.min(255, Math.max(0, place))) * 3;
    pixels[to] = table[at]!;
    pixels[to + 1] = table[at + 1]!;
    pixels[to + 2] = table[at + 2]!;
  }
  return pixels;
}
