import { expect, test } from "vitest";

import type { Message } from "../../player/store";
import { changeFrom, changesOf, segmentAt, segmentsOf, seriesSegments, stateAt } from "./segments";

function message(time: number, state: unknown): Message {
  return { topic: "/a", time, value: { s: { v: state } }, bytes: 1 };
}

test("states of fields", () => {
  const value = { a: { b: true, c: 5n, d: "x".repeat(1000), e: [1], f: NaN } };
  expect(stateAt(value, "a.b")).toBe(1);
  expect(stateAt(value, "a.c")).toBe(5);
  expect(stateAt(value, "a.d")).toHaveLength(200);
  expect(stateAt(value, "a.e")).toBeUndefined();
  expect(stateAt(value, "a.f")).toBeUndefined();
  expect(stateAt(value, "a.b.c")).toBeUndefined();
  expect(stateAt({}, "constructor")).toBeUndefined();
});

test("a state holds until another comes", () => {
  const messages = [1, 2, 3, 4].map((time) => message(time, time < 3 ? "idle" : "busy"));
  const segments = segmentsOf([...messages, message(5, null)], "s.v", 9);
  expect(segments).toEqual([
    { start: 1, end: 3, state: "idle" },
    { start: 3, end: 9, state: "busy" },
  ]);
  expect(segmentAt(segments, 2.9)!.state).toBe("idle");
  expect(segmentAt(segments, 0.5)).toBeUndefined();
  expect(changeFrom(segments, 1, true)).toBe(3);
  expect(changeFrom(segments, 3, false)).toBe(1);
  expect(changeFrom(segments, 3, true)).toBeUndefined();
});

test("two states at one time: the last one", () => {
  const messages = [message(1, 0), message(2, 7), message(2, 0), message(3, 1)];
  const segments = segmentsOf(messages, "s.v", 4);
  expect(segments).toEqual([
    { start: 1, end: 3, state: 0 },
    { start: 3, end: 4, state: 1 },
  ]);
});

test("from least and greatest values", () => {
  const answer = { start_time: 100, bucket_duration: 2, buckets: 6, series: [] };
  const series = {
    topic: "/a",
    field: "v",
    count: [4, 0, 3, 2, 5, 1],
    min: [1, null, 1, 1, 2, 2],
    max: [1, null, 2, 3, 2, 2],
    mean: [1, null, 1.5, 2, 2, 2],
    last: [1, null, 2, 2, 2, 2],
  };
  const segments = seriesSegments(answer, series, 100, 13);
  expect(changesOf(segments)).toEqual([4]);
  expect(segments).toEqual([
    { start: 0, end: 4, state: 1 },
    { start: 4, end: 8, state: null },
    { start: 8, end: 13, state: 2 },
  ]);
});
