import { expect, test } from "vitest";

import type { Bag } from "../api";
import { sortBags } from "./sort";

const bag = (filename: string, start: number, more: Partial<Bag> = {}): Bag => ({
  filename,
  size_bytes: 1,
  end: "",
  start_time: start,
  ...more,
});
const names = (bags: Bag[]) => bags.map((each) => each.filename);

test("live bags come first, whatever the order is", () => {
  const bags = [bag("a", 3), bag("b", 1, { recording: true }), bag("c", 2)];
  expect(names(sortBags(bags, "start_time", true))).toEqual(["b", "a", "c"]);
  expect(names(sortBags(bags, "start_time", false))).toEqual(["b", "c", "a"]);
});

test("bags that cannot be read are at the end", () => {
  const bad: Bag = { filename: "bad", size_bytes: 0, end: "", error: "damaged" };
  expect(names(sortBags([bad, bag("a", 1)], "start_time", true))).toEqual(["a", "bad"]);
});
