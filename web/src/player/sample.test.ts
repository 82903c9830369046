import { expect, test } from "vitest";

import { middleOf } from "./sample";

test("the middle of a topic's messages", () => {
  const counts = [0, 8, 1, 1, 5, 5];
  const topics = [
    { topic: "/a", messages: 20, counts },
    { topic: "/late", messages: 3, counts: [0, 0, 0, 0, 0, 3] },
    { topic: "/none", messages: 0, counts: [0, 0] },
  ];
  const timeline = { start_time: 100, bucket_duration: 2, topics };
  expect(middleOf(timeline, "/a", 100)).toBe(6);
  expect(middleOf(timeline, "/late", 100)).toBe(10);
  expect(middleOf(timeline, "/none", 100)).toBe(0);
  expect(middleOf(timeline, "/other", 100)).toBe(0);
});
