// Rates and lengths with units.

/** "9.96 Hz": three digits, so that a loss of one in a hundred shows. */
export function hertzText(hz: number): string {
  return `${three(hz)} Hz`;
}

/** "1.2 ms", "3.4 s". */
export function secondsText(seconds: number): string {
  const size = Math.abs(seconds);
  if (size < 1e-9) return "0 s"; // a clock of bags has no less
  if (size < 1e-3) return `${three(seconds * 1e6)} µs`;
  if (size < 1) return `${three(seconds * 1e3)} ms`;
  return `${three(seconds)} s`;
}

function three(value: number): string {
  return Math.abs(value) >= 100 ? value.toFixed(0) : String(Number(value.toPrecision(3)));
}
