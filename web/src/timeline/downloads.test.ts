import { expect, test } from "vitest";

import { downloadsByBag, downloadsOf, sizeOf } from "./downloads";

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

test("as a .bag, too", () => {
  const bags = downloadsOf(bag, { start: 5, end: 6 }, null).filter((each) => each.format === "bag");
  expect(bags.map((each) => each.name)).toEqual(["a b_0m05.0-0m06.0.bag"]);
});

test("a table as Parquet may have topics of several types", () => {
  const all = downloadsOf(bag, { start: 0, end: 1 }, null);
  const parquet = all.find(({ format }) => format === "parquet")!;
  expect(parquet.problem).toBeUndefined();
  expect(parquet.name).toBe("a b_0m00.0-0m01.0.parquet");
});

test("each camera has a video of its own", () => {
  const camera = (topic: string, messages: number) => {
    return { topic, type: "sensor_msgs/msg/CompressedImage", messages, latched: 0 };
  };
  const cameras = [camera("/front/image", 5), camera("/rear/image", 5), camera("/off", 0)];
  const seen = { ...bag, topics: [...topics, ...cameras] };
  const videos = (of: string[] | null) =>
    downloadsOf(seen, { start: 0, end: 1 }, of).filter(({ format }) => format === "mp4");
  expect(videos(null).map(({ title }) => title)).toEqual([
    "MP4 of /front/image",
    "MP4 of /rear/image",
  ]);
  const [front] = videos(["/odom", "/front/image"]);
  expect(front!.name).toBe("a b_0m00.0-0m01.0_front_image.mp4");
  expect(new URL(front!.href, "http://x").searchParams.get("topics")).toBe("/front/image");
  expect(videos(["/odom"])).toEqual([]);
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

test("several bags: each that has something of the range has links of its own", () => {
  const own = topics.map((each) => ({ ...each, shownAs: each.topic }));
  const shown = [own[0]!, { ...own[1]!, shownAs: "/imu (b.bag)" }];
  const later = bag.origin + 30_000_000_000n;
  const parts = [
    { ...bag, topics: own },
    { ...bag, name: "b.bag", origin: later, topics: shown },
    { ...bag, name: "local/c.bag", origin: later, topics: own },
  ];
  const all = { ...bag, length: 50, together: { parts, problems: [], notes: [] } };
  const titles = (start: number, end: number) =>
    downloadsByBag(all, { start, end }, ["/imu (b.bag)"]).map((each) => each.title);
  expect(titles(5, 12)).toEqual(["a b.bag"]);
  expect(titles(22, 25)).toEqual([]);
  const [first, second, third] = downloadsByBag(all, { start: 5, end: 32 }, ["/imu (b.bag)"]);
  expect(first!.links[0]!.problem).toContain("no topic");
  expect(second!.range).toEqual({ start: 30, end: 32 });
  const query = new URL(second!.links[0]!.href, "http://x").searchParams;
  expect(query.get("topics")).toBe("/imu");
  expect(query.get("end_time")).toBe("1767225632.000000000");
  expect(third!.links).toEqual([]);
});
