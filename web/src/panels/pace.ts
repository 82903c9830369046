// Numbers that change faster than ten times a second cannot be read, and text costs more to draw
// than a canvas. A panel of text asks here whether it is time to draw; once the clock stands, it
// always is.

const LEAST_MS = 100;

export class Pace {
  private time = NaN;
  private drawnAt = -Infinity;

  /** `time` is that of the bag, `now` that of the wall in ms. */
  isDue(time: number, now: number): boolean {
    const isMoving = time !== this.time;
    this.time = time;
    if (isMoving && now - this.drawnAt < LEAST_MS) return false;
    this.drawnAt = now;
    return true;
  }
}
