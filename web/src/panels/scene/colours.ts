// Colours as numbers: those that a person chose, and scales for fields. Viridis and turbo are given
// by a few of their colours; between them it is linear, which nobody can see.

export type Colour = [number, number, number]; // 0 to 255
export type Scale = "viridis" | "turbo" | "grey";

const STOPS: Record<Scale, string> = {
  viridis: "440154 482878 3e4989 31688e 26828e 1f9e89 35b779 6ece58 b5de2b fde725",
  turbo: "30123b 4145ab 4675ed 39a2fc 1bcfd4 24eca6 61fc6c a4fc3b d1e834 f3c63a fe9b2d f36315 " +
    "d93806 b11901 7a0402",
  grey: "202020 f0f0f0",
};

/** "#1f5fc9" as a colour; undefined: it is none. */
export function colourOf(text: string | undefined): Colour | undefined {
  const hex = /^#?([0-9a-f]{6})$/i.exec(text ?? "")?.[1];
  if (!hex) return undefined;
  const value = parseInt(hex, 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

export function colourText(colour: Colour): string {
  return `#${colour.map((each) => each.toString(16).padStart(2, "0")).join("")}`;
}

export const LEVELS = 256;
const tables = new Map<Scale, Uint8Array>();

/** 256 colours, three bytes each. */
export function tableOf(scale: Scale): Uint8Array {
  const known = tables.get(scale);
  if (known) return known;
  const stops = STOPS[scale].split(" ").map((text) => colourOf(text)!);
  const table = new Uint8Array(LEVELS * 3);
  for (let i = 0; i < LEVELS; ++i) {
    const at = (i / (LEVELS - 1)) * (stops.length - 1);
    const stop = Math.min(Math.floor(at), stops.length - 2);
    const [from, to] = [stops[stop]!, stops[stop + 1]!];
    const mix = (c: number) => from[c]! + (to[c]! - from[c]!) * (at - stop);
    for (let c = 0; c < 3; ++c) table[i * 3 + c] = Math.round(mix(c));
  }
  tables.set(scale, table);
  return table;
}

/** What a colour scale stands for, in the words of its legend. */
export interface Legend {
  field: string;
  scale: Scale;
  min: number;
  max: number;
}

/** Colours of values from the least to the greatest; what is no number is the least. */
export function paint(values: ArrayLike<number>, count: number, scale: Scale, to: Uint8Array) {
  let min = Infinity;
  let max = -Infinity;
  for (let i = 0; i < count; ++i) {
    const value = values[i]!;
    if (value < min && value > -Infinity) min = value;
    if (value > max && value < Infinity) max = value;
  }
  if (min > max) min = max = 0;
  const table = tableOf(scale);
  const factor = max > min ? (LEVELS - 1) / (max - min) : 0;
  for (let i = 0; i < count; ++i) {
    const level = Math.round(Math.min(LEVELS - 1, Math.max(0, (values[i]! - min) * factor)));
    const from = (level || 0) * 3;
    to[i * 3] = table[from]!;
    to[i * 3 + 1] = table[from + 1]!;
    to[i * 3 + 2] = table[from + 2]!;
  }
  return { min, max };
}
