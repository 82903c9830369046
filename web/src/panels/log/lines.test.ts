import { expect, test } from "vitest";

import { filterOf, indexAt, levelOf, lineOf, plainText, sourceText, type Line } from "./lines";

const message = (value: unknown, error?: string) => {
  const plain = { topic: "/rosout", time: 1.5, value, bytes: 1 };
  return lineOf(error === undefined ? plain : { ...plain, error });
};
const all = { least: "DEBUG", node: "", find: "" } as const;

test("the levels of ROS 1, ROS 2 and foxglove", () => {
  const names = ["DEBUG", "INFO", "WARN", "ERROR", "FATAL"];
  expect([1, 2, 4, 8, 16].map((each) => levelOf(each))).toEqual(names);
  expect([10, 20, 30, 40, 50].map((each) => levelOf(each))).toEqual(names);
  expect([1, 2, 3, 4, 5].map((each) => levelOf(each, true))).toEqual(names);
  expect([levelOf(0), levelOf(NaN), levelOf(0, true), levelOf(255)]).toEqual([
    "DEBUG",
    "DEBUG",
    "DEBUG",
    "FATAL",
  ]);
});

test("a line of each kind of message, and of what is none", () => {
  const ros = message({ level: 4, name: "/a", msg: "low", file: "a.cpp", line: 7, function: "f" });
  expect(ros).toMatchObject({ level: "WARN", node: "/a", text: "low", time: 1.5 });
  expect(sourceText(ros)).toBe("a.cpp:7, f");
  const foxglove = message({ level: 3, name: "b", message: "hot", file: "", line: 0 });
  expect([foxglove.level, foxglove.text, sourceText(foxglove)]).toEqual(["WARN", "hot", ""]);
  expect(message(undefined, "too short")).toMatchObject({ level: "ERROR", text: "too short" });
  expect(message({ level: {}, msg: 7, name: null })).toMatchObject({ text: "", node: "" });
  expect(message({ msg: "x".repeat(1e6) }).text.length).toBe(100_001);
});

test("by level, node, text and regular expression", () => {
  const lines = [
    message({ level: 1, name: "/a", msg: "Timeout of 3 s" }),
    message({ level: 2, name: "/b", msg: "ready" }),
    message({ level: 8, name: "/b", msg: "lost it" }),
  ];
  const texts = (wish: object) => lines.filter(filterOf({ ...all, ...wish })).map((l) => l.text);
  expect(texts({ least: "INFO" })).toEqual(["ready", "lost it"]);
  expect(texts({ node: "/b", least: "ERROR" })).toEqual(["lost it"]);
  expect(texts({ find: "TIMEOUT" })).toEqual(["Timeout of 3 s"]);
  expect(texts({ find: "/time.*\\d|lost/" })).toEqual(["Timeout of 3 s", "lost it"]);
  expect(texts({ find: "3 s)" })).toEqual([]);
  expect(() => texts({ find: "/(/" })).toThrow("/(/ is no regular expression");
});

test("the line at an instant", () => {
  const lines = [1, 2, 2, 3].map((time) => ({ time }) as Line);
  expect([0.5, 1, 2.5, 9].map((time) => indexAt(lines, time))).toEqual([-1, 0, 2, 3]);
});

test("a line that is copied", () => {
  const line = message({ level: 16, name: "/a", msg: "stop" });
  expect(plainText(line, 0)).toMatch(/^\d\d:\d\d:01\.500 \[FATAL\] \[\/a\]: stop$/);
});
