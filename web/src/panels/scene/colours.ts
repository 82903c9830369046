// Colours as numbers: those that a person chose, and those of values.

import { LEVELS, tableOf, type Scale } from "../scales";

export type Colour = [number, number, number]; // 0 to 255

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
