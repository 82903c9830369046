import { expect, test } from "vitest";

import type { Message } from "../../player/store";
import { choose, countLevels, lastStatuses, levelOf } from "./status";

function message(time: number, ...status: unknown[]): Message {
  return { topic: "/diagnostics", time, value: { status }, bytes: 1 };
}
const say = (name: string, level: unknown, text = "", values: unknown = []) => ({
  name,
  level,
  message: text,
  hardware_id: `${name}-1`,
  values,
});

test("the last of each name", () => {
  const statuses = lastStatuses([
    message(1, say("motor", 0, "fine"), say("laser", 1)),
    message(2, say("motor", 2, "hot", [{ key: "°C", value: "91" }])),
  ]);
  expect(statuses.map((each) => [each.name, each.said, each.message, each.time])).toEqual([
    ["motor", "ERROR", "hot", 2],
    ["laser", "WARN", "", 1],
  ]);
  expect(statuses[0]!.values).toEqual([["°C", "91"]]);
  expect(statuses[0]!.hardware).toBe("motor-1");
});

test("stale after five seconds, or if it says so", () => {
  const [motor, laser] = lastStatuses([message(1, say("motor", 2), say("laser", 3))]);
  expect(levelOf(motor!, 6)).toBe("ERROR");
  expect(levelOf(motor!, 6.1)).toBe("STALE");
  expect(levelOf(laser!, 1)).toBe("STALE");
});

test("the worst first, then by name", () => {
  const statuses = lastStatuses([
    message(1, say("silent", 2)),
    message(9, say("b", 0), say("a", 0), say("c", 1), say("d", 2)),
  ]);
  const names = (hidden: string[], word = "") =>
    choose(statuses, 9, new Set(hidden), word).map((each) => each.name);
  expect(names([])).toEqual(["d", "c", "silent", "a", "b"]);
  expect(names(["OK", "STALE"])).toEqual(["d", "c"]);
  expect(names([], "SILENT-1")).toEqual(["silent"]);
  expect(countLevels(statuses, 9)).toEqual({ ERROR: 1, WARN: 1, STALE: 1, OK: 2 });
});

test("what a bag should not say", () => {
  const odd = [
    { topic: "/d", time: 0, value: undefined, error: "damaged", bytes: 0 },
    { topic: "/d", time: 0, value: { status: 7 }, bytes: 0 },
    message(1, null, 5, say("a", NaN), say("b", "x", "", [null, { key: 3 }]), { name: {} }),
  ];
  const statuses = lastStatuses(odd);
  expect(statuses.find((each) => each.name === "a")!.said).toBe("ERROR");
  expect(statuses.find((each) => each.name === "b")!.values).toEqual([
    ["", ""],
    ["3", ""],
  ]);
  const many = Array.from({ length: 300 }, (_, i) => ({ key: String(i), value: "" }));
  const [one] = lastStatuses([message(1, say("many", 0, "", many))]);
  expect([one!.values.length, one!.moreValues]).toEqual([200, 100]);
});
