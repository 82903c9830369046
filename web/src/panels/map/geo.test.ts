import { expect, test } from "vitest";

import { seriesPositions } from "./track";
import { boxOf, fitted, fixOf, gridStep, metresText, Plane, positionOf, positionText } from "./geo";

test("a fix, none, and what makes no sense", () => {
  const place = { latitude: 47.5, longitude: 8.5, altitude: 400 };
  const covariance = [4, 0, 0, 0, 9, 0, 0, 0, 1];
  const known = { position_covariance: covariance, position_covariance_type: 2 };
  expect(fixOf({ ...place, status: { status: 0 }, ...known })).toEqual({
    position: { latitude: 47.5, longitude: 8.5 },
    hasFix: true,
    deviation: 3,
    altitude: 400,
  });
  expect(fixOf({ ...place, ...known, position_covariance_type: 0 }).deviation).toBe(null);
  expect(fixOf({ ...place, position_covariance: [NaN] }).deviation).toBe(null);
  expect(fixOf({ ...place, status: { status: -1 } }).hasFix).toBe(false);
  expect(fixOf({ latitude: NaN, longitude: 8 })).toMatchObject({ position: null, hasFix: false });
  expect(fixOf({ latitude: 91, longitude: 8 }).position).toBe(null);
  expect(fixOf("text")).toMatchObject({ position: null, hasFix: false, altitude: null });
});

test("metres around a place, and back", () => {
  const plane = new Plane({ latitude: 47.5, longitude: 8.5 });
  // From tables: a degree at 47.5° has 111,175 m to the north and 75,339 m to the east.
  const { x, y } = plane.pointOf({ latitude: 47.51, longitude: 8.51 });
  expect(Math.abs(x - 753.4)).toBeLessThan(0.5);
  expect(Math.abs(y - 1111.8)).toBeLessThan(0.5);
  const back = plane.positionOf({ x, y });
  expect(back.latitude).toBeCloseTo(47.51, 9);
  expect(back.longitude).toBeCloseTo(8.51, 9);
});

test("the date line, and a pole", () => {
  const plane = new Plane({ latitude: 0, longitude: 179.999 });
  expect(plane.pointOf({ latitude: 0, longitude: -179.999 }).x).toBeCloseTo(222.6, 0);
  expect(plane.positionOf({ x: 222.639, y: 0 }).longitude).toBeCloseTo(-179.999, 5);
  const pole = new Plane({ latitude: 90, longitude: 0 }).pointOf({ latitude: 90, longitude: 180 });
  expect(Number.isFinite(pole.x)).toBe(true);
});

test("all of the track is seen", () => {
  const box = boxOf([{ x: -50, y: 0 }, { x: 50, y: 20 }])!;
  expect(fitted(box, 1000, 1000)).toEqual({ x: 0, y: 10, scale: 7 });
  expect(fitted(boxOf([{ x: 3, y: 4 }])!, 1000, 500)).toEqual({ x: 3, y: 4, scale: 35 });
  expect(boxOf([])).toBe(null);
});

test("the grid", () => {
  expect([1, 0.5, 0.1, 0.012, 100].map((scale) => gridStep(scale, 100))).toEqual([
    100, 200, 1000, 10_000, 1,
  ]);
  expect([0.5, 20, 5000].map(metresText)).toEqual(["50 cm", "20 m", "5 km"]);
  expect(positionText({ latitude: 1, longitude: -2.5 })).toBe("1.0000000°, -2.5000000°");
  expect(positionOf(1, "2")).toBe(null);
});

test("the track of the whole bag leaves out parts without a position", () => {
  const column = (field: string, mean: (number | null)[], min = mean, max = mean) => ({
    topic: "/fix",
    field,
    count: mean.map((each) => (each === null ? 0 : 1)),
    mean,
    min,
    max,
  });
  const series = [
    column("latitude", [47, null, 48, 20, 49]),
    column("longitude", [8, null, 9, 4, NaN]),
  ];
  // In the fourth part are messages without a fix, which say 0, 0.
  series[0]!.min = [47, null, 48, 0, 49];
  series[1]!.min = [8, null, 9, 0, NaN];
  const answer = { start_time: 0, bucket_duration: 1, buckets: 5, series };
  expect(seriesPositions(answer)).toEqual([
    { latitude: 47, longitude: 8 },
    { latitude: 48, longitude: 9 },
  ]);
});
