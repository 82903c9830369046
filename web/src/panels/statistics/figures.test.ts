import { expect, test } from "vitest";

import { figuresOf, intervals, messagesIn, sortFigures } from "./figures";

const timeline = {
  start_time: 100,
  bucket_duration: 5,
  topics: [
    {
      topic: "/a",
      messages: 40,
      counts: [10, 0, 20, 10],
      gaps: [
        { start_time: 105, end_time: 110 },
        { start_time: 113, end_time: 114 },
      ],
    },
  ],
};
const topic = { topic: "/a", type: "T", messages: 40, rate_hz: 2, latched: 0 };
const view = { start: 0, end: 20 };
const sources = { timeline, delays: null, origin: 100, view, sample: undefined, now: undefined };

test("messages in a range", () => {
  const count = (start: number, end: number) =>
    messagesIn(timeline, timeline.topics[0]!, 100, { start, end });
  expect(count(0, 20)).toBe(40);
  expect(count(-5, 99)).toBe(40);
  expect(count(2.5, 12.5)).toBe(15);
  expect(count(6, 9)).toBe(0);
});

test("times between messages", () => {
  expect(intervals([0, 1])).toBeUndefined();
  expect(intervals([0, 1, 2, 3])).toEqual({ deviation: 0, longest: 1 });
  expect(intervals([0, 1, 4])).toEqual({ deviation: 1, longest: 3 });
});

test("figures of a topic", () => {
  expect(figuresOf(topic, sources)).toMatchObject({
    messages: 40,
    rate: 2,
    seen: 40,
    seenRate: 2,
    longestGap: 5,
    size: undefined,
    jitter: undefined,
    delay: undefined,
  });
  const delays = {
    ...timeline,
    topics: [
      {
        topic: "/a",
        messages: 40,
        counts: [],
        delay: { least: 0, median: 0.1, most: 2 },
        missing: 3,
      },
    ],
  };
  const sample = { times: [0, 1, 4], bytes: [100, 300] };
  expect(figuresOf(topic, { ...sources, delays, sample, now: 4 })).toMatchObject({
    jitter: 1,
    size: 200,
    bytesPerSecond: 400,
    delay: 0.1,
    mostDelay: 2,
    missing: 3,
    now: 4,
  });
});

test("sorted by a figure, what has none last", () => {
  const of = (name: string, rate: number | undefined) =>
    figuresOf({ ...topic, topic: name, rate_hz: rate! }, sources);
  const all = [of("/b", 1), of("/a", undefined), of("/c", 3)];
  const names = (isDown: boolean) => sortFigures(all, "rate", isDown).map((each) => each.topic);
  expect(names(true)).toEqual(["/c", "/b", "/a"]);
  expect(names(false)).toEqual(["/b", "/c", "/a"]);
});
