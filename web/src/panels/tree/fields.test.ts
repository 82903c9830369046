import { expect, test } from "vitest";

import { entriesOf, isInner, isTime, jsonOf, leafText, lengthOf, pathOf } from "./fields";
import { search, valueAt, valueText } from "./fields";

const message = {
  header: { stamp: { sec: 1767225607, nsec: 250000000 }, frame_id: "base_link" },
  pose: { position: { x: 1.25, y: -2 } },
  ranges: new Float32Array([1, 2.5, NaN]),
  names: ["left", "right"],
};

test("paths", () => {
  expect(pathOf("", "pose", false)).toBe("pose");
  expect(pathOf("pose", "x", false)).toBe("pose.x");
  expect(pathOf("ranges", "3", true)).toBe("ranges[3]");
});

test("times are read by people, durations are seconds", () => {
  const stamp = leafText(message.header.stamp);
  expect(stamp).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.250 {2}\(1767225607\.250000000 s\)$/);
  expect(leafText({ sec: 0, nanosec: 5 })).toBe("0.000000005 s");
  expect(leafText({ seconds: 2n, nanos: 5 })).toBe("2.000000005 s");
  expect([isTime({ sec: 1, nsec: 2, more: 3 }), isTime({ sec: "x", nsec: 1 })]).toEqual([
    false,
    false,
  ]);
});

test("texts are bounded", () => {
  expect(leafText("x".repeat(1_000_000))).toBe(`${"x".repeat(1000)}… (1000000 characters)`);
  expect([leafText(0.1 + 0.2), leafText(7n), leafText(null)]).toEqual(["0.3", "7", "null"]);
});

test("a list is opened as far as one asks", () => {
  const large = new Uint8Array(50_000_000);
  expect(lengthOf(large)).toBe(50_000_000);
  expect(entriesOf(large, 3)).toEqual([["0", 0], ["1", 0], ["2", 0]]);
  expect([isInner(message), isInner(message.header.stamp), isInner(null)]).toEqual([
    true,
    false,
    false,
  ]);
});

test("a search in names and values finds the way to them", () => {
  expect([...search(message, "POSITION")].sort()).toEqual(["pose", "pose.position"]);
  expect([...search(message, "right")].sort()).toEqual(["names", "names[1]"]);
  expect([...search(message, "2.5")].sort()).toEqual(["ranges", "ranges[1]"]);
  expect(search(message, "nowhere").size).toBe(0);
  expect(search({ data: new Uint8Array(50_000_000) }, "7").size).toBe(0);
});

test("JSON is that of kitbag cat", () => {
  const value = { id: 9007199254740993n, data: new Uint8Array([1, 2]), x: [NaN, 2n] };
  expect(JSON.parse(jsonOf(value))).toEqual({ id: "9007199254740993", data: "AQI=", x: [null, 2] });
  expect(JSON.parse(jsonOf(message)).ranges).toEqual([1, 2.5, null]);
});

test("the value at a path", () => {
  expect(valueAt(message, "pose.position.x")).toBe(1.25);
  expect(valueAt(message, "names[1]")).toBe("right");
  expect(valueAt(message, "ranges[1]")).toBe(2.5);
  expect([valueAt(message, "pose.constructor"), valueAt(message, "x.y")]).toEqual([
    undefined,
    undefined,
  ]);
  expect([valueText("a"), valueText(1.5)]).toEqual(["a", "1.5"]);
});
