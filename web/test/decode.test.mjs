// What the page decodes is what `kitbag cat` prints, for every type of the demo robot in ROS 1 and
// CDR. KITBAG is the program.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, expect, test } from "vitest";

import { decoderOf, numericFields, numberAt } from "../src/player/decode";
import { ownBuffers, Records } from "../src/player/slice";

const program = process.env.KITBAG ?? "../build/release/kitbag";
const quiet = { maxBuffer: 1 << 30, stdio: ["ignore", "pipe", "ignore"] };
const kitbag = (...words) => execFileSync(program, words, quiet);
let folder;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "kitbag-web-"));
  kitbag("convert", "demo://?seconds=2&seed=3", join(folder, "ros1.mcap"));
  kitbag("convert", join(folder, "ros1.mcap"), join(folder, "cdr.mcap"), "--encoding", "cdr");
});
afterAll(() => rmSync(folder, { recursive: true }));

/** As JSON has it: bytes in base64, no NaN, no large integers. */
function plain(value) {
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  if (ArrayBuffer.isView(value)) return Array.from(value, plain);
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value === "bigint") return Number(value);
  if (typeof value === "number" && !Number.isFinite(value)) return null;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, plain(each)]));
}

/** Whether both are the same; a 32-bit float is printed with as many digits as it needs. */
function isSame(read, printed) {
  if (typeof read === "number" && typeof printed === "number") {
    return read === printed || read === Math.fround(printed);
  }
  if (typeof read !== "object" || read === null || printed === null) return read === printed;
  const names = Object.keys(read);
  return (
    names.join() === Object.keys(printed).join() &&
    names.every((name) => isSame(read[name], printed[name]))
  );
}

test.each(["ros1.mcap", "cdr.mcap"])("%s", (name) => {
  const path = join(folder, name);
  const printed = kitbag("cat", path).toString().trim().split("\n").map((line) => JSON.parse(line));
  const records = new Records(0n);
  const bytes = readFileSync(path);
  const read = [];
  for (let at = 0; at < bytes.length; at += 100_000) {
    const messages = records.take(new Uint8Array(bytes.subarray(at, at + 100_000)));
    expect(ownBuffers(messages).every((each) => each instanceof ArrayBuffer)).toBe(true);
    read.push(...messages);
  }
  expect(read.length).toBe(printed.length);
  expect(new Set(read.map((each) => each.topic)).size).toBe(12);
  read.sort((a, b) => a.time - b.time);
  read.forEach((message) => {
    expect(message.error).toBeUndefined();
    const same = printed.find((each) => each.topic === message.topic);
    printed.splice(printed.indexOf(same), 1);
    expect(message.time).toBeCloseTo(same.log_time_ns / 1e9, 5);
    if (!isSame(plain(message.value), same.data)) expect(plain(message.value)).toEqual(same.data);
  });
}, 60_000);

const definition = "uint8 n\nuint32[] list\nstring name\nint64 big\nInner[2] inner\n" +
  "================================================================================\n" +
  "MSG: a/Inner\nfloat32 x\nbool is_on\n";

test("a message that is cut says so, wherever it is cut", () => {
  const decode = decoderOf("ros1", "ros1msg", definition);
  const whole = new Uint8Array([1, 1, 0, 0, 0, 7, 0, 0, 0, 2, 0, 0, 0, 104, 105, 255, 255, 255, 255,
    255, 255, 255, 255, 0, 0, 128, 63, 1, 0, 0, 0, 64, 0]);
  expect(plain(decode(whole))).toEqual({ n: 1, list: [7], name: "hi", big: -1,
    inner: [{ x: 1, is_on: true }, { x: 2, is_on: false }] });
  for (let size = 0; size < whole.length; ++size) {
    expect(() => decode(whole.subarray(0, size))).toThrow(RangeError);
  }
});

test("the header of old bags", () => {
  const decode = decoderOf("ros1", "ros1msg", "Header header\n" +
    "================================================================================\n" +
    "MSG: roslib/Header\nuint32 seq\n");
  expect(decode(new Uint8Array([5, 0, 0, 0]))).toEqual({ header: { seq: 5 } });
});

test("a length that nobody has is refused before memory is taken", () => {
  const decode = decoderOf("ros1", "ros1msg", "Empty[] list\n" +
    "================================================================================\n" +
    "MSG: a/Empty\n");
  expect(() => decode(new Uint8Array([255, 255, 255, 255]))).toThrow(RangeError);
});

test("what cannot be decoded says why", () => {
  expect(() => decoderOf("protobuf", "protobuf", "")).toThrow('"protobuf"');
});

test("numbers in messages", () => {
  expect(numericFields("ros1msg", definition)).toEqual(["n", "big"]);
  expect(numberAt({ a: { b: 3n } }, "a.b")).toBe(3);
  expect(numberAt({ a: { b: "x" } }, "a.b")).toBeNull();
  expect(numberAt({ a: null }, "a.b.c")).toBeNull();
});
