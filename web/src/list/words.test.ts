import { expect, test } from "vitest";

import type { Bag } from "../api";
import { hasWords, readWords } from "./words";

const bag: Bag = {
  filename: "Drive.bag",
  size_bytes: 1,
  end: "",
  start_time: new Date(2023, 9, 31, 14, 30).getTime() / 1000,
  topics: 2,
};
const topics = [
  { topic: "/odom", type: "nav_msgs/Odometry" },
  { topic: "/camera", type: "sensor_msgs/Image" },
];
const finds = (search: string, known: typeof topics | undefined = topics) =>
  hasWords(bag, readWords(search), known);

test("words", () => {
  expect(readWords(" Topic:/odom  x:y type: ")).toEqual([
    { place: "topic", text: "/odom" },
    { place: null, text: "x:y" },
  ]);
});

test("all words have to be there", () => {
  expect(finds("")).toBe(true);
  expect(finds("drive 2023-10 14:3 image")).toBe(true);
  expect(finds("drive 2024")).toBe(false);
});

test("a word with a place is looked for there alone", () => {
  expect(finds("topic:/odom type:image")).toBe(true);
  expect(finds("topic:image")).toBe(false);
  expect(finds("type:/camera")).toBe(false);
  expect(finds("name:odom")).toBe(false);
  expect(finds("name:drive time:2023-10-31")).toBe(true);
});

test("topics that are not known yet decide only what nothing else does", () => {
  const unknown = (search: string, of = bag) => hasWords(of, readWords(search), undefined);
  expect(unknown("drive")).toBe(true);
  expect(unknown("odom")).toBe(undefined);
  expect(unknown("odom name:other")).toBe(false);
  expect(unknown("odom", { ...bag, topics: 0 })).toBe(false);
});
