import { expect, test } from "vitest";

import { longestDelay, StampReader } from "./stamps";

const ORIGIN = 1_767_225_600_000_000_000n;

function line(topic: string, seq: number, stamp: number, time: string): string {
  const header = { seq, stamp: { sec: 1_767_225_600, nsec: stamp }, frame_id: "x" };
  return `{"topic":"${topic}","header":${JSON.stringify(header)},"__stamp":${time}}\n`;
}

test("times, delays and what is missing, whatever the pieces are", () => {
  const text =
    line("/a", 1, 0, "1767225600.000000000") +
    line("/b", 7, 5_000_000, "1767225600.010000000") +
    line("/a", 4, 100_000_000, "1767225600.350000001");
  const reader = new StampReader(ORIGIN, 0);
  for (const piece of text.match(/[^]{1,17}/g)!) reader.take(piece);
  const a = reader.topics.get("/a")!;
  expect(a.times).toEqual([0, 0.350000001]);
  expect(a.delays).toEqual([0, 0.250000001]);
  expect(a.drops).toEqual([{ time: 0.350000001, count: 2 }]);
  expect(longestDelay(a)).toBeCloseTo(0.25);
  expect(reader.topics.get("/b")!.drops).toEqual([]);
});

test("the state before the slice is passed over", () => {
  const reader = new StampReader(ORIGIN, 1);
  reader.take(line("/map", 0, 0, "1767225600.500000000"));
  expect(reader.topics.size).toBe(0);
});

test("a header without a stamp has no delay, and a clock that was never set neither", () => {
  const reader = new StampReader(ORIGIN, 0);
  reader.take('{"topic":"/a","header":{"stamp":{"sec":0,"nsec":0}},"__stamp":1767225600.5000000');
  reader.take('00}\n{"topic":"/a","header":null,"__stamp":1767225601.000000000}\n');
  const a = reader.topics.get("/a")!;
  expect(a.delays).toEqual([NaN, NaN]);
  expect(longestDelay(a)).toBeNull();
});

test("numbers that begin again are no drops", () => {
  const reader = new StampReader(ORIGIN, 0);
  reader.take(line("/a", 500, 0, "1767225600.000000000"));
  reader.take(line("/a", 0, 0, "1767225600.100000000"));
  reader.take(line("/a", 1, 0, "1767225600.200000000"));
  reader.take('{"__damage":["a chunk"]}\n');
  expect(reader.topics.get("/a")!.drops).toEqual([]);
});
