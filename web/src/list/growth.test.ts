import { expect, test } from "vitest";

import { Growth } from "./growth";

const bag = (size: number) => ({ filename: "a", size_bytes: size, end: "", recording: true });

test("what grows is live, what does not was left behind", () => {
  const growth = new Growth();
  const look = (size: number, now: number) => growth.look([bag(size)], now)[0]!;
  expect(look(1, 0).isLive).toBe(undefined);
  expect(look(1, 1000)).toMatchObject({ isLive: false, recording: false });
  expect(look(2, 2000)).toMatchObject({ isLive: true, recording: true });
  expect(look(2, 8000).isLive).toBe(true);
  expect(look(2, 13_000).isLive).toBe(false);
});

test("complete bags are as they are", () => {
  const complete = { filename: "b", size_bytes: 1, end: "" };
  expect(new Growth().look([complete], 0)).toEqual([complete]);
});
