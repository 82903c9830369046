// Writes an MCAP file with npm's @mcap/core: two channels on one topic, one without a schema,
// messages out of order, sequence numbers, publish times, attachments and metadata.
//
// usage: node write_mcap.mjs FILE chunks|plain

import fs from "node:fs";
import { McapWriter } from "@mcap/core";

const [path, layout] = process.argv.slice(2);
const parts = [];
let size = 0n;
const writable = {
  position: () => size,
  write: async (bytes) => {
    parts.push(Buffer.from(bytes));
    size += BigInt(bytes.length);
  },
};
const writer = new McapWriter({ writable, useChunks: layout === "chunks", chunkSize: 2000 });
const text = (string) => new TextEncoder().encode(string);

await writer.start({ profile: "", library: "test" });
const schemaId = await writer.registerSchema({
  name: "test/Text",
  encoding: "jsonschema",
  data: text('{"type": "object"}'),
});
const channel = (topic, id, metadata) =>
  writer.registerChannel({
    topic,
    schemaId: id,
    messageEncoding: "json",
    metadata: new Map(Object.entries(metadata)),
  });
const channels = [
  await channel("/text", schemaId, { callerid: "/one" }),
  await channel("/text", schemaId, { callerid: "/two", latching: "1" }),
  await channel("/raw", 0, {}),
];
await writer.addAttachment({
  name: "calibration.yaml",
  mediaType: "text/yaml",
  logTime: 1_000_000_100n,
  createTime: 5n,
  data: text("a: 1\n".repeat(50_000)),
});
await writer.addMetadata({ name: "robot", metadata: new Map([["name", "kit"]]) });
for (let i = 0; i < 300; ++i) {
  const logTime = 1_000_000_000n + BigInt(i % 7 === 6 ? i * 10 - 35 : i * 10);
  await writer.addMessage({
    channelId: channels[i % 3],
    sequence: i + 7,
    logTime,
    publishTime: logTime - BigInt(i % 5),
    data: text(JSON.stringify({ i, text: "x".repeat(i % 60) })),
  });
}
await writer.end();
fs.writeFileSync(path, Buffer.concat(parts));
