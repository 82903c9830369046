// The one clock. Play time follows wall time from an anchor, times the speed; a change of either
// sets another anchor. Where the data has not come yet, the clock waits, the page does not. A range
// can be played again and again, and stretches can be left out.

import type { Range } from "./feed";

export class Clock {
  private at: number;
  private anchor: number | null = null; // wall time, in ms; null: paused
  private rate = 1;
  /** Played again and again; null: at its end the bag stops. */
  loop: Range | null = null;
  /** Play leaves them out. */
  skips: Range[] = [];
  /** The bag grows: at its end the clock waits, and does not stop. */
  isOpen = false;

  /** Times are seconds since the start of the bag, `length` is that of the bag. */
  constructor(
    public length: number,
    start: number,
  ) {
    this.at = this.within(start);
  }

  get time(): number {
    return this.at;
  }
  get isPlaying(): boolean {
    return this.anchor !== null;
  }
  get speed(): number {
    return this.rate;
  }

  play(now: number): void {
    if (this.isPlaying) return;
    if (this.loop && (this.at < this.loop.start || this.at >= this.loop.end)) {
      this.at = this.within(this.loop.start);
    } else if (this.at >= this.length && !this.isOpen) {
      this.at = 0;
    }
    this.anchor = now;
  }

  pause(now: number): void {
    this.tick(now, this.length);
    this.anchor = null;
  }

  seek(time: number, now: number): void {
    this.at = this.within(time);
    if (this.isPlaying) this.anchor = now;
  }

  setSpeed(speed: number, now: number): void {
    this.tick(now, this.length);
    this.rate = Math.min(20, Math.max(0.1, speed));
  }

  /** The time at `now`, which does not pass `limit`: up to there the data has come. */
  tick(now: number, limit: number): number {
    if (this.anchor === null) return this.at;
    const next = this.at + ((now - this.anchor) / 1000) * this.rate;
    this.anchor = now;
    const { loop } = this;
    // Whoever seeks to what is behind the loop leaves it.
    const isInLoop = loop !== null && loop.end > loop.start && this.at < loop.end;
    const end = isInLoop ? Math.min(loop.end, this.length) : this.length;
    this.at = Math.max(this.at, Math.min(next, limit, end));
    const skip = this.skips.find((each) => this.at >= each.start && this.at < each.end);
    if (skip) this.at = Math.min(skip.end, end);
    if (isInLoop && this.at >= end) this.at = this.within(loop.start);
    if (this.at >= this.length && !this.isOpen) this.anchor = null;
    return this.at;
  }

  private within(time: number): number {
    return Math.min(Math.max(0, time), this.length);
  }
}
