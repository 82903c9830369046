// Numbers as colours: a range and a colour map. Viridis and turbo are polynomials of the sixth and
// the fifth degree, which are within a twelfth of their tables and much shorter.

import type { Numbers } from "./pixels";

export const maps = ["grey", "viridis", "turbo"] as const;
export type MapName = (typeof maps)[number];

/** Of red, green and blue: the factors of 1, x, x² … */
const polynomials: Record<Exclude<MapName, "grey">, [number[], number[], number[]]> = {
  viridis: [
    [0.2777273, 0.1050930, -0.3308618, -4.6342305, 6.2282699, 4.7763850, -5.4354559],
    [0.0054073, 1.4046135, 0.2148476, -5.7991010, 14.1799334, -13.7451454, 4.6458526],
    [0.3340998, 1.3845902, 0.0950952, -19.3324410, 56.6905526, -65.3530326, 26.3124352],
  ],
  turbo: [
    [0.1357214, 4.6153926, -42.6603226, 132.1310823, -152.9423940, 59.2863794],
    [0.0914026, 2.1941884, 4.8429666, -14.1850333, 4.2772986, 2.8295660],
    [0.1066733, 12.6419461, -60.5820484, 110.3627677, -89.9031091, 27.3482497],
  ],
};

const tables = new Map<MapName, Uint8ClampedArray>();

/** 256 colours of three bytes. */
export function tableOf(map: MapName): Uint8ClampedArray {
  const known = tables.get(map);
  if (known) return known;
  const table = new Uint8ClampedArray(256 * 3);
  for (let i = 0; i < 256; ++i) {
    for (let channel = 0; channel < 3; ++channel) {
      const x = i / 255;
      table[i * 3 + channel] =
        map === "grey"
          ? i
          : 255 * polynomials[map][channel]!.reduceRight((sum, factor) => sum * x + factor, 0);
    }
  }
  tables.set(map, table);
  return table;
}

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
  map: MapName,
): Uint8ClampedArray<ArrayBuffer> {
  const table = tableOf(map);
  const pixels = new Uint8ClampedArray(numbers.length * 4);
  const scale = high > low ? 255 / (high - low) : 0;
  for (let i = 0, to = 0; i < numbers.length; ++i, to += 4) {
    const value = numbers[i]!;
    pixels[to + 3] = 255;
    if (value === none || Number.isNaN(value)) continue;
    const place = scale ? (value - low) * scale : value > low ? 255 : 0;
    const at = Math.round(Math.min(255, Math.max(0, place))) * 3;
    pixels[to] = table[at]!;
    pixels[to + 1] = table[at + 1]!;
    pixels[to + 2] = table[at + 2]!;
  }
  return pixels;
}
