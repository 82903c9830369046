import { expect, test } from "vitest";

import type { Message } from "../../player/store";
import { Rows, upperBound } from "./rows";

const messages: Message[] = Array.from({ length: 1000 }, (_, i) => ({
  topic: "/a",
  time: Math.floor(i / 2), // two at each time
  value: i,
  bytes: 1,
}));
const isThird = (message: Message) => (message.value as number) % 3 === 0;

test("without a filter, all that is held", () => {
  const rows = new Rows();
  rows.hold(messages);
  expect(rows.isDone).toBe(true);
  expect(rows.shown).toBe(messages);
  expect(upperBound(rows.shown, 0)).toBe(2);
});

test("a filter sees each message once, while others come and go", () => {
  const rows = new Rows();
  let looks = 0;
  rows.setFilter((message) => {
    ++looks;
    return isThird(message);
  });
  rows.hold(messages.slice(0, 501));
  rows.work(1000);
  expect(looks).toBe(501);
  rows.hold(messages.slice(100, 800));
  expect(rows.isDone).toBe(false);
  rows.work(1000);
  expect(looks).toBe(800);
  expect(rows.shown).toEqual(messages.slice(100, 800).filter(isThird));
  rows.hold(messages.slice(900)); // after a seek
  rows.work(1000);
  expect(rows.shown).toEqual(messages.slice(900).filter(isThird));
  rows.hold([]);
  expect(rows.shown).toEqual([]);
});

test("a filter takes its time", () => {
  const rows = new Rows();
  rows.hold(messages);
  rows.setFilter(isThird);
  rows.work(0);
  expect(rows.isDone).toBe(false);
  while (!rows.isDone) rows.work(1);
  expect(rows.shown.length).toBe(334);
});
