import { expect, test } from "vitest";

import { topicPattern } from "../api";
import { codeOf } from "./code";
import { pythonText, shellFile, shellWord } from "./quote";

test("words of a shell", () => {
  expect(shellWord("/odom")).toBe("/odom");
  expect(shellWord("")).toBe("''");
  expect(shellWord("it's $(rm -r /)")).toBe("'it'\\''s $(rm -r /)'");
  expect(shellWord("a\x1b[31m'9")).toBe("$'a\\x1b'$'[31m\\'9'");
  expect(shellWord("\u202e\\")).toBe("$'\\xe2\\x80\\xae'$'\\\\'");
  expect(shellFile("-rf")).toBe("./-rf");
  expect(shellFile("- a")).toBe("'./- a'");
});

test("texts of Python", () => {
  expect(pythonText('a"\\\n\u2028')).toBe('"a\\"\\\\\\n\\u2028"');
  expect(pythonText("\x7f\u202e")).toBe('"\\u007f\\u202e"');
});

test("topics that are no globs", () => {
  expect(topicPattern("/a")).toBe("/a");
  expect(topicPattern("/a*[b]?\\,")).toBe("/a\\*\\[b\\]\\?\\\\?");
  expect(topicPattern("/a,b", false)).toBe("/a\\,b");
});

test("the three lines", () => {
  const bag = { root: "http://h:1", name: "a b.bag", origin: 1_700_000_000_250_000_000n };
  const ask = { topic: "/odom", fields: ["x", "y.z"], start: 0.5, end: 2 };
  const { curl, kitbag, python } = codeOf(bag, [ask, { ...ask, topic: "", fields: [] }]);
  expect(curl.split(" \\\n  ").slice(0, 5)).toEqual([
    "curl -fsSG http://h:1/bags/a%20b.bag/player",
    "--data-urlencode start_time=1700000000.750000000",
    "--data-urlencode end_time=1700000002.250000000",
    "--data-urlencode topics=/odom",
    "--data-urlencode fields=x,y.z",
  ]);
  expect(kitbag.split("\n")).toEqual([
    "kitbag cat 'a b.bag' --topics=/odom --start 1700000000.750000000 " +
      "--end 1700000002.250000000 --fields=x,y.z --latched",
    "kitbag cat 'a b.bag' --start 1700000000.750000000 --end 1700000002.250000000 --latched",
  ]);
  expect(python).toContain('"topics": "/odom", "fields": "x,y.z", "format": "ndjson"}),');
});

test("of several bags, those that have the topic, by the name that it has there", () => {
  const topic = (name: string, shownAs = name, latched = 0) => ({
    ...{ topic: name, shownAs, type: "t/T", messages: 1, latched },
  });
  const part = (name: string, start: number, topics: ReturnType<typeof topic>[]) => ({
    ...{ name, topics, length: 10, origin: BigInt(1_700_000_000 + start) * 1_000_000_000n },
  });
  const parts = [
    part("a.bag", 0, [topic("/x"), topic("/map", "/map", 1)]),
    part("b.bag", 20, [topic("/x"), topic("/y", "/y (b.bag)")]),
    part("local/c.bag", 20, [topic("/x")]),
  ];
  const together = { parts, problems: [], notes: [] };
  const bag = { root: "http://h", name: "a.bag//b.bag", origin: parts[0]!.origin, together };
  const ask = { topic: "/x", fields: [], start: 5, end: 25 };
  const { curl, kitbag, python } = codeOf(bag, [ask]);
  expect(kitbag).toBe(
    "kitbag cat a.bag b.bag c.bag --topics=/x --start 1700000005.000000000 " +
      "--end 1700000025.000000000 --latched",
  );
  expect(curl.split("\n").filter((line) => !line.startsWith(" "))).toEqual([
    '# without "c.bag", which is not on the server',
    "curl -fsSG http://h/bags/a.bag/player \\",
    "curl -fsSG http://h/bags/b.bag/player \\",
  ]);
  expect(python.match(/http:..h.bags.\w/g)).toEqual(["http://h/bags/a", "http://h/bags/b"]);
  const own = codeOf(bag, [{ ...ask, topic: "/y (b.bag)" }]);
  expect(own.kitbag).toContain("cat b.bag --topics=/y ");
  // A latched topic counts after the end of its bag, others do not.
  expect(codeOf(bag, [{ ...ask, topic: "/map", start: 22 }]).kitbag).toContain("cat a.bag --t");
  expect(codeOf(bag, [{ ...ask, start: 22 }]).kitbag).toContain("cat b.bag c.bag --t");
});
