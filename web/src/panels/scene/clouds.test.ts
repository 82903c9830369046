import { describe, expect, test } from "vitest";

import { cloudFields, cloudPoints, oldCloudPoints, scanPoints, type Colouring } from "./clouds";
import { tableOf } from "../scales";
import { colourOf, colourText, paint } from "./colours";

const flat: Colouring = { field: "", scale: "viridis", flat: [1, 2, 3] };
const by = (field: string): Colouring => ({ ...flat, field });
const round = (list: ArrayLike<number>) => Array.from(list, (each) => Number(each.toFixed(4)) + 0);
const VIOLET = [0x44, 0x01, 0x54];
const YELLOW = [0xfd, 0xe7, 0x25];

/** x, y, z as float32, rgb packed as PCL does, intensity as uint16. */
function cloud(points: number[][], { offset = 0, isBig = false, padding = 0 } = {}) {
  const step = 20;
  const buffer = new ArrayBuffer(offset + points.length * (step + padding));
  const view = new DataView(buffer, offset);
  points.forEach(([x, y, z, rgb, intensity], i) => {
    const at = i * (step + padding);
    [x, y, z].forEach((each, c) => view.setFloat32(at + c * 4, each!, !isBig));
    view.setUint32(at + 12, rgb!, !isBig);
    view.setUint16(at + 16, intensity!, !isBig);
  });
  const field = (name: string, offset: number, datatype: number) => ({ name, offset, datatype });
  return {
    width: 1,
    height: points.length,
    point_step: step,
    row_step: step + padding,
    is_bigendian: isBig,
    fields: [
      field("x", 0, 7), field("y", 4, 7), field("z", 8, 7), field("rgb", 12, 7),
      field("intensity", 16, 4),
    ],
    data: new Uint8Array(buffer, offset),
  };
}
const points = [[1, 2, 3, 0xff8001, 10], [NaN, 0, 0, 0, 5], [4, 5, 7, 0x0000ff, 20]];

describe("clouds", () => {
  test("are read aligned or not, little or big, and points that are none are dropped", () => {
    const variants = [{}, { offset: 3 }, { isBig: true }, { padding: 6 }, { offset: 4 }];
    for (const variant of variants) {
      const shown = cloudPoints(cloud(points, variant), by("z"));
      expect(shown.count).toBe(2);
      expect([...shown.positions]).toEqual([1, 2, 3, 4, 5, 7]);
      expect(shown.legend).toMatchObject({ field: "z", min: 3, max: 7 });
      expect([...shown.colours]).toEqual([...VIOLET, ...YELLOW]);
      const packed = cloudPoints(cloud(points, variant), by("rgb"));
      expect([...packed.colours]).toEqual([255, 128, 1, 0, 0, 255]);
      expect(packed.legend).toBeUndefined();
      expect(cloudPoints(cloud(points, variant), by("intensity")).legend!.max).toBe(20);
    }
    expect([...cloudPoints(cloud(points), by("none")).colours]).toEqual([1, 2, 3, 1, 2, 3]);
    expect(cloudFields(cloud(points))).toEqual(["x", "y", "z", "rgb", "intensity"]);
  });

  test("of Foxglove, and of ROS before 2010", () => {
    const { data, fields } = cloud(points);
    const types: Record<number, number> = { 7: 7, 4: 3 };
    const foxglove = {
      point_stride: 20,
      data,
      fields: fields.map(({ name, offset, datatype }) => ({ name, offset, type: types[datatype] })),
    };
    expect([...cloudPoints(foxglove, by("intensity")).positions]).toEqual([1, 2, 3, 4, 5, 7]);
    const old = {
      points: [{ x: 1, y: 2, z: 3 }, { x: 1, y: "2", z: 3 }, { x: 4, y: 5, z: 6 }],
      channels: [{ name: "intensity", values: new Float32Array([5, 6, 7]) }],
    };
    expect(oldCloudPoints(old, by("intensity")).legend).toMatchObject({ min: 5, max: 7 });
    expect(oldCloudPoints(old, by("x")).legend).toMatchObject({ min: 1, max: 4 });
    expect(oldCloudPoints(old, flat).count).toBe(2);
    expect(cloudFields(old)).toEqual(["x", "y", "z", "intensity"]);
  });

  test("that lie about their size say so", () => {
    const value = cloud(points);
    expect(() => cloudPoints({ ...value, height: 4000 }, flat)).toThrow("too few for 1 × 4000");
    expect(() => cloudPoints({ ...value, point_step: 0 }, flat)).toThrow("no size");
    expect(() => cloudPoints({ ...value, fields: [] }, flat)).toThrow("no x and y");
    expect(() => cloudPoints({ ...value, width: "many" }, flat)).toThrow("width");
    const outside = value.fields.map((each) => ({ ...each, offset: 1e9 }));
    expect(() => cloudPoints({ ...value, fields: outside }, flat)).toThrow("no x and y");
    expect(oldCloudPoints(null, flat).count).toBe(0);
    expect(cloudPoints({ ...value, width: 0, height: 0 }, flat).count).toBe(0);
  });

  test("of a million points are all there", () => {
    const many = cloud([], {});
    const data = new Float32Array(5e6).map((_, i) => i % 1000);
    const bytes = new Uint8Array(data.buffer);
    const value = { ...many, width: 1e6, height: 1, row_step: 2e7, data: bytes };
    expect(cloudPoints(value, by("z")).count).toBe(1e6);
  });
});

describe("scans", () => {
  const scan = {
    angle_min: 0,
    angle_increment: Math.PI / 2,
    range_min: 0.5,
    range_max: 10,
    ranges: new Float32Array([1, 0.1, 2, Infinity, 4, 20]),
    intensities: new Float32Array([7, 8, 9, 10, 11, 12]),
  };

  test("are the points within their range", () => {
    expect(round(scanPoints(scan, flat).positions)).toEqual([1, 0, 0, -2, 0, 0, 4, 0, 0]);
    expect(scanPoints(scan, by("intensity")).legend).toMatchObject({ min: 7, max: 11 });
    expect(scanPoints({ ...scan, intensities: [] }, by("intensity")).legend).toBeUndefined();
    expect(scanPoints(scan, by("range")).legend).toMatchObject({ min: 1, max: 4 });
  });

  test("of several echoes, of Foxglove, and of nothing", () => {
    const echoes = [{ echoes: [1, 2] }, { echoes: [] }, { echoes: [3] }];
    expect(round(scanPoints({ ...scan, ranges: echoes }, flat).positions)).toEqual([
      1, 0, 0, -3, 0, 0,
    ]);
    const foxglove = { start_angle: 0, end_angle: Math.PI, ranges: [1, 1, 1] };
    expect(round(scanPoints(foxglove, flat).positions)).toEqual([1, 0, 0, 0, 1, 0, -1, 0, 0]);
    expect(scanPoints({ ranges: "far" }, flat).count).toBe(0);
    expect(scanPoints(undefined, flat).count).toBe(0);
  });
});

test("colours", () => {
  expect(colourOf("#1f5fc9")).toEqual([31, 95, 201]);
  expect(colourText([31, 95, 201])).toBe("#1f5fc9");
  expect(colourOf("blue")).toBeUndefined();
  const viridis = tableOf("viridis");
  expect([...viridis.slice(0, 3)]).toEqual(VIOLET);
  expect([...viridis.slice(-3)]).toEqual(YELLOW);
  const to = new Uint8Array(9);
  expect(paint([NaN, 5, 6], 3, "grey", to)).toEqual({ min: 5, max: 6 });
  expect([...to]).toEqual([0, 0, 0, 0, 0, 0, 255, 255, 255]);
  expect(paint([], 0, "grey", to)).toEqual({ min: 0, max: 0 });
});
