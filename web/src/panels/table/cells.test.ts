import { expect, test } from "vitest";

import {
  cellText,
  chosenColumns,
  columnsOf,
  textOf,
  csvText,
  hasWord,
  jsonText,
  valueAt,
} from "./cells";

const pose = {
  header: { seq: 1, stamp: { sec: 5, nsec: 7 }, frame_id: "map" },
  pose: { position: { x: 1.5, y: NaN } },
  covariance: new Float64Array(36),
  names: ["a", "b"],
};

test("fields are columns, with dots in their names", () => {
  const columns = columnsOf([pose, undefined, { more: 1 }]);
  expect(columns.map((each) => each.name)).toEqual([
    "header.seq",
    "header.stamp",
    "header.frame_id",
    "pose.position.x",
    "pose.position.y",
    "covariance",
    "names",
    "more",
  ]);
  const names = (chosen: string[] | undefined) =>
    chosenColumns(columns, chosen).map((each) => each.name);
  expect(names(undefined)[0]).toBe("pose.position.x");
  expect(names(["names", "header.seq", "none"])).toEqual(["header.seq", "names"]);
  expect(valueAt(pose, columns[3]!)).toBe(1.5);
  expect(valueAt({ pose: 3 }, columns[3]!)).toBeUndefined();
});

test("a name with dots of its own, and one of Object", () => {
  const [column] = columnsOf([{ "a.b": 7 }]);
  expect(valueAt({ "a.b": 7 }, column!)).toBe(7);
  expect(valueAt({}, { name: "constructor", path: ["constructor"] })).toBeUndefined();
});

test("texts of cells", () => {
  expect(cellText({ sec: 5, nsec: 7 })).toBe("5.000000007");
  expect(cellText({ sec: 5, nanosec: 7 })).toBe("5.000000007");
  expect(cellText([1, 2.5, "x"])).toBe("[1, 2.5, x]");
  expect(cellText(new Float32Array(360))).toBe("[360] 0, 0, 0, 0, 0, 0, 0, 0, …");
  expect(cellText([{ a: 1 }, [[[1]]]])).toBe("[{…}, [[…]]]");
  expect(cellText(1n << 60n)).toBe("1152921504606846976");
  expect(cellText("x".repeat(1e6)).length).toBe(201);
  expect(cellText(false)).toBe("false");
  expect(cellText(null)).toBe("");
});

test("a word in the cells that are shown", () => {
  const columns = chosenColumns(columnsOf([pose]), ["names"]);
  expect(hasWord(pose, columns, "b]")).toBe(true);
  expect(hasWord(pose, columns, "map")).toBe(false);
});

test("what is copied", () => {
  expect(jsonText({ a: NaN, b: new Uint8Array([1, 2, 255]), c: 5n, d: 1n << 60n })).toBe(
    '{"a":null,"b":"AQL/","c":5,"d":"1152921504606846976"}',
  );
  expect(jsonText({ a: new Float32Array(200_000) })).toBe('{"a":"200000 elements are left out"}');
  expect(textOf({ sec: 5, nsec: 7 })).toBe("5.000000007");
  expect(textOf([1, 2])).toBe("[1,2]");
  expect(textOf("a b")).toBe("a b");
  expect(csvText([["a", 'b"c'], ["1,2", "x\ny"]])).toBe('a,"b""c"\r\n"1,2","x\ny"');
});
