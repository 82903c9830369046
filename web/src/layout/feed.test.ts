import { expect, test } from "vitest";

import type { Feed } from "../player/feed";
import { feedWhile } from "./feed";

class Clock {
  time = 1;
  readonly draws = new Set<() => void>();
  onFrame(draw: () => void) {
    this.draws.add(draw);
    draw();
    return () => this.draws.delete(draw);
  }
  seek(time: number) {
    this.time = time;
  }
}

test("a hidden panel gets no frames, and all else of the player", () => {
  const clock = new Clock();
  let isVisible = true;
  let count = 0;
  const feed = feedWhile(clock as unknown as Feed, () => isVisible);
  const end = feed.onFrame(() => ++count);
  expect(count).toBe(1);
  const turn = () => clock.draws.forEach((draw) => draw());
  turn();
  expect(count).toBe(2);
  isVisible = false;
  turn();
  expect(count).toBe(2);
  feed.seek(7);
  expect(feed.time).toBe(7);
  expect(feed.seek).toBe(feed.seek);
  end();
  expect(clock.draws.size).toBe(0);
});
