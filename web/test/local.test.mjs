// Local files of all compressions, and real bags, against what the program says of them. KITBAG is
// the program.

import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";

import { answer } from "../src/source/local/answers";
import { openBag } from "../src/source/local/open";
import { SliceReader } from "../src/source/local/slices";
import { Times } from "../src/source/local/times";

const program = process.env.KITBAG ?? "../build/release/kitbag";
const DATA = join(import.meta.dirname, "../../../shared/data");
const MIB = 1 << 20;

vi.setConfig({ testTimeout: 60_000 });

let folder = "";
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), "kitbag-local-"))));
afterAll(() => rmSync(folder, { recursive: true }));

const kitbag = (...words) =>
  execFileSync(program, words, { encoding: "utf8", maxBuffer: 256 * MIB, stdio: "pipe" });
const fileOf = (path) => new File([readFileSync(path)], basename(path));

/** Times have more digits than a number of JavaScript. */
function cat(path) {
  return kitbag("cat", path)
    .trim()
    .split("\n")
    .filter(Boolean)
    .map((line) => {
      const ns = BigInt(/"log_time_ns": ?(\d+)/.exec(line)[1]);
      return { ...JSON.parse(line), log_time_ns: ns };
    });
}

async function open(path) {
  const file = await openBag(fileOf(path));
  const times = await Times.read(file);
  const ask = async (what) => JSON.parse(await answer(file, times, what));
  const slices = new SliceReader(file, times);
  const read = async (topics, start, end, state = []) => {
    const messages = [];
    const slice = { bag: "", topics, origin: times.start, start, end, state };
    const give = (some) => messages.push(...some);
    await slices.read(slice, give, new AbortController().signal);
    return messages;
  };
  return { file, times, ask, read };
}

function demo(name, ...words) {
  const path = join(folder, name);
  if (!existsSync(path)) kitbag("convert", "demo://?seconds=4&seed=7&image=0", path, ...words);
  return path;
}

const kinds = [
  ["none.bag", []],
  ["lz4.bag", ["--compression", "lz4"]],
  ["bz2.bag", ["--compression", "bz2"]],
  ["none.mcap", []],
  ["lz4.mcap", ["--compression", "lz4"]],
  ["zstd.mcap", ["--compression", "zstd", "--encoding", "cdr", "--chunk-size", "64KiB"]],
];

describe("the demo robot", () => {
  test.each(kinds)("%s", async (name, words) => {
    const path = demo(name, ...words);
    const { times, ask, read } = await open(path);
    const lines = cat(path);
    expect(times.start).toBe(lines[0].log_time_ns);
    expect(times.messages).toBe(lines.length);
    const topics = await ask("topics");
    const count = (topic) => lines.filter((line) => line.topic === topic).length;
    for (const topic of topics) expect(topic.messages).toBe(count(topic.topic));
    const names = topics.filter((topic) => topic.messages > 0).map((topic) => topic.topic);
    expect(names).toEqual([...new Set(lines.map((line) => line.topic))].sort());

    const odometry = await read(["/odom"], 0, 4);
    const wanted = lines.filter((line) => line.topic === "/odom");
    expect(odometry.length).toBe(wanted.length);
    odometry.forEach(({ time, value }, i) => {
      expect(BigInt(Math.round(time * 1e9)) + times.start).toBe(wanted[i].log_time_ns);
      const { position } = value.pose.pose;
      expect(position).toEqual(wanted[i].data.pose.pose.position);
    });
  });

  test("a slice begins with the state of the topics that want it", async () => {
    const path = demo("zstd.mcap", "--compression", "zstd");
    const { times, read } = await open(path);
    const seconds = (line) => Number(line.log_time_ns - times.start) / 1e9;
    const all = cat(path).map((line) => ({ topic: line.topic, time: seconds(line) }));
    const lastBefore = (topic, time) =>
      all.findLast((each) => each.topic === topic && each.time < time).time;
    const [map, ...others] = await read(["/map", "/battery"], 2, 2.5, ["/map", "/battery"]);
    expect(map).toMatchObject({ topic: "/map", time: lastBefore("/map", 2) });
    expect(others[0]).toMatchObject({ topic: "/battery", time: lastBefore("/battery", 2) });
    const next = await read(["/map", "/battery"], 2.5, 4);
    expect(next.every((message) => message.time >= 2.5)).toBe(true);
  });

  test("density, as the server counts it", async () => {
    const path = demo("bz2.bag", "--compression", "bz2");
    const { times, ask } = await open(path);
    const { topics, bucket_duration } = await ask("timeline?buckets=7");
    const part = Math.round(bucket_duration * 1e9);
    expect(part).toBe(Math.ceil((Number(times.end - times.start) + 1) / 7));
    const counts = new Array(7).fill(0);
    for (const { topic, log_time_ns } of cat(path)) {
      if (topic === "/imu") ++counts[Math.floor(Number(log_time_ns - times.start) / part)];
    }
    expect(topics.find((each) => each.topic === "/imu").counts).toEqual(counts);
  });

  test("series", async () => {
    const path = demo("lz4.bag", "--compression", "lz4");
    const { ask } = await open(path);
    const field = "pose.pose.position.x";
    const answered = await ask(`series?topics=/odom&fields=${field}&buckets=1`);
    const values = cat(path)
      .filter((line) => line.topic === "/odom")
      .map((line) => line.data.pose.pose.position.x);
    const [series] = answered.series;
    expect(series.count).toEqual([values.length]);
    expect(series.min).toEqual([Math.min(...values)]);
    expect(series.max).toEqual([Math.max(...values)]);
    expect(series.mean[0]).toBeCloseTo(values.reduce((a, b) => a + b) / values.length, 9);
  });
});

/** They are beside the tree, where there are any. */
const isThere = existsSync(DATA);

describe("real bags", () => {
  const ros1 = isThere ? readdirSync(join(DATA, "ros1")) : [];
  const generated = join("rosbag2", "generated_rosbag2_0.29.0");
  const paths = [
    ...ros1
      .filter((name) => /^v2\.0_(?!webviz_invalid).*\.bag$/.test(name))
      .map((name) => join("ros1", name)),
    join("ros1", "derived", "v2.0_demo_bz2.bag"),
    join(generated, "mcap_zstd_fast", "mcap_zstd_fast_0.mcap"),
    join(generated, "mcap_default", "mcap_default_0.mcap"),
  ];
  test.each(isThere ? paths : [])("%s", async (path) => {
    const whole = join(DATA, path);
    const { file, times } = await open(whole);
    const lines = cat(whole);
    expect(times.messages).toBe(lines.length);
    const topics = [...new Set(lines.map((line) => line.topic))];
    const found = [];
    for await (const { channel, time } of file.messages(topics, times.start, times.end)) {
      found.push(`${file.channels.get(channel).topic} ${time}`);
    }
    expect(found.sort()).toEqual(lines.map((each) => `${each.topic} ${each.log_time_ns}`).sort());
  });

  const others = [
    ["ros1/v1.2_ccny-ros-pkg-pbouffard_demo_381f1a07.bag", "older version of ROS 1"],
    ["ros1/v2.0_webviz_invalid_e6cf0d0e.bag", "damaged index"],
    ["ros1/derived/v2.0_truncated_first_chunk.bag", "ends too early"],
    ["ros1/derived/v2.0_kill9_chunksize4k.bag.active", "not completed"],
    ["ros1/vempty_rosbag.js_empty-file_e69de29b.bag", "is empty"],
    [`${generated}/sqlite3_default/sqlite3_default_0.db3`, "SQLite"],
    [`${generated}/mcap_fastwrite/mcap_fastwrite_0.mcap`, "no index"],
    [`${generated}/mcap_zstd_file/mcap_zstd_file_0.mcap.zstd`, "no bag that the page reads"],
  ];
  test.each(isThere ? others : [])("%s is left to the program", async (path, why) => {
    const open = openBag(fileOf(join(DATA, path)));
    const said = await open.then(String, (error) => error.message);
    expect(said).toContain(why);
    expect(said).toContain(`kitbag view ${basename(path)}`);
  });

  test("a name with spaces is one word", async () => {
    const said = await openBag(new File(["x"], "it's a.bag")).catch((error) => error.message);
    expect(said).toContain("kitbag view 'it'\\''s a.bag'");
  });
});
