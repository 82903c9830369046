import { expect, test } from "vitest";

import { hertzText, secondsText } from "./texts";

test("rates and lengths", () => {
  const rates = [0, 0.184, 9.956, 100.4].map(hertzText);
  expect(rates).toEqual(["0 Hz", "0.184 Hz", "9.96 Hz", "100 Hz"]);
  expect([0, 2e-6, -0.0123, 3.456, 250].map(secondsText)).toEqual([
    "0 s",
    "2 µs",
    "-12.3 ms",
    "3.46 s",
    "250 s",
  ]);
});
