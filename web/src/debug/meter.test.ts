import { describe, expect, it } from "vitest";

import { FrameMeter } from "./meter";

describe("FrameMeter", () => {
  it("tells the rate and the cost of the last second", () => {
    const meter = new FrameMeter();
    for (let i = 0; i < 300; ++i) meter.frame(i * 10, i < 100 ? 50 : i === 250 ? 8 : 2);
    const { perSecond, median, worst, dropped } = meter.frames;
    expect(perSecond).toBeCloseTo(100, 6);
    expect([median, worst, dropped]).toEqual([2, 8, 0]);
  });

  it("counts the frames that did not come, but not those of a hidden tab", () => {
    const meter = new FrameMeter();
    for (const at of [0, 16, 32, 80, 96, 112, 145, 9000, 9016]) meter.frame(at, 1);
    expect(meter.frames.dropped).toBe(3);
  });

  it("has nothing to tell before the second frame", () => {
    const meter = new FrameMeter();
    expect(meter.frames).toEqual({ perSecond: 0, median: 0, worst: 0, dropped: 0 });
    meter.frame(5, 3);
    expect(meter.frames).toEqual({ perSecond: 0, median: 3, worst: 3, dropped: 0 });
  });
});
