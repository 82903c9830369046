import { expect, test } from "vitest";

import type { Feed } from "../../player/feed";
import { Store } from "../../player/store";
import {
  against,
  broken,
  choiceOf,
  derivative,
  exactCurves,
  placeOf,
  seriesCurve,
  stampOf,
  valueAt,
} from "./data";
import type { Line } from "./lines";

function feed(): Feed {
  const store = new Store();
  for (let i = 0; i < 10; ++i) {
    const header = { stamp: { sec: 100 + i, nanosec: 5e8 } };
    const value = { header, x: { y: i === 3 ? NaN : i === 5 ? Infinity : i * 2 } };
    store.add({ topic: "/a", time: i, bytes: 1, value });
  }
  store.coverUntil(10);
  const between: Feed["between"] = (topic, after, time) => store.between(topic, after, time);
  return { covered: store.covered, between, origin: 99 } as Feed;
}
const line = (path: string, topic = "/a") => ({ topic, path }) as Line;

test("points of a range that the page holds, and a little more", () => {
  const curves = exactCurves(feed(), [line("x.y"), line("x.z"), line("x.y", "/none")], {
    start: 2,
    end: 6,
  });
  expect(curves?.[0]).toEqual({ times: [2, 3, 4, 5, 6, 7], values: [4, null, 8, null, 12, 14] });
  expect(curves?.[1]?.values).toEqual([null, null, null, null, null, null]);
  expect(curves?.[2]).toEqual({ times: [], values: [] });
});

test("times of headers", () => {
  const curves = exactCurves(feed(), [line("x.y")], { start: 8, end: 9 }, true);
  expect(curves?.[0]?.times).toEqual([9.5, 10.5]);
  const message = { topic: "/a", time: 1, bytes: 1, value: { header: { stamp: "x" } } };
  expect(stampOf(message, 0)).toBeNull();
  const long = { header: { stamp: { seconds: 7n, nanos: 250_000_000 } } };
  expect(stampOf({ ...message, value: long }, 5)).toBe(2.25);
});

test("a range that is not held is the server's", () => {
  expect(exactCurves(feed(), [line("x.y")], { start: 2, end: 11 })).toBeNull();
});

test("parts without values are left out, what is infinite is a gap", () => {
  const values = { min: [1, null, 2, null], max: [1, null, 4, 9], mean: [1, null, 3, null] };
  const series = [{ topic: "/a", field: "x", count: [1, 0, 2, 1], ...values }];
  const answer = { start_time: 100, bucket_duration: 2, buckets: 4, series };
  expect(seriesCurve(answer, series[0], 100)).toEqual({
    times: [1, 5, 7],
    values: [1, 3, null],
    low: [1, 2, null],
    high: [1, 4, 9],
  });
  expect(seriesCurve(answer, undefined, 100).times).toEqual([]);
});

test("between bags that are shown together there is a gap", () => {
  const curve = { times: [0, 1, 9, 10], values: [1, 2, 3, 4] };
  const gaps = [{ start: 2, end: 8 }, { start: 11, end: 20 }];
  expect(broken(curve, gaps)).toEqual({ times: [0, 1, 5, 9, 10], values: [1, 2, null, 3, 4] });
  const band = { ...curve, low: [0, 0, 0, 0], high: [5, 5, 5, 5] };
  expect(broken(band, gaps).low).toEqual([0, 0, null, 0, 0]);
  expect(broken(curve, [])).toBe(curve);
});

test("the change by second", () => {
  const curve = { times: [0, 1, 1, 3, 4], values: [1, 3, 5, null, 2] };
  expect(derivative(curve)).toEqual({ times: [1, 1, 3, 4], values: [2, null, null, null] });
});

test("values at a time", () => {
  const curve = { times: [1, 2, 4], values: [10, null, 30] };
  expect([0, 1, 1.5, 2, 9].map((time) => valueAt(curve, time))).toEqual([null, 10, 10, null, 30]);
  expect(placeOf([], 3)).toBe(-1);
});

test("a field against another one", () => {
  const x = { times: [1, 2, 3], values: [10, null, 30] };
  const y = { times: [0, 2.5], values: [5, 6] };
  expect(against(x, y)).toEqual([
    { x: 10, y: 5 },
    { x: 30, y: 6 },
  ]);
});

test("what was chosen, whatever the URL says", () => {
  expect(choiceOf({ mode: "xy", min: "-1.5", max: "much" })).toMatchObject({
    isXy: true,
    isDerivative: false,
    min: -1.5,
    max: null,
  });
});
