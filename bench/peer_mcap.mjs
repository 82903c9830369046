// npm's @mcap/core: opens an MCAP file, and reads its first message or a query. The modules are
// loaded, and WebAssembly is compiled, before the time is taken.
//
// usage: node peer_mcap.mjs a COMPRESSION FILE open|query

import fs from "node:fs/promises";
import { createRequire } from "node:module";

// They are installed for the tests.
const require = createRequire(new URL("../tests/interop/package.json", import.meta.url));
const { McapIndexedReader } = require("@mcap/core");
const lz4 = require("@foxglove/wasm-lz4");
const zstd = require("@foxglove/wasm-zstd");

await lz4.isLoaded;
await zstd.isLoaded;
const decompressHandlers = {
  lz4: (bytes, size) => lz4(bytes, Number(size)),
  zstd: (bytes, size) => zstd.decompress(bytes, Number(size)),
};

const [, , path, phase] = process.argv.slice(2);
// The middle hundredth of a million messages, a millisecond apart; see payload.h.
const START = 1_700_000_000_000_000_000n;
const STEP = 1_000_000n;
const QUERY = {
  topics: ["/bench/topic0"],
  startTime: START + 500_000n * STEP,
  endTime: START + 510_000n * STEP - 1n, // included
};

const before = process.cpuUsage();
const start = process.hrtime.bigint();
const file = await fs.open(path);
const readable = {
  size: async () => BigInt((await file.stat()).size),
  read: async (offset, size) => {
    const bytes = new Uint8Array(Number(size));
    await file.read(bytes, 0, bytes.length, Number(offset));
    return bytes;
  },
};
const reader = await McapIndexedReader.Initialize({ readable, decompressHandlers });
let messages = 0;
let bytes = 0;
let sum = 0;
for await (const { data } of reader.readMessages(phase === "query" ? QUERY : {})) {
  messages += 1;
  bytes += data.length;
  sum += data.length;
  for (let at = 0; at < data.length; at += 64) sum += data[at];
  if (phase === "open") break;
}
const wall = Number(process.hrtime.bigint() - start) / 1e9;
const { user, system } = process.cpuUsage(before);
const peak = process.resourceUsage().maxRSS * 1024;
console.log(
  JSON.stringify({
    messages,
    bytes,
    sum,
    wall_s: wall,
    cpu_s: (user + system) / 1e6,
    peak_bytes: peak,
    peak_before_bytes: 0,
  }),
);
