import { expect, test } from "vitest";

import type { Feed } from "../../player/feed";
import { Store } from "../../player/store";
import { exactColumns, seriesColumns } from "./data";

function feed(): Feed {
  const store = new Store();
  for (let i = 0; i < 10; ++i) {
    store.add({ topic: "/a", time: i, bytes: 1, value: { x: { y: i === 3 ? NaN : i * 2 } } });
  }
  store.coverUntil(10);
  const between: Feed["between"] = (topic, after, time) => store.between(topic, after, time);
  return { covered: store.covered, between } as Feed;
}

test("points of a range that the page holds", () => {
  const columns = exactColumns(feed(), "/a", ["x.y"], { start: 2, end: 4 });
  expect(columns?.[0]).toEqual([2, 3, 4]);
  expect(columns?.[1]).toEqual([4, null, 8]);
});

test("a range that is not held is the server's", () => {
  expect(exactColumns(feed(), "/a", ["x.y"], { start: 2, end: 11 })).toBeNull();
});

test("parts without values are left out", () => {
  const values = { min: [1, null, 2], max: [1, null, 4], mean: [1, null, 3] };
  const series = [{ topic: "/a", field: "x", count: [1, 0, 2], ...values }];
  const answer = { start_time: 100, bucket_duration: 2, buckets: 3, series };
  expect(seriesColumns(answer, ["x"], 100)).toEqual([[1, 5], [1, 3], [1, 2], [1, 4]]);
});
