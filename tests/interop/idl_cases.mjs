// Payloads with IDL definitions that npm's CDR writers write and its readers read, for kitbag.
//
// usage: node idl_cases.mjs OUT.mcap
// Writes an MCAP file with a channel for each case, and prints nothing.

import fs from "node:fs/promises";
import { CdrWriter, EncapsulationKind } from "@foxglove/cdr";
import { McapWriter } from "@mcap/core";

class FileWritable {
  #chunks = [];
  #size = 0n;
  position() { return this.#size; }
  async write(bytes) {
    this.#chunks.push(Buffer.from(bytes));
    this.#size += BigInt(bytes.byteLength);
  }
  bytes() { return Buffer.concat(this.#chunks); }
}

const PLAIN = `module p {
  enum Color { RED, GREEN, BLUE };
  const long N = 3;
  typedef sequence<double, 10> Doubles;
  @final struct Inner { short a; octet b[N]; };
  @final struct Outer { uint8 kind; double x; string name; Doubles list; sequence<Inner> inners;
                        Color color; boolean ok; long long big; };
};`;
const APPENDABLE = `module p {
  @appendable struct Inner { short a; };
  @appendable struct Outer { uint8 kind; Inner inner; double x; };
};`;
const MUTABLE = `module p {
  @mutable struct Outer { @id(1) string name; @id(3) uint8 kind; };
};`;
// Without lists of structures, in front of which npm expects no size, as XTypes 1.3 has it.
const VERSION_2 = `module p {
  @final struct Inner { short a; double b[2]; };
  @final struct Outer { uint8 kind; double x; string name; sequence<double> list; Inner inner;
                        long long big; };
};`;

function plain(kind) {
  const w = new CdrWriter({ kind });
  w.uint8(7).float64(-2.5).string("name");
  w.sequenceLength(2).float64(1.5).float64(2.25);
  w.sequenceLength(2);
  w.int16(-3).uint8(1).uint8(2).uint8(3);
  w.int16(-4).uint8(4).uint8(5).uint8(6);
  w.int32(2).uint8(1).int64(-9007199254740993n);
  return w.data;
}

function version2() {
  const w = new CdrWriter({ kind: EncapsulationKind.CDR2_LE });
  w.uint8(7).float64(-2.5).string("name");
  w.sequenceLength(2).float64(1.5).float64(2.25);
  w.int16(-3).float64(1).float64(2).int64(-9007199254740993n);
  return w.data;
}

function appendable() {
  const w = new CdrWriter({ kind: EncapsulationKind.DELIMITED_CDR2_LE });
  w.dHeader(4 + 4 + 2 + 2 + 8).uint8(9);
  w.dHeader(2).int16(-5);
  w.float64(0.125);
  return w.data;
}

function mutable(kind) {
  const w = new CdrWriter({ kind });
  const is2 = kind === EncapsulationKind.PL_CDR2_LE;
  if (is2) w.dHeader(4 + 4 + 4 + 5 + 3 + 4 + 1);
  w.emHeader(false, 1, 9).string("four");
  w.emHeader(false, 3, 1).uint8(42);
  if (!is2) w.sentinelHeader();
  return w.data;
}

const cases = [
  { topic: "/le", idl: PLAIN, data: plain(EncapsulationKind.CDR_LE) },
  { topic: "/be", idl: PLAIN, data: plain(EncapsulationKind.CDR_BE) },
  { topic: "/version_2", idl: VERSION_2, data: version2() },
  { topic: "/appendable", idl: APPENDABLE, data: appendable() },
  { topic: "/mutable", idl: MUTABLE, data: mutable(EncapsulationKind.PL_CDR_LE) },
  { topic: "/mutable_2", idl: MUTABLE, data: mutable(EncapsulationKind.PL_CDR2_LE) },
];

const out = new FileWritable();
const mcap = new McapWriter({ writable: out, useChunks: false });
await mcap.start({ profile: "", library: "" });
for (const { topic, idl, data } of cases) {
  const schemaId = await mcap.registerSchema({
    name: "p::Outer", encoding: "omgidl", data: Buffer.from(idl),
  });
  const channelId = await mcap.registerChannel({
    topic, schemaId, messageEncoding: "cdr", metadata: new Map(),
  });
  await mcap.addMessage({ channelId, sequence: 0, logTime: 1n, publishTime: 1n, data });
}
await mcap.end();
await fs.writeFile(process.argv[2], out.bytes());
