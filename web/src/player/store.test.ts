import { expect, test } from "vitest";

import { Store, type Message } from "./store";

const message = (topic: string, time: number, bytes = 1): Message => ({
  topic,
  time,
  bytes,
  value: time,
});

function filled(store = new Store()): Store {
  for (let i = 0; i <= 100; ++i) store.add(message("/a", i));
  store.add(message("/slow", 2));
  store.coverUntil(101);
  return store;
}

test("the state at a time is the last message before it", () => {
  const store = filled();
  expect(store.at("/a", 7.5)?.time).toBe(7);
  expect(store.at("/a", 7)?.time).toBe(7);
  expect(store.at("/slow", 1.9)).toBeUndefined();
  expect(store.at("/slow", 90)?.time).toBe(2);
  expect(store.at("/other", 1)).toBeUndefined();
});

test("what lies between is after the one and up to the other time", () => {
  const store = filled();
  expect(store.between("/a", 3, 6).map((each) => each.time)).toEqual([4, 5, 6]);
  expect(store.after("/a", 6)?.time).toBe(7);
});

test("a repeated state is passed over", () => {
  const store = new Store();
  store.add(message("/a", 5));
  store.add(message("/a", 4));
  expect(store.at("/a", 9)?.time).toBe(5);
  expect(store.bytes).toBe(1);
});

test("what lies far behind goes, the state stays", () => {
  const store = filled();
  store.trim(80);
  expect(store.covered).toEqual({ start: 50, end: 101 });
  expect(store.between("/a", 0, 100)[0]?.time).toBe(51);
  expect(store.at("/slow", 80)?.time).toBe(2);
});

test("messages of topics that are kept stay, unless there is no memory for them", () => {
  const stays = (topic: string) => topic === "/a";
  const store = filled();
  store.trim(80, stays);
  expect(store.between("/a", -1, 100)).toHaveLength(101);
  const small = filled(new Store(50));
  small.trim(60, stays);
  expect(small.bytes).toBeLessThanOrEqual(50);
});

test("the memory is bounded", () => {
  const store = new Store(50);
  filled(store);
  expect(store.isFull).toBe(true);
  store.trim(60);
  expect(store.at("/a", 60)?.time).toBe(60);
  expect(store.bytes).toBeLessThanOrEqual(50);
  expect(store.isFull).toBe(false);
});

test("a seek begins anew", () => {
  const store = filled();
  store.clear(200);
  expect(store.covered).toEqual({ start: 200, end: 200 });
  expect(store.at("/a", 300)).toBeUndefined();
  expect(store.bytes).toBe(0);
});
