import { expect, test } from "vitest";

import {
  clockText,
  instantText,
  lengthText,
  momentText,
  numberText,
  setTimeStyle,
  sizeText,
} from "./format";

test("lengths", () => {
  expect(lengthText(0)).toBe("0:00.000");
  expect(lengthText(59.9996)).toBe("1:00.000");
  expect(lengthText(3725.5, 1)).toBe("1:02:05.5");
  expect(lengthText(61, 0)).toBe("1:01");
});

test("sizes", () => {
  expect(sizeText(512)).toBe("512 B");
  expect(sizeText(6922)).toBe("6.8 KiB");
  expect(sizeText(23_496_946)).toBe("22 MiB");
});

test("numbers", () => {
  expect(numberText(3)).toBe("3");
  expect(numberText(0.1 + 0.2)).toBe("0.3");
  expect(numberText(NaN)).toBe("NaN");
});

test("one switch for all times, also where the browser keeps nothing", () => {
  const noon = 1_767_268_800;
  setTimeStyle("utc");
  expect(clockText(noon + 1.25)).toBe("12:00:01.250");
  expect(instantText(noon, 61.5)).toBe("12:01:01.500");
  expect(instantText(noon, 61.5, 0)).toBe("12:01:01");
  setTimeStyle("start");
  expect(instantText(noon, 61.5)).toBe("1:01.500");
  setTimeStyle("local");
  expect(instantText(noon, 1)).toBe(clockText(noon + 1));
});

test("of more than a day, the day is said", () => {
  const start = 1_767_225_600;
  setTimeStyle("utc");
  expect(momentText(start, 2 * 86_400 + 61, 200_000, 0)).toBe("01-03 00:01:01");
  expect(momentText(start, 61, 1e9, 0)).toBe("2026-01-01 00:01:01");
  expect(momentText(start, 61, 3600, 0)).toBe("00:01:01");
  setTimeStyle("start");
  expect(momentText(start, 2 * 86_400 + 61, 200_000, 0)).toBe("48:01:01");
  setTimeStyle("local");
});
