// Single messages of a few topics, without their payload: when each came, how long after the stamp
// in its header, and whether sequence numbers before it are missing. This is what a strip knows
// where there are not too many messages in view.

/** Messages of a topic, by time. */
export interface Stamps {
  /** Seconds since the start of the bag. */
  times: number[];
  /** Log time minus stamp, in seconds; NaN: the message has no stamp. */
  delays: number[];
  /** How many are missing before which message. */
  drops: { time: number; count: number }[];
}

interface Line {
  topic?: unknown;
  /** Of several bags together: the bag, which has sequence numbers of its own. */
  __bag?: unknown;
  header?: { seq?: unknown; stamp?: { sec?: unknown; nsec?: unknown; nanosec?: unknown } };
  __stamp?: unknown;
}

/** More than this is no gap: the numbers have begun again. */
const MOST_MISSING = 100_000;

/** Takes lines of `player?fields=header&format=ndjson`, in the order of time. */
export class StampReader {
  readonly topics = new Map<string, Stamps>();
  private readonly numbers = new Map<string, number>();
  private rest = "";

  /** `origin`: when the bag begins, in ns since 1970; messages before `start` are passed over. */
  constructor(
    private readonly origin: bigint,
    private readonly start: number,
  ) {}

  take(piece: string): void {
    const lines = (this.rest + piece).split("\n");
    this.rest = lines.pop()!;
    for (const line of lines) if (line) this.takeLine(line);
  }

  private takeLine(text: string): void {
    const line = JSON.parse(text) as Line;
    // JSON.parse would round the log time; it is the last number of its name.
    const logTime = /"__stamp":(\d+)\.(\d{9})/.exec(text.slice(text.lastIndexOf('"__stamp":')));
    if (typeof line.topic !== "string" || !logTime) return;
    const ns = BigInt(logTime[1]!) * 1_000_000_000n + BigInt(logTime[2]!);
    const time = Number(ns - this.origin) / 1e9;
    if (time < this.start) return;
    let stamps = this.topics.get(line.topic);
    if (!stamps) this.topics.set(line.topic, (stamps = { times: [], delays: [], drops: [] }));
    const { seq, stamp } = line.header ?? {};
    stamps.times.push(time);
    stamps.delays.push(delayOf(ns, stamp?.sec, stamp?.nsec ?? stamp?.nanosec));
    if (typeof seq !== "number") return;
    const counted = `${line.topic}\n${line.__bag ?? ""}`;
    const last = this.numbers.get(counted);
    this.numbers.set(counted, seq);
    const missing = last === undefined ? 0 : seq - last - 1;
    if (missing > 0 && missing < MOST_MISSING) stamps.drops.push({ time, count: missing });
  }
}

function delayOf(logTime: bigint, sec: unknown, nsec: unknown): number {
  if (!Number.isSafeInteger(sec) || !Number.isSafeInteger(nsec)) return NaN;
  const stamp = BigInt(sec as number) * 1_000_000_000n + BigInt(nsec as number);
  // A clock that was never set says nothing about the delay.
  return stamp === 0n ? NaN : Number(logTime - stamp) / 1e9;
}

/** The longest delay, or null. */
export function longestDelay({ delays }: Stamps): number | null {
  let most = -Infinity;
  for (const delay of delays) if (delay > most) most = delay;
  return Number.isFinite(most) ? most : null;
}
