// The rows of a table: the messages of a topic that the page holds, or of these the ones that pass
// a filter. They may be 100,000, so a filter looks at some of them in each frame, and at those that
// it has seen not again when others come or go.

import type { Message } from "../../player/store";

/** Messages between looks at the clock. */
const BATCH = 64;

export class Rows {
  private all: Message[] = [];
  private passed: Message[] = [];
  private next = 0; // of `all`, what comes is not looked at yet
  private passes: ((message: Message) => boolean) | null = null;

  /** What is shown, by time. */
  get shown(): Message[] {
    return this.passes ? this.passed : this.all;
  }
  /** How many are held. */
  get count(): number {
    return this.all.length;
  }
  get isDone(): boolean {
    return !this.passes || this.next >= this.all.length;
  }

  setFilter(passes: ((message: Message) => boolean) | null): void {
    this.passes = passes;
    this.passed = [];
    this.next = 0;
  }

  /** Takes what is held now: the same messages as before, without some at the start, and with
      others at the end; or other ones. */
  hold(all: Message[]): void {
    const last = this.all[this.next - 1];
    const seen = last ? indexOf(all, last) + 1 : 0;
    this.all = all;
    this.next = seen;
    if (seen === 0) this.passed = [];
    else this.passed = this.passed.filter((each) => each.time >= all[0]!.time);
  }

  /** Filters on, for some ms. */
  work(ms: number): void {
    if (this.isDone) return;
    const end = performance.now() + ms;
    const passed = this.passed.slice();
    while (this.next < this.all.length && performance.now() < end) {
      const until = Math.min(this.next + BATCH, this.all.length);
      for (; this.next < until; ++this.next) {
        const message = this.all[this.next]!;
        if (this.passes!(message)) passed.push(message);
      }
    }
    this.passed = passed;
  }
}

function indexOf(messages: Message[], wanted: Message): number {
  for (let i = upperBound(messages, wanted.time) - 1; i >= 0; --i) {
    if (messages[i] === wanted) return i;
    if (messages[i]!.time < wanted.time) break;
  }
  return -1;
}

/** How many are at or before a time. */
export function upperBound(messages: Message[], time: number): number {
  let low = 0;
  let high = messages.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (messages[middle]!.time <= time) low = middle + 1;
    else high = middle;
  }
  return low;
}
