// The messages that the page holds, by topic and time. They cover one stretch of the bag without a
// hole, and before it the state: the last message of each topic, of some topics several. What is
// farthest behind the clock goes first when there are too many.

export interface Message {
  topic: string;
  /** Log time, in seconds since the start of the bag. */
  time: number;
  /** What was decoded; undefined: `error` says why it was not. */
  value: unknown;
  error?: string;
  /** Of the payload. */
  bytes: number;
}

type FirstOf = (topic: string, messages: readonly Message[], at: number) => number;

export class Store {
  private topics = new Map<string, Message[]>();
  private held = 0;
  private from = 0;
  private until = 0;

  constructor(
    private readonly mostBytes = 512 << 20,
    private readonly secondsBehind = 30,
  ) {}

  get bytes(): number {
    return this.held;
  }
  get messages(): number {
    let count = 0;
    for (const list of this.topics.values()) count += list.length;
    return count;
  }
  /** The stretch that is covered: from `start`, before `end`. */
  get covered(): { start: number; end: number } {
    return { start: this.from, end: this.until };
  }
  get isFull(): boolean {
    return this.held >= this.mostBytes;
  }

  /** Forgets everything; what comes next covers the bag from `start` on. */
  clear(start: number): void {
    this.topics.clear();
    this.held = 0;
    this.from = start;
    this.until = start;
  }

  /** Takes a message, in the order of time within its topic. A repeated state is passed over. */
  add(message: Message): void {
    const list = this.topics.get(message.topic);
    if (!list) {
      this.topics.set(message.topic, [message]);
    } else {
      const last = list[list.length - 1];
      if (last && message.time < last.time) return;
      list.push(message);
    }
    this.held += message.bytes;
  }

  /** All messages before `end` have come. */
  coverUntil(end: number): void {
    this.until = Math.max(this.until, end);
  }

  /** The last message at or before a time. */
  at(topic: string, time: number): Message | undefined {
    const list = this.topics.get(topic);
    return list?.[upperBound(list, time) - 1];
  }

  /** Those after `after`, up to and at `time`. */
  between(topic: string, after: number, time: number): Message[] {
    const list = this.topics.get(topic);
    return list ? list.slice(upperBound(list, after), upperBound(list, time)) : [];
  }

  /** The first message after a time. */
  after(topic: string, time: number): Message | undefined {
    const list = this.topics.get(topic);
    return list?.[upperBound(list, time)];
  }

  /** Bytes of a message of a topic, of those that are here. */
  meanBytes(topic: string): number | undefined {
    const list = this.topics.get(topic);
    return list?.length && list.reduce((sum, { bytes }) => sum + bytes, 0) / list.length;
  }

  /** Drops what lies far behind `time`, but of topics that stay; if that is not enough, all that is
      behind it. Of each topic the last message before `time` is kept, since it is the state. */
  trim(
    time: number,
    stays: (topic: string) => boolean = () => false,
    /** The first message that has to be kept for messages[at] to be shown. */
    firstOf: FirstOf = (_topic, _messages, at) => at,
  ): void {
    this.dropBefore(time - this.secondsBehind, time, stays, firstOf);
    if (this.held > this.mostBytes) this.dropBefore(time, time);
  }

  private dropBefore(
    limit: number,
    time: number,
    stays?: (topic: string) => boolean,
    firstOf?: FirstOf,
  ): void {
    for (const [topic, list] of this.topics) {
      if ((list[0]?.time ?? limit) >= limit || stays?.(topic)) continue;
      const state = upperBound(list, time) - 1;
      const first = Math.min(upperBound(list, limit), Math.max(state, 0));
      const count = firstOf?.(topic, list, first) ?? first;
      for (const message of list.splice(0, count)) this.held -= message.bytes;
    }
    this.from = Math.max(this.from, Math.min(limit, this.until));
  }
}

/** How many messages are at or before a time. */
function upperBound(list: Message[], time: number): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle]!.time <= time) low = middle + 1;
    else high = middle;
  }
  return low;
}
