// Colour scales of numbers. Viridis and turbo are given by a few of their colours; between them it
// is linear, which nobody can see.

export const scales = ["grey", "viridis", "turbo"] as const;
export type Scale = (typeof scales)[number];

const STOPS: Record<Scale, string> = {
  grey: "000000 ffffff",
  viridis: "440154 482878 3e4989 31688e 26828e 1f9e89 35b779 6ece58 b5de2b fde725",
  turbo: "30123b 4145ab 4675ed 39a2fc 1bcfd4 24eca6 61fc6c a4fc3b d1e834 f3c63a fe9b2d f36315 " +
    "d93806 b11901 7a0402",
};

export const LEVELS = 256;
const tables = new Map<Scale, Uint8Array>();

/** 256 colours, three bytes each. */
export function tableOf(scale: Scale): Uint8Array {
  const known = tables.get(scale);
  if (known) return known;
  const stops = STOPS[scale].split(" ").map((text) => parseInt(text, 16));
  const table = new Uint8Array(LEVELS * 3);
  for (let i = 0; i < LEVELS; ++i) {
    const at = (i / (LEVELS - 1)) * (stops.length - 1);
    const stop = Math.min(Math.floor(at), stops.length - 2);
    [16, 8, 0].forEach((shift, c) => {
      const from = (stops[stop]! >> shift) & 255;
      const to = (stops[stop + 1]! >> shift) & 255;
      table[i * 3 + c] = Math.round(from + (to - from) * (at - stop));
    });
  }
  tables.set(scale, table);
  return table;
}
