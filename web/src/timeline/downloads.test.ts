import { expect, test } from "vitest";

import { downloadsOf, sizeOf } from "./downloads";

const topics = [
  { topic: "/odom", type: "nav_msgs/Odometry", messages: 9, latched: 0 },
  { topic: "/imu", type: "sensor_msgs/Imu", messages: 9, latched: 0 },
];
const bag = { name: "a b.bag", origin: 1_767_225_600_000_000_000n, length: 20, topics };

test("a link has the range to the nanosecond and a name that says what it is", () => {
  const [mcap] = downloadsOf(bag, { start: 5, end: 67.25 }, ["/odom"]);
  expect(mcap!.name).toBe("a b_0m05.0-1m07.3.mcap");
  const url = new URL(mcap!.href, "http://x");
  expect(url.pathname).toBe("/bags/a%20b.bag/player");
  expect(url.searchParams.get("start_time")).toBe("1767225605.000000000");
  expect(url.searchParams.get("topics")).toBe("/odom");
  expect(url.searchParams.get("format")).toBe("mcap");
});

test("a range to the end of the bag has the last message", () => {
  const [mcap] = downloadsOf(bag, { start: 5, end: 20 }, null);
  const url = new URL(mcap!.href, "http://x");
  expect(url.searchParams.get("end_time")).toBe("1767225620.000001000");
  expect(url.searchParams.has("topics")).toBe(false);
});

test("a table needs topics of one type", () => {
  const problem = (of: string[] | null) =>
    downloadsOf(bag, { start: 0, end: 1 }, of).find(({ format }) => format === "csv")!.problem;
  expect(problem(["/odom"])).toBeUndefined();
  expect(problem(null)).toContain("one type");
  expect(problem([])).toContain("no topic");
});

test("sizes are what is known of the messages", () => {
  const bytes = new Map([["/a", 100]]);
  const known = (topic: string) => bytes.get(topic) ?? null;
  expect(sizeOf(["/a"], () => 50, known)).toBe(5000);
  expect(sizeOf(["/a", "/b"], (topic) => (topic === "/a" ? 50 : 0), known)).toBe(5000);
  expect(sizeOf(["/a", "/b"], () => 50, known)).toBeNull();
});
