// Texts of JSON with times that have more digits than a number of JavaScript. They become strings
// with "@" before them, and these become times again. In a string of JSON there is a backslash
// before each quote, so no label looks like this.

const TIMES = /("(?:start|end)_time": *)(-?\d+(?:\.\d+)?)/g;
const KEPT = /("(?:start|end)_time":)"@(-?\d+(?:\.\d+)?)"/g;

/** What a text says, with its times as "@1767225605.123456789". */
export const parseExactly = (text: string): unknown => JSON.parse(text.replace(TIMES, '$1"@$2"'));

export const textExactly = (value: unknown) => JSON.stringify(value).replace(KEPT, "$1$2");

/** Of such a time, ns since 1970; null: it is none. */
export function nsOfExact(value: unknown): bigint | null {
  const match = typeof value === "string" && /^@(-?)(\d+)(?:\.(\d{1,9}))?/.exec(value);
  if (!match) return null;
  const ns = BigInt(match[2]!) * 1_000_000_000n + BigInt((match[3] ?? "").padEnd(9, "0"));
  return match[1] ? -ns : ns;
}
