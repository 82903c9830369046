// npm's decoders: the codec benchmark's peer; arguments as those of kitbag_codec.

import fs from "node:fs";
import { createRequire } from "node:module";

// They are installed for the tests.
const require = createRequire(new URL("../tests/interop/package.json", import.meta.url));
const { parse } = require("@foxglove/rosmsg");
const { MessageReader } = require("@foxglove/rosmsg-serialization");
const { MessageWriter } = require("@foxglove/rosmsg2-serialization");

const [, path, phase] = process.argv.slice(2);
const CPU_MICROSECONDS = 500_000;

const payload = new Uint8Array(fs.readFileSync(path));
const text = fs.readFileSync(`${path}.msg`, "utf8");
const definitions = parse(text);
const reader = new MessageReader(definitions);
const writer = new MessageWriter(ros2(definitions));

// The definitions as ROS 2 has them: headers have no counter.
function ros2(all) {
  const isHeader = (each) => /(^|\/)Header$/.test(each.name ?? "");
  return all.map((each) => ({
    ...each,
    definitions: each.definitions.filter((field) => !isHeader(each) || field.name !== "seq"),
  }));
}

// Times are called otherwise.
function renamed(value) {
  if (Array.isArray(value)) return value.map(renamed);
  if (typeof value !== "object" || ArrayBuffer.isView(value)) return value;
  if ("nsec" in value) return { sec: value.sec, nanosec: value.nsec };
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, renamed(each)]));
}

function inJson(key, value) {
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  return ArrayBuffer.isView(value) ? Array.from(value) : value;
}

let messages = 0;
let bytes = 0;
const wall = process.hrtime.bigint();
const begin = process.cpuUsage();
const spent = () => {
  const used = process.cpuUsage(begin);
  return used.user + used.system;
};
const work = {
  visit: () => payload.length,
  json: (message) => JSON.stringify(message, inJson).length,
  cdr: (message) => (writer.writeMessage(renamed(message)), payload.length),
}[phase];
while (spent() < CPU_MICROSECONDS) {
  bytes += work(reader.readMessage(payload));
  messages += 1;
}
console.log(
  JSON.stringify({
    messages,
    bytes,
    sum: payload.length,
    cpu_s: spent() / 1e6,
    wall_s: Number(process.hrtime.bigint() - wall) / 1e9,
  }),
);
