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

test("at the end of a bag that grows it waits, and goes on", () => {
  const clock = new Clock(10, 9);
  clock.isOpen = true;
  clock.play(0);
  expect(clock.tick(3000, 20)).toBe(10);
  expect(clock.isPlaying).toBe(true);
  clock.length = 12;
  expect(clock.tick(3500, 20)).toBeCloseTo(10.5);
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

test("a loop goes back to its start, also from the end of the bag", () => {
  const clock = new Clock(10, 7);
  clock.loop = { start: 6, end: 8 };
  clock.play(0);
  expect(clock.tick(900, 10)).toBeCloseTo(7.9);
  expect(clock.tick(1100, 10)).toBe(6);
  expect(clock.isPlaying).toBe(true);
  expect(clock.tick(1600, 10)).toBeCloseTo(6.5);
  clock.loop = { start: 0, end: 10 };
  clock.seek(9.9, 2000);
  expect(clock.tick(2200, 10)).toBe(0);
  expect(clock.isPlaying).toBe(true);
});

test("what is to be skipped is left out, also if its data has not come", () => {
  const clock = new Clock(100, 9);
  clock.skips = [
    { start: 10, end: 40 },
    { start: 60, end: 90 },
  ];
  clock.play(0);
  expect(clock.tick(900, 12)).toBeCloseTo(9.9);
  expect(clock.tick(1100, 12)).toBe(40);
  expect(clock.tick(2100, 12)).toBe(40); // the data of the other side
  expect(clock.tick(2600, 50)).toBeCloseTo(40.5);
  clock.seek(70, 2600);
  expect(clock.time).toBe(70); // who seeks sees what is there
  expect(clock.tick(2700, 80)).toBe(90);
});

test("a loop that ends where something is skipped goes back to its start", () => {
  const clock = new Clock(100, 9);
  clock.loop = { start: 8, end: 20 };
  clock.skips = [{ start: 10, end: 40 }];
  clock.play(0);
  expect(clock.tick(1100, 100)).toBe(8);
});

test("a loop waits for data, too", () => {
  const clock = new Clock(10, 6);
  clock.loop = { start: 6, end: 8 };
  clock.play(0);
  expect(clock.tick(5000, 7)).toBe(7);
});

test("play begins in the loop, and whoever seeks behind it leaves it", () => {
  const clock = new Clock(10, 1);
  clock.loop = { start: 6, end: 8 };
  clock.play(0);
  expect(clock.time).toBe(6);
  clock.seek(9, 0);
  expect(clock.tick(500, 10)).toBeCloseTo(9.5);
});

test("a loop without length does not hold the clock", () => {
  const clock = new Clock(10, 6);
  clock.loop = { start: 6, end: 6 };
  clock.play(0);
  expect(clock.tick(1000, 10)).toBeCloseTo(7);
});
