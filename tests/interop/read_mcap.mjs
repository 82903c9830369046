// Reads MCAP files with npm's @mcap/core, CRCs verified, and prints what is in them, for tests to
// compare.
//
// usage: node read_mcap.mjs stream|indexed FILE|URL...
// A URL is read by ranges, "indexed" only, and has "fetched": how many bytes of how many that took.
// prints one JSON object: {FILE: {"header": {...}, "channels": [...], "attachments": [...],
// "metadata": [...], "statistics": {...}, "topics": [[topic, type, count, sha256]]}}; the hash runs
// over (log time as 8 bytes little-endian, payload) in time order, "sequences" over (sequence,
// publish time).

import { createHash } from "node:crypto";
import fs from "node:fs/promises";
import { createRequire } from "node:module";
import { McapIndexedReader, McapStreamReader } from "@mcap/core";
import { HttpFile, isUrl } from "./http_file.mjs";

const require = createRequire(import.meta.url);
const lz4 = require("@foxglove/wasm-lz4");
const zstd = require("@foxglove/wasm-zstd");

await lz4.isLoaded;
await zstd.isLoaded;
const decompressHandlers = {
  lz4: (bytes, size) => lz4(bytes, Number(size)),
  zstd: (bytes, size) => zstd.decompress(bytes, Number(size)),
};

function le64(value) {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return bytes;
}

function digests(messages, schemas, channels) {
  const topics = new Map();
  for (const message of messages) {
    const { topic, schemaId } = channels.get(message.channelId);
    const key = JSON.stringify([topic, schemas.get(schemaId)?.name ?? ""]);
    if (!topics.has(key)) topics.set(key, { count: 0, hash: createHash("sha256") });
    const found = topics.get(key);
    found.count += 1;
    found.hash.update(le64(message.logTime)).update(message.data);
  }
  return [...topics].map(([key, { count, hash }]) => {
    return [...JSON.parse(key), count, hash.digest("hex")];
  });
}

function sequences(messages) {
  const hash = createHash("sha256");
  for (const { sequence, publishTime } of messages) {
    hash.update(le64(BigInt(sequence))).update(le64(publishTime));
  }
  return hash.digest("hex");
}

function memoryFile(bytes) {
  return {
    size: () => bytes.length,
    read: async (offset, size) => new Uint8Array(bytes.subarray(offset, offset + size)),
  };
}

async function readIndexed(file) {
  const readable = {
    size: async () => BigInt(file.size()),
    read: async (offset, size) => file.read(Number(offset), Number(size)),
  };
  const reader = await McapIndexedReader.Initialize({ readable, decompressHandlers });
  const found = { header: reader.header, statistics: reader.statistics };
  found.schemas = new Map(reader.schemasById);
  found.channels = new Map(reader.channelsById);
  found.messages = [];
  for await (const message of reader.readMessages({ validateCrcs: true })) {
    found.messages.push({ ...message, data: Buffer.from(message.data) });
  }
  found.attachments = [];
  for await (const attachment of reader.readAttachments()) found.attachments.push(attachment);
  found.metadata = [];
  for await (const metadata of reader.readMetadata()) found.metadata.push(metadata);
  return found;
}

function readStream(bytes) {
  const reader = new McapStreamReader({ validateCrcs: true, decompressHandlers });
  reader.append(new Uint8Array(bytes));
  const found = { schemas: new Map(), channels: new Map(), messages: [] };
  found.attachments = [];
  found.metadata = [];
  const take = {
    Header: (record) => (found.header = record),
    Statistics: (record) => (found.statistics = record),
    Schema: (record) => found.schemas.set(record.id, record),
    Channel: (record) => found.channels.set(record.id, record),
    Message: (record) => found.messages.push({ ...record, data: Buffer.from(record.data) }),
    Attachment: (record) => found.attachments.push(record),
    Metadata: (record) => found.metadata.push(record),
  };
  for (let record; (record = reader.nextRecord()); ) take[record.type]?.(record);
  if (!reader.done()) throw new Error("the file is not whole");
  found.messages.sort((a, b) => Number(a.logTime - b.logTime));
  return found;
}

function described({ schemas, channels, messages, header, statistics, attachments, metadata }) {
  return {
    header: { profile: header.profile, library: header.library },
    statistics: statistics && {
      messages: Number(statistics.messageCount),
      chunks: statistics.chunkCount,
      attachments: statistics.attachmentCount,
      metadata: statistics.metadataCount,
    },
    channels: [...channels.values()].map((channel) => ({
      topic: channel.topic,
      encoding: channel.messageEncoding,
      metadata: Object.fromEntries(channel.metadata),
      type: schemas.get(channel.schemaId)?.name ?? "",
      language: schemas.get(channel.schemaId)?.encoding ?? "",
    })),
    attachments: attachments.map(({ name, mediaType, logTime, createTime, data }) => ({
      name,
      mediaType,
      logTime: String(logTime),
      createTime: String(createTime),
      sha256: createHash("sha256").update(data).digest("hex"),
    })),
    metadata: metadata.map((record) => [record.name, Object.fromEntries(record.metadata)]),
    topics: digests(messages, schemas, channels),
    sequences: sequences(messages),
  };
}

const [mode, ...paths] = process.argv.slice(2);
const result = {};
for (const path of paths) {
  if (isUrl(path)) {
    const file = await HttpFile.open(path);
    result[path] = { ...described(await readIndexed(file)), fetched: [file.fetched, file.size()] };
    continue;
  }
  const bytes = await fs.readFile(path);
  const found = mode === "indexed" ? await readIndexed(memoryFile(bytes)) : readStream(bytes);
  result[path] = described(found);
}
process.stdout.write(JSON.stringify(result));
