// Decodes every message of MCAP files with npm's decoders, and compares with what kitbag has
// decoded.
//
// usage: node decode_mcap.mjs FILE JSON_LINES [FILE JSON_LINES]...
// JSON_LINES is what `kitbag cat FILE --order file --bytes array --nan string` prints. Prints one
// JSON object: {FILE: {"compared": N, "undecoded": {TOPIC: REASON}, "differences": [TEXT...]}}.

import fs from "node:fs/promises";
import { createRequire } from "node:module";
import { McapStreamReader } from "@mcap/core";
import { parseIDL } from "@foxglove/omgidl-parser";
import { MessageReader as OmgReader } from "@foxglove/omgidl-serialization";
import { parseRos2idl } from "@foxglove/ros2idl-parser";
import { parse as parseRosmsg } from "@foxglove/rosmsg";
import { MessageReader as Ros1Reader } from "@foxglove/rosmsg-serialization";
import { MessageReader as Ros2Reader } from "@foxglove/rosmsg2-serialization";
import protobufjs from "protobufjs";
import descriptor from "protobufjs/ext/descriptor/index.js";

const require = createRequire(import.meta.url);
const lz4 = require("@foxglove/wasm-lz4");
const zstd = require("@foxglove/wasm-zstd");
await lz4.isLoaded;
await zstd.isLoaded;
const decompressHandlers = {
  lz4: (bytes, size) => lz4(bytes, Number(size)),
  zstd: (bytes, size) => zstd.decompress(bytes, Number(size)),
};
const MOST_DIFFERENCES = 20;

// A decoder of the channel's payloads.
function decoderOf(channel, schema) {
  if (channel.messageEncoding === "json") {
    return (data) => JSON.parse(exact(new TextDecoder().decode(data)));
  }
  const text = new TextDecoder().decode(schema.data);
  switch (schema.encoding) {
    case "ros1msg": {
      const reader = new Ros1Reader(parseRosmsg(text));
      return (data) => reader.readMessage(data);
    }
    case "ros2msg": {
      const reader = new Ros2Reader(parseRosmsg(text, { ros2: true }));
      return (data) => reader.readMessage(data);
    }
    case "ros2idl": {
      const reader = new Ros2Reader(parseRos2idl(text));
      return (data) => reader.readMessage(data);
    }
    case "omgidl": {
      const reader = new OmgReader(schema.name, parseIDL(text));
      return (data) => reader.readMessage(data);
    }
    case "protobuf": {
      const set = descriptor.FileDescriptorSet.decode(schema.data);
      const type = protobufjs.Root.fromDescriptor(set).lookupType(schema.name);
      const as = { longs: BigInt, defaults: true, arrays: true };
      return (data) => type.toObject(type.decode(data), as);
    }
    default:
      throw new Error(`no decoder for ${schema.encoding}`);
  }
}

// Integers that a double cannot hold come as strings of digits with an "n" behind.
function exact(text) {
  return text.replace(/(?<=[:,[])-?\d{16,}(?=[,}\]])/g, (digits) => `"${digits}n"`);
}

// Empty where they are the same; times have the names that each world gives them.
function difference(mine, theirs, path) {
  if (typeof theirs === "bigint") {
    const same = typeof mine === "string" ? mine === `${theirs}n` : BigInt(mine) === theirs;
    return same ? "" : `${path}: ${mine} is not ${theirs}`;
  }
  if (typeof theirs === "number") {
    if (typeof mine === "string" && mine.endsWith("n")) {
      return Number(mine.slice(0, -1)) === theirs ? "" : `${path}: ${mine} is not ${theirs}`;
    }
    const value = typeof mine === "string" ? Number(mine) : mine;
    // The shortest text of a float32 is read back as another double.
    const isFloat = Math.fround(theirs) === theirs && Math.fround(value) === theirs;
    return Object.is(value, theirs) || value === theirs || isFloat
      ? "" : `${path}: ${mine} is not ${theirs}`;
  }
  if (ArrayBuffer.isView(theirs) || Array.isArray(theirs)) {
    if (!Array.isArray(mine)) return `${path}: ${typeof mine} is no list`;
    if (mine.length !== theirs.length) return `${path}: ${mine.length} for ${theirs.length}`;
    for (let i = 0; i < mine.length; ++i) {
      const found = difference(mine[i], theirs[i], `${path}[${i}]`);
      if (found) return found;
    }
    return "";
  }
  if (theirs !== null && typeof theirs === "object") {
    const renamed = { ...theirs };
    if (renamed.nsec !== undefined && mine?.nanosec !== undefined) {
      renamed.nanosec = renamed.nsec;
      delete renamed.nsec;
    }
    const names = new Set([...Object.keys(renamed), ...Object.keys(mine ?? {})]);
    for (const name of names) {
      const found = difference(mine?.[name], renamed[name], path ? `${path}.${name}` : name);
      if (found) return found;
    }
    return "";
  }
  return mine === theirs ? "" : `${path}: ${JSON.stringify(mine)} is not ${JSON.stringify(theirs)}`;
}

async function compare(file, linesFile) {
  const lines = (await fs.readFile(linesFile, "utf8")).split("\n").filter((line) => line);
  const reader = new McapStreamReader({ decompressHandlers });
  reader.append(await fs.readFile(file));
  const schemas = new Map();
  const channels = new Map();
  const decoders = new Map();
  const report = { compared: 0, undecoded: {}, differences: [] };
  let next = 0;
  for (let record; (record = reader.nextRecord()); ) {
    if (record.type === "Schema") schemas.set(record.id, record);
    if (record.type === "Channel") channels.set(record.id, record);
    if (record.type !== "Message") continue;
    const channel = channels.get(record.channelId);
    const mine = JSON.parse(exact(lines[next++] ?? "{}"));
    if (mine.data === undefined) {
      report.undecoded[channel.topic] = "kitbag has not decoded it";
      continue;
    }
    let theirs;
    try {
      if (!decoders.has(channel.id)) {
        decoders.set(channel.id, decoderOf(channel, schemas.get(channel.schemaId)));
      }
      theirs = decoders.get(channel.id)(record.data);
    } catch (error) {
      report.undecoded[channel.topic] = String(error);
      decoders.set(channel.id, () => { throw error; });
      continue;
    }
    ++report.compared;
    const found = mine.topic === channel.topic ? difference(mine.data, theirs, "") : "topic";
    if (found && report.differences.length < MOST_DIFFERENCES) {
      report.differences.push(`${channel.topic}, message ${next - 1}: ${found}`);
    }
  }
  if (next !== lines.length) report.differences.push(`${lines.length} lines, ${next} messages`);
  return report;
}

const reports = {};
const files = process.argv.slice(2);
for (let i = 0; i < files.length; i += 2) reports[files[i]] = await compare(files[i], files[i + 1]);
console.log(JSON.stringify(reports));
