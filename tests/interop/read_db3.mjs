// Reads SQLite bags with npm's @foxglove/rosbag2-web and prints what is in them, for tests to
// compare.
//
// usage: node read_db3.mjs BAG...
// prints one JSON object: {BAG: {"topics": [[topic, type, count, sha256]]}}; the hash runs over
// (log time as 8 bytes little-endian, payload) in time order.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
const { SqliteSqljs } = require("@foxglove/rosbag2-web");
const { Rosbag2 } = require("@foxglove/rosbag2");

globalThis.File ??= class {};
const wasm = require.resolve("@foxglove/sql.js/dist/sql-wasm.wasm");
await SqliteSqljs.Initialize({ wasmBinary: readFileSync(wasm) });

function timeBytes(time) {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(time.sec) * 1_000_000_000n + BigInt(time.nsec));
  return bytes;
}

async function digests(bag) {
  const topics = new Map();
  for await (const message of bag.readMessages({ rawMessages: true })) {
    const key = JSON.stringify([message.topic.name, message.topic.type]);
    if (!topics.has(key)) topics.set(key, { count: 0, hash: createHash("sha256") });
    const topic = topics.get(key);
    topic.count += 1;
    topic.hash.update(timeBytes(message.timestamp)).update(message.data);
  }
  return [...topics].map(([key, { count, hash }]) => {
    return [...JSON.parse(key), count, hash.digest("hex")];
  });
}

const result = {};
for (const path of process.argv.slice(2)) {
  const bag = new Rosbag2([new SqliteSqljs(new Uint8Array(readFileSync(path)))]);
  await bag.open();
  result[path] = { topics: await digests(bag) };
  await bag.close();
}
process.stdout.write(JSON.stringify(result));
