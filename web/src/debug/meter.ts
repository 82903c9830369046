// What playing costs. It is measured only while the debug strip is shown. The player says how long
// its part of each frame took, and the browser says when the frames came.

/** What a meter hears of frames. */
export interface Meter {
  /** A frame came at a time of the page, in ms, and took so many ms of the main thread. */
  frame(at: number, took: number): void;
}

export interface Frames {
  perSecond: number;
  /** Of the main thread, in ms: what the median frame takes, and the worst. */
  median: number;
  worst: number;
  /** Frames of the screen that were left out since the measuring began. */
  dropped: number;
}

const WINDOW_MS = 1000;
/** A frame came late if it took longer than so many usual ones. */
const LATE = 1.5;
/** A longer pause is that of a tab that nobody saw. */
const LONGEST_MS = 5000;

export class FrameMeter implements Meter {
  private readonly ats: number[] = [];
  private readonly tooks: number[] = [];
  private usual = Infinity;
  private dropped = 0;

  frame(at: number, took: number): void {
    const gap = at - (this.ats.at(-1) ?? at);
    if (gap > 0) {
      // The screen's period is the shortest that is seen; it grows slowly, for another screen.
      this.usual = Math.min(gap, this.usual * 1.001);
      if (gap > LATE * this.usual && gap < LONGEST_MS) {
        this.dropped += Math.round(gap / this.usual) - 1;
      }
    }
    this.ats.push(at);
    this.tooks.push(took);
    while (at - this.ats[0]! > WINDOW_MS) {
      this.ats.shift();
      this.tooks.shift();
    }
  }

  get frames(): Frames {
    const { ats, dropped } = this;
    const tooks = this.tooks.toSorted((a, b) => a - b);
    const span = ats.length > 1 ? ats.at(-1)! - ats[0]! : 0;
    return {
      perSecond: span ? ((ats.length - 1) / span) * 1000 : 0,
      median: tooks[tooks.length >> 1] ?? 0,
      worst: tooks.at(-1) ?? 0,
      dropped,
    };
  }
}
