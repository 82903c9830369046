import { expect, test } from "vitest";

import { levelOf } from "./level";

test("the levels of ROS 1 and ROS 2", () => {
  expect([1, 2, 4, 8, 16].map(levelOf)).toEqual(["DEBUG", "INFO", "WARN", "ERROR", "FATAL"]);
  expect([10, 20, 30, 40, 50].map(levelOf)).toEqual(["DEBUG", "INFO", "WARN", "ERROR", "FATAL"]);
  expect(levelOf(0)).toBe("DEBUG");
});
