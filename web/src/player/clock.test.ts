import { expect, test } from "vitest";

import { Clock } from "./clock";

test("play time is wall time by the speed", () => {
  const clock = new Clock(60, 5);
  clock.play(1000);
  expect(clock.tick(2000, 60)).toBeCloseTo(6);
  clock.setSpeed(2, 2500);
  expect(clock.tick(3000, 60)).toBeCloseTo(7.5);
});

test("it waits for data and goes on from there", () => {
  const clock = new Clock(60, 0);
  clock.play(0);
  expect(clock.tick(2000, 1)).toBe(1);
  expect(clock.tick(5000, 1)).toBe(1);
  expect(clock.isPlaying).toBe(true);
  expect(clock.tick(5500, 10)).toBeCloseTo(1.5);
});

test("data that ends behind the clock does not turn it back", () => {
  const clock = new Clock(60, 0);
  clock.seek(10, 0);
  clock.play(0);
  expect(clock.tick(1000, 3)).toBe(10);
});

test("it stops at the end and begins again from the start", () => {
  const clock = new Clock(10, 9);
  clock.play(0);
  expect(clock.tick(3000, 10)).toBe(10);
  expect(clock.isPlaying).toBe(false);
  clock.play(4000);
  expect(clock.time).toBe(0);
});

test("a pause keeps the time that has passed, and seeks stay within the bag", () => {
  const clock = new Clock(10, 0);
  clock.play(0);
  clock.pause(1500);
  expect(clock.tick(9000, 10)).toBeCloseTo(1.5);
  clock.seek(-1, 0);
  expect(clock.time).toBe(0);
  clock.seek(11, 0);
  expect(clock.time).toBe(10);
});
