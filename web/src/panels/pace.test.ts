import { expect, test } from "vitest";

import { Pace } from "./pace";

test("ten times a second while time goes on, at once when it stands", () => {
  const pace = new Pace();
  expect(pace.isDue(1, 1000)).toBe(true);
  expect(pace.isDue(1.016, 1016)).toBe(false);
  expect(pace.isDue(1.1, 1100)).toBe(true);
  expect(pace.isDue(1.116, 1116)).toBe(false);
  expect(pace.isDue(1.116, 1132)).toBe(true);
  expect(pace.isDue(5, 2000)).toBe(true); // a seek
});
