import { expect, test } from "vitest";

import { pathOf } from "./slice";

test("frames of a video from before a slice come with the state alone", () => {
  const slice = { bag: "a.bag", topics: ["/a", "/b"], origin: 5_000_000_000n, start: 1, end: 2.5 };
  const asked = (state: string[]) => new URL(pathOf({ ...slice, state }), "http://x").searchParams;
  expect(Object.fromEntries(asked(["/a"]))).toEqual({
    start_time: "6.000000000",
    end_time: "7.500000000",
    topics: "/a,/b",
    state: "/a",
    key_frames: "1",
    format: "mcap",
  });
  expect([asked([]).get("state"), asked([]).get("key_frames")]).toEqual(["none", "0"]);
});
