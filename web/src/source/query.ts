// What is asked of a bag, as the server takes it.

/** Of "1767225600.250000000", ns since 1970, exactly; null: it is no time. */
export function nsOf(text: string | null): bigint | null {
  const [, seconds, digits = ""] = /^(\d+)(?:\.(\d+))?$/.exec(text ?? "") ?? [];
  if (seconds === undefined) return null;
  return BigInt(seconds) * 1_000_000_000n + BigInt(digits.slice(0, 9).padEnd(9, "0"));
}
