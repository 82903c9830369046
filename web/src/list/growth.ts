// Which of the bags that are not complete are being recorded, and which ones a recorder has left
// behind: the first ones grow while one looks.

import type { Bag } from "../api";

/** A recorder of a slow robot may write nothing for a while. */
const PATIENCE_MS = 10_000;

export interface Listed extends Bag {
  /** undefined: that is not known yet. */
  isLive?: boolean;
}

export class Growth {
  private readonly seen = new Map<string, { size: number; grownAt: number | null }>();

  /** The bags as they are now; those that do not grow are no longer `recording`. */
  look(bags: Bag[], now: number): Listed[] {
    return bags.map((bag) => {
      if (!bag.recording) return bag;
      const before = this.seen.get(bag.filename);
      const hasGrown = before !== undefined && bag.size_bytes > before.size;
      const grownAt = hasGrown ? now : (before?.grownAt ?? null);
      this.seen.set(bag.filename, { size: bag.size_bytes, grownAt });
      if (!before) return bag;
      const isLive = grownAt !== null && now - grownAt < PATIENCE_MS;
      return { ...bag, isLive, recording: isLive };
    });
  }
}
