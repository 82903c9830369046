// When each channel of a file has messages, from its index: how many there are, their density,
// gaps, and the last one before a time. The answers are those that the server gives
// (docs/serving.md).

import type { Timeline, TimelineTopic, Topic } from "../../api";
import type { Channel, IndexedFile } from "./indexed";

const GAP_FACTOR = 5;
const MOST_GAPS = 100;

export class Times {
  private constructor(
    /** In ns since 1970. Both are 0 if there is no message. */
    readonly start: bigint,
    readonly end: bigint,
    private readonly channels: Map<number, Channel>,
    /** In ns since the start, which doubles hold exactly for a hundred days. */
    private readonly byChannel: Map<number, Float64Array>,
  ) {}

  static async read(file: IndexedFile): Promise<Times> {
    const found = new Map<number, bigint[][]>();
    let start: bigint | null = null;
    let end = 0n;
    for await (const parts of file.index()) {
      for (const { channel, times } of parts) {
        if (!file.channels.has(channel)) continue;
        for (const time of times) {
          if (start === null || time < start) start = time;
          if (time > end) end = time;
        }
        const lists = found.get(channel);
        if (lists) lists.push(times);
        else found.set(channel, [times]);
      }
    }
    const origin = start ?? 0n;
    const byChannel = new Map<number, Float64Array>();
    for (const [channel, lists] of found) {
      const all = new Float64Array(lists.reduce((sum, list) => sum + list.length, 0));
      let at = 0;
      for (const list of lists) for (const time of list) all[at++] = Number(time - origin);
      byChannel.set(channel, all.sort());
    }
    return new Times(origin, end, file.channels, byChannel);
  }

  get messages(): number {
    let sum = 0;
    for (const times of this.byChannel.values()) sum += times.length;
    return sum;
  }

  /** The time of the last message of a channel before a time, or of the one `back` messages before
      it, but not before the first; in ns since 1970. */
  lastBefore(channel: number, time: bigint, back = 0): bigint | null {
    const times = this.byChannel.get(channel);
    const limit = Number(time - this.start);
    let low = 0;
    let high = times?.length ?? 0;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (times![middle]! < limit) low = middle + 1;
      else high = middle;
    }
    return low > 0 ? this.start + BigInt(times![Math.max(0, low - 1 - back)]!) : null;
  }

  topics(): Topic[] {
    const seconds = Number(this.end - this.start) / 1e9;
    return this.groups().map(({ topic, type, channels, times }) => ({
      topic,
      type,
      messages: times.length,
      ...(seconds > 0 && { rate_hz: times.length / seconds }),
      connections: channels.length,
      latched: channels.filter((each) => each.isLatched).length,
    }));
  }

  timeline(buckets: number): Timeline {
    const part = Math.ceil((Number(this.end - this.start) + 1) / buckets);
    return {
      start_time: Number(this.start) / 1e9,
      bucket_duration: part / 1e9,
      topics: this.groups().map(({ topic, type, times }) => {
        const counts = new Array<number>(buckets).fill(0);
        for (const time of times) ++counts[Math.floor(time / part)]!;
        return { topic, type, messages: times.length, counts, ...this.gaps(times) };
      }),
    };
  }

  private gaps(times: Float64Array): Pick<TimelineTopic, "gaps"> & { median_period?: number } {
    if (times.length < 3) return { gaps: [] };
    const periods = times.slice(1).map((time, i) => time - times[i]!);
    const median = periods.toSorted()[periods.length >> 1]!;
    const stops = [0, ...times, Number(this.end - this.start)];
    const origin = Number(this.start) / 1e9;
    const gaps: { start_time: number; end_time: number }[] = [];
    for (let i = 1; i < stops.length; ++i) {
      if (stops[i]! - stops[i - 1]! <= GAP_FACTOR * median) continue;
      gaps.push({ start_time: origin + stops[i - 1]! / 1e9, end_time: origin + stops[i]! / 1e9 });
    }
    const length = (gap: (typeof gaps)[number]) => gap.end_time - gap.start_time;
    const longest = gaps.sort((a, b) => length(b) - length(a)).slice(0, MOST_GAPS);
    longest.sort((a, b) => a.start_time - b.start_time);
    return { median_period: median / 1e9, gaps: longest };
  }

  /** Channels of the same topic and type are one topic. */
  private groups() {
    const groups = new Map<string, Channel[]>();
    for (const channel of this.channels.values()) {
      const key = `${channel.topic}\n${channel.type}`;
      groups.set(key, [...(groups.get(key) ?? []), channel]);
    }
    const keys = [...groups.keys()].sort();
    return keys.map((key) => {
      const channels = groups.get(key)!;
      const lists = channels.map(({ id }) => this.byChannel.get(id) ?? new Float64Array());
      const { topic, type } = channels[0]!;
      return { topic, type, channels, times: together(lists) };
    });
  }
}

function together(lists: Float64Array[]): Float64Array {
  if (lists.length === 1) return lists[0]!;
  const all = new Float64Array(lists.reduce((sum, list) => sum + list.length, 0));
  let at = 0;
  for (const list of lists) {
    all.set(list, at);
    at += list.length;
  }
  return all.sort();
}
