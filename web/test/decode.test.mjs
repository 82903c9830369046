// What the page decodes is what `kitbag cat` prints: the demo robot and messages with a field of
// every type in each encoding, and real files. KITBAG is the program.

import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { create, toBinary } from "@bufbuild/protobuf";
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { EncapsulationKind } from "@foxglove/cdr";
import { parseIDL } from "@foxglove/omgidl-parser";
import { MessageWriter } from "@foxglove/omgidl-serialization";
import { McapStreamReader, McapWriter } from "@mcap/core";
import { afterAll, beforeAll, expect, test, vi } from "vitest";

import { decoderOf, numbersOf } from "../src/decode/registry";
import { elementPaths, numberAt } from "../src/decode/type";
import { ownBuffers, Records } from "../src/player/slice";

const program = process.env.KITBAG ?? "../build/release/kitbag";
const data = process.env.KITBAG_DATA ?? "../../shared/data";
const quiet = { maxBuffer: 1 << 30, stdio: ["ignore", "pipe", "ignore"] };
const kitbag = (...words) => execFileSync(program, words, quiet);
const ENCODINGS = ["ros1", "cdr", "protobuf", "json"];
let folder;

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 }); // they run programs

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "kitbag-web-"));
  const make = "import sys; sys.path.insert(0, '../tests/support'); import every_type;" +
    "every_type.make(sys.argv[1])";
  execFileSync("python3", ["-B", "-c", make, join(folder, "every.bag")], quiet);
  for (const encoding of ENCODINGS) {
    const to = (name) => [join(folder, `${name}-${encoding}.mcap`), "--encoding", encoding];
    kitbag("convert", "demo://?seconds=2&seed=3", ...to("demo"));
    kitbag("convert", join(folder, "every.bag"), ...to("every"));
  }
});
afterAll(() => rmSync(folder, { recursive: true }));

const messageText = (name, language, text) => {
  return { name, language, data: new TextEncoder().encode(text) };
};

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

function printedOf(path) {
  const lines = kitbag("cat", path).toString().trim().split("\n");
  return lines.filter(Boolean).map((line) => JSON.parse(line));
}

function readOf(path) {
  const records = new Records(0n);
  const bytes = readFileSync(path);
  const read = [];
  for (let at = 0; at < bytes.length; at += 100_000) {
    const messages = records.take(new Uint8Array(bytes.subarray(at, at + 100_000)));
    expect(ownBuffers(messages).every((each) => each instanceof ArrayBuffer)).toBe(true);
    read.push(...messages);
  }
  return read.sort((a, b) => a.time - b.time);
}

/** The number of messages; all of them are as they are printed. */
function compare(path) {
  const printed = printedOf(path);
  const read = readOf(path);
  expect(read.length).toBe(printed.length);
  for (const message of read) {
    const same = printed.find((each) => each.topic === message.topic);
    printed.splice(printed.indexOf(same), 1);
    expect(message.time).toBeCloseTo(same.log_time_ns / 1e9, 5);
    if (same.data === undefined) {
      expect(message.error).toMatch(/^Messages in the encoding|^The bag does not say/);
      continue;
    }
    expect(message.error).toBeUndefined();
    if (!isSame(plain(message.value), same.data)) expect(plain(message.value)).toEqual(same.data);
  }
  return read.length;
}

test.each(ENCODINGS)("the demo robot in %s", (encoding) => {
  const path = join(folder, `demo-${encoding}.mcap`);
  expect(compare(path)).toBeGreaterThan(400);
  expect(new Set(readOf(path).map((each) => each.topic)).size).toBe(12);
});

test.each(ENCODINGS)("fields of every type in %s", (encoding) => {
  expect(compare(join(folder, `every-${encoding}.mcap`))).toBe(60);
});

test.runIf(existsSync(data))("real MCAP files", () => {
  const files = ["mcap", "mcap-conformance"].flatMap((part) =>
    readdirSync(join(data, part), { recursive: true })
      .filter((name) => /One(Schemaless)?Message-ch-chx-mx|Ten|^(?!.*One|.*No)/.test(name))
      .filter((name) => name.endsWith(".mcap"))
      .map((name) => join(data, part, name)),
  );
  expect(files.length).toBeGreaterThan(20);
  const counts = files.map((file) => {
    if (file.includes("conformance")) return compare(file);
    const path = join(folder, "plain.mcap"); // the server sends them without compression, too
    kitbag("convert", file, path, "--compression", "none", "--force");
    return compare(path);
  });
  expect(counts.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(1300);
});

/** All records of a kind. */
function recordsOf(path, kind) {
  const reader = new McapStreamReader();
  reader.append(new Uint8Array(readFileSync(path)));
  const found = [];
  for (let record; (record = reader.nextRecord()); ) if (record.type === kind) found.push(record);
  return found;
}

test("the same payloads by their definition in IDL", () => {
  const path = join(folder, "demo-cdr.mcap");
  const channels = new Map(recordsOf(path, "Channel").map((each) => [each.id, each]));
  const schemas = new Map(recordsOf(path, "Schema").map((each) => [each.id, each]));
  const messages = recordsOf(path, "Message");
  expect(channels.size).toBe(12);
  for (const { id, schemaId } of channels.values()) {
    const { name, encoding: language, data } = schemas.get(schemaId);
    const text = kitbag("types", path, name, "--language", "ros2idl");
    const idl = { name, language: "ros2idl", data: new Uint8Array(text) };
    expect(numbersOf(idl)).toEqual(numbersOf({ name, language, data }));
    const byText = decoderOf("cdr", { name, language, data });
    const byIdl = decoderOf("cdr", idl);
    for (const { data: payload } of messages.filter((each) => each.channelId === id).slice(0, 5)) {
      expect(byIdl(payload)).toEqual(byText(payload));
    }
  }
});

/** A file with messages of one channel. */
async function fileOf(name, schema, messageEncoding, payloads) {
  const pieces = [];
  const size = () => pieces.reduce((sum, piece) => sum + piece.length, 0);
  const writable = { position: () => BigInt(size()), write: async (piece) => {
    pieces.push(piece.slice());
  } };
  const writer = new McapWriter({ writable, useChunks: false });
  await writer.start({ profile: "", library: "" });
  const schemaId = await writer.registerSchema({ ...schema, encoding: schema.language });
  const channelId = await writer.registerChannel({ schemaId, topic: "/a", messageEncoding,
    metadata: new Map() });
  for (const [i, data] of payloads.entries()) {
    const time = BigInt(i) * 1_000_000n;
    await writer.addMessage({ channelId, sequence: 0, logTime: time, publishTime: time, data });
  }
  await writer.end();
  const path = join(folder, name);
  writeFileSync(path, Buffer.concat(pieces));
  return path;
}

const IDL = `module t {
  enum Color { RED, GREEN, BLUE };
  @final struct Inner { boolean is_on; long long big; double three[3]; };
  @final struct Fixed { short s; Inner inner; Color color; sequence<octet> bytes; double d;
    unsigned long long huge; string name; sequence<string> words; sequence<float> reals; };
  @appendable struct Open { short s; string name; double two[2]; };
  @mutable struct Mutable { @id(9) long late; @id(3) string word; @id(4) double d; };
};`;
const FIXED = {
  s: -2,
  inner: { is_on: true, big: -(2n ** 62n), three: [1, 2.5, -3] },
  color: 2,
  bytes: Uint8Array.of(1, 2, 3),
  d: NaN,
  huge: 2n ** 63n,
  name: "hallo",
  words: [],
  reals: Float32Array.of(0.5, 1e9),
};
const HALF = "000000000000e03f";

// The library's writer knows only the plain forms.
test("IDL of DDS in all forms of CDR", async () => {
  const definitions = parseIDL(IDL);
  const { CDR_BE, CDR_LE } = EncapsulationKind;
  const written = [CDR_BE, CDR_LE].map((kind) =>
    new MessageWriter("t::Fixed", definitions, { kind }).writeMessage(FIXED));
  const of = (text) => Uint8Array.from(Buffer.from(text.replaceAll(" ", ""), "hex"));
  const payloads = {
    Fixed: written,
    Open: [
      of(`00090000 1c000000 feff0000 02000000 78000000 ${HALF}${HALF}`),
      of(`00010000 feff0000 02000000 78000000 00000000 ${HALF}${HALF}`),
      of("00090000 02000000 feff"), // of a version before
    ],
    Mutable: [
      of(`00030000 09000400 fdffffff 03000800 02000000 61000000 04000800 ${HALF} 023f0000`),
      of(`000b0000 20000000 09000020 fdffffff 03000050 02000000 61000000 04000030 ${HALF}`),
      of("000a0000 00000008 20000009 00000001"),
    ],
  };
  const values = {};
  for (const [name, each] of Object.entries(payloads)) {
    const schema = messageText(`t::${name}`, "omgidl", IDL);
    const path = await fileOf(`${name}.mcap`, schema, "cdr", each);
    expect(compare(path)).toBe(each.length);
    values[name] = readOf(path).map((message) => message.value);
  }
  expect(plain(values.Fixed[1])).toEqual(plain(FIXED));
  expect(plain(values.Open[1])).toEqual({ s: -2, name: "x", two: [0.5, 0.5] });
  expect(values.Mutable[1]).toEqual({ late: -3, word: "a", d: 0.5 });
  expect(values.Mutable[2]).toEqual({ late: 1, word: "", d: 0 });
});

test("lists in CDR 2 are delimited", async () => {
  const text = `module t { enum E { A, B }; @final struct P { octet x; };
    @final struct L { sequence<P> ps; sequence<E> es; sequence<octet> last; }; };`;
  const payload = Uint8Array.of(0, 7, 0, 0, 6, 0, 0, 0, 2, 0, 0, 0, 7, 8, 0, 0, 8, 0, 0, 0, 1, 0, 0,
    0, 1, 0, 0, 0, 2, 0, 0, 0, 5, 6, 0, 0);
  const path = await fileOf("lists.mcap", messageText("t::L", "omgidl", text), "cdr", [payload]);
  expect(compare(path)).toBe(1);
  expect(plain(readOf(path)[0].value)).toEqual({ ps: [{ x: 7 }, { x: 8 }], es: [1], last: "BQY=" });
});

test("unions of IDL, and what a newer version has more", async () => {
  const text = `module t {
    union Choice switch (long) { case 1: long number; case 2: case 3: string text; };
    @final struct Two { Choice choice; Choice none; wstring wide; };
    @appendable struct Grown { long a; @default(5) long b; @optional long c; wstring d; };
  };`;
  const two = Uint8Array.of(0, 1, 0, 0, 2, 0, 0, 0, 4, 0, 0, 0, 116, 119, 111, 0, 9, 0, 0, 0,
    2, 0, 0, 0, 0xe4, 0, 0, 0, 0x1e, 0xd1, 1, 0);
  const unions = await fileOf("union.mcap", messageText("t::Two", "omgidl", text), "cdr", [two]);
  expect(compare(unions)).toBe(1);
  expect(readOf(unions)[0].value).toEqual({ choice: { $discriminator: 2, text: "two" },
    none: { $discriminator: 9 }, wide: "ä\u{1d11e}" });
  const old = Uint8Array.of(0, 9, 0, 0, 4, 0, 0, 0, 1, 0, 0, 0);
  const grown = await fileOf("grown.mcap", messageText("t::Grown", "omgidl", text), "cdr", [old]);
  expect(compare(grown)).toBe(1);
  expect(readOf(grown)[0].value).toEqual({ a: 1, b: 5, c: null, d: "" });
});

const definition = "uint8 n\nuint32[] list\nstring name\nint64 big\nInner[2] inner\n" +
  "================================================================================\n" +
  "MSG: a/Inner\nfloat32 x\nbool is_on\n";

test("a message that is cut says so, wherever it is cut", () => {
  const decode = decoderOf("ros1", messageText("a/A", "ros1msg", definition));
  const whole = new Uint8Array([1, 1, 0, 0, 0, 7, 0, 0, 0, 2, 0, 0, 0, 104, 105, 255, 255, 255, 255,
    255, 255, 255, 255, 0, 0, 128, 63, 1, 0, 0, 0, 64, 0]);
  expect(plain(decode(whole))).toEqual({ n: 1, list: [7], name: "hi", big: -1,
    inner: [{ x: 1, is_on: true }, { x: 2, is_on: false }] });
  for (let size = 0; size < whole.length; ++size) {
    expect(() => decode(whole.subarray(0, size))).toThrow(RangeError);
  }
});

test("the header of old bags", () => {
  const decode = decoderOf("ros1", messageText("a/A", "ros1msg", "Header header\n" +
    "================================================================================\n" +
    "MSG: roslib/Header\nuint32 seq\n"));
  expect(decode(new Uint8Array([5, 0, 0, 0]))).toEqual({ header: { seq: 5 } });
});

test("a length that nobody has is refused before memory is taken", () => {
  const decode = decoderOf("ros1", messageText("a/A", "ros1msg", "Empty[] list\n" +
    "================================================================================\n" +
    "MSG: a/Empty\n"));
  expect(() => decode(new Uint8Array([255, 255, 255, 255]))).toThrow(RangeError);
});

test("what cannot be decoded says why", () => {
  const schema = messageText("a", "flatbuffer", "");
  expect(() => decoderOf("flatbuffer", schema)).toThrow('"flatbuffer"');
  expect(() => decoderOf("ros1", messageText("", "", ""))).toThrow("no definition of these");
  expect(() => decoderOf("", messageText("", "", ""))).toThrow("does not say");
  expect(() => decoderOf("protobuf", messageText("a.A", "protobuf", "no"))).toThrow("a.A");
  expect(() => decoderOf("cdr", messageText("a/A", "ros2idl", "module a { struct B {long x;};};")))
    .toThrow("a/A is missing");
});

test("JSON as others write it", () => {
  const schema = { type: "object", required: ["n"], properties: { n: { type: "integer" },
    x: { type: "number" }, more: {}, bytes: { type: "array", items: { type: "integer",
      format: "uint8" } }, self: { $ref: "#/properties/n" } } };
  const decode = decoderOf("json", messageText("a", "jsonschema", JSON.stringify(schema)));
  const of = (text) => decode(new TextEncoder().encode(text));
  expect(of('{"x": "NaN", "n": 9007199254740993, "more": {"k": [1, "\\" 12345678901234567"]}}'))
    .toEqual({ n: 9007199254740993n, x: NaN, more: { k: [1, '" 12345678901234567'] },
      bytes: null, self: null });
  expect(of('{"bytes": [1, 255], "self": 2}')).toEqual({ n: 0n, x: null, more: null,
    bytes: Uint8Array.of(1, 255), self: 2n });
  expect(() => of('{"bytes": [256]}')).toThrow("256 does not fit into uint8");
  expect(() => of('{"n": "x"}')).toThrow("n: expected an integer");
  expect(() => of("{")).toThrow("not JSON");
  const free = decoderOf("json", messageText("", "", ""));
  expect(free(new TextEncoder().encode('[1, 0.1234567890123456789, 12345678901234567890]')))
    .toEqual([1, 0.12345678901234568, 12345678901234567890n]);
});

test("numbers in messages", () => {
  const schema = messageText("a/A", "ros1msg", definition);
  expect(numbersOf(schema)).toEqual([{ path: "n", isStep: false }, { path: "big", isStep: false }]);
  expect(numberAt({ a: { b: 3n } }, "a.b")).toBe(3);
  expect(numberAt({ a: { b: "x" } }, "a.b")).toBeNull();
  expect(numberAt({ a: null }, "a.b.c")).toBeNull();
  const lists = { a: Float64Array.of(1, 2.5), b: [{ c: [7, 8n] }], d: 3, e: ["x"], f: [] };
  expect(numberAt(lists, "a[1]")).toBe(2.5);
  expect(numberAt(lists, "b[0].c[1]")).toBe(8);
  expect(numberAt(lists, "a[2]")).toBeNull();
  expect(numberAt(lists, "e[0]")).toBeNull();
  expect(elementPaths(lists)).toEqual(["a[0]", "a[1]", "b[0].c[0]", "b[0].c[1]"]);
  expect(elementPaths({ ranges: new Float32Array(1000) })).toHaveLength(32);
  expect(elementPaths(undefined)).toEqual([]);
});

const [NUMBER, OPTIONAL, REPEATED] = [5, 1, 3]; // int32; labels
const field = (name, number, type, more = {}) => ({ name, number, type, label: OPTIONAL, ...more });
const FILES = create(FileDescriptorSetSchema, { file: [{
  name: "p.proto", package: "p", syntax: "proto2",
  enumType: [{ name: "E", value: [{ name: "B", number: 2 }, { name: "A", number: 1 }] }],
  messageType: [{
    name: "Old",
    field: [field("n", 1, NUMBER, { defaultValue: "7" }), field("e", 2, 14, { typeName: ".p.E" }),
      field("grp", 3, 10, { typeName: ".p.Old.Grp" }), field("s", 5, 9, { defaultValue: "hi" }),
      field("must", 6, 3, { label: 2 })],
    nestedType: [{ name: "Grp", field: [field("x", 4, 1)] }],
  }],
}, {
  name: "q.proto", package: "q", syntax: "proto3", dependency: ["p.proto"],
  messageType: [{
    name: "New",
    oneofDecl: [{ name: "which" }, { name: "_maybe" }],
    field: [field("old", 1, 11, { typeName: ".p.Old" }),
      field("map", 2, 11, { typeName: ".q.New.MapEntry", label: REPEATED }),
      field("a", 3, NUMBER, { oneofIndex: 0 }), field("b", 4, 9, { oneofIndex: 0 }),
      field("maybe", 5, NUMBER, { oneofIndex: 1, proto3Optional: true }),
      field("zz", 6, 17), field("u", 7, 4), field("f", 8, 2, { label: REPEATED }),
      field("v", 9, 18, { label: REPEATED }), field("raw", 10, 12), field("on", 11, 8),
      field("olds", 12, 11, { typeName: ".p.Old", label: REPEATED }), field("fixed", 13, 16)],
    nestedType: [{ name: "MapEntry", options: { mapEntry: true },
      field: [field("key", 1, 9), field("value", 2, 1)] }],
  }],
}] });

function protobufPayloads() {
  const old = (write) => {
    const writer = new BinaryWriter();
    write(writer);
    return writer.finish();
  };
  const full = new BinaryWriter();
  full.tag(1, 2).bytes(old((it) => it.tag(1, 0).int32(-4).tag(2, 0).int32(99).tag(3, 3)
    .tag(4, 1).double(1.5).tag(3, 4)));
  full.tag(1, 2).bytes(old((it) => it.tag(6, 0).int64(-(2n ** 60n)))); // the second piece
  full.tag(2, 2).bytes(old((it) => it.tag(1, 2).string("k").tag(2, 1).double(0.25)));
  full.tag(2, 2).bytes(old(() => {}));
  full.tag(4, 2).string("chosen").tag(5, 0).int32(0).tag(6, 0).sint32(-9);
  full.tag(7, 0).uint64(2n ** 64n - 1n).tag(8, 5).float(0.5);
  full.tag(8, 2).bytes(new Uint8Array(new Float32Array([1, NaN]).buffer));
  full.tag(9, 2).bytes(old((it) => it.sint64(-5n).sint64(2n ** 40n)));
  full.tag(10, 2).bytes(Uint8Array.of(0, 255)).tag(11, 0).bool(true).tag(99, 0).int32(1);
  full.tag(12, 2).bytes(new Uint8Array()).tag(13, 1).sfixed64(-1n);
  return [full.finish(), new Uint8Array(), Uint8Array.of(0x5a, 1, 9, 0x28, 3)];
}

test("protobuf as others write it", async () => {
  const data = toBinary(FileDescriptorSetSchema, FILES);
  const schema = { name: "q.New", language: "protobuf", data };
  const path = await fileOf("other.mcap", schema, "protobuf", protobufPayloads());
  expect(compare(path)).toBe(3);
  expect(numbersOf(schema).map((each) => each.path)).toEqual(["old.n", "old.e", "old.grp.x",
    "old.must", "a", "maybe", "zz", "u", "on", "fixed"]);
  const decode = decoderOf("protobuf", schema);
  const [whole] = protobufPayloads();
  expect(() => decode(whole.subarray(0, 9))).toThrow();
});
