// Reads bags with npm's @foxglove/rosbag and prints what is in them, for tests to compare.
//
// usage: node read_bag.mjs BAG|URL...
// A URL is read by ranges.
// prints one JSON object: {BAG: {"channels": [...], "topics": [[topic, type, count, sha256]]}};
// the hash runs over (log time as 8 bytes little-endian, payload) in time order.

import { createHash } from "node:crypto";
import { createRequire } from "node:module";
import { HttpFile, isUrl } from "./http_file.mjs";

const require = createRequire(import.meta.url);
const { Bag } = require("@foxglove/rosbag");
const { FileReader } = require("@foxglove/rosbag/node");
const Bzip2 = require("@foxglove/wasm-bz2");
const lz4 = require("@foxglove/wasm-lz4");

await lz4.isLoaded;
const bzip2 = await Bzip2.init();
const decompress = {
  lz4: (bytes, size) => lz4(bytes, size),
  bz2: (bytes, size) => bzip2.decompress(bytes, size, { small: false }),
};

function timeBytes({ sec, nsec }) {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(sec) * 1_000_000_000n + BigInt(nsec));
  return bytes;
}

async function digests(bag) {
  const topics = new Map();
  for await (const message of bag.messageIterator()) {
    const type = bag.connections.get(message.connectionId).type;
    const key = JSON.stringify([message.topic, type]);
    if (!topics.has(key)) topics.set(key, { count: 0, hash: createHash("sha256") });
    const topic = topics.get(key);
    topic.count += 1;
    topic.hash.update(timeBytes(message.timestamp)).update(message.data);
  }
  return [...topics].map(([key, { count, hash }]) => {
    return [...JSON.parse(key), count, hash.digest("hex")];
  });
}

function channels(bag) {
  return [...bag.connections.values()].map(({ topic, type, md5sum, callerid, latching }) => ({
    topic,
    type,
    md5sum,
    callerid: callerid ?? null,
    latching: latching ?? null,
  }));
}

const result = {};
for (const path of process.argv.slice(2)) {
  const file = isUrl(path) ? await HttpFile.open(path) : new FileReader(path);
  const bag = new Bag(file, { parse: false, decompress });
  await bag.open();
  result[path] = { channels: channels(bag), topics: await digests(bag) };
  await file.close?.();
}
process.stdout.write(JSON.stringify(result));
