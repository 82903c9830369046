// Reads Parquet files with npm's hyparquet, and prints what is in them, for tests to compare.
//
// usage: node read_parquet.mjs FILE...
// prints one JSON object: {FILE: {"groups": [rows of each], "encodings": {COLUMN:
// [...]}, "dictionaries": [COLUMN...], "ranges": {COLUMN: [[least, most] of each row group]},
// "rows": [{...}], "indexed": [{...}]}}. "indexed" are the rows by the page index. Numbers are
// texts, so that all digits, NaN and -0 are seen; times are nanoseconds; bytes are base64; a value
// of JSON is text.

import fs from "node:fs";
import { parquetMetadata, parquetReadObjects } from "hyparquet";
import { compressors } from "hyparquet-compressors";

const parsers = {
  timestampFromNanoseconds: (value) => value,
  jsonFromBytes: (bytes) => bytes && new TextDecoder().decode(bytes),
};

function plain(value) {
  if (value === null || value === undefined) return null;
  if (typeof value === "number") return Object.is(value, -0) ? "-0" : String(value);
  if (typeof value === "bigint") return String(value);
  if (value instanceof Date) return value.getTime();  // in ranges, which have no parsers
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  if (Array.isArray(value) || ArrayBuffer.isView(value)) return Array.from(value, plain);
  if (typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, of]) => [key, plain(of)]));
}

const found = {};
for (const path of process.argv.slice(2)) {
  const bytes = fs.readFileSync(path);
  const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
  const metadata = parquetMetadata(file);
  const options = { file, metadata, compressors, parsers, utf8: false };
  const encodings = {};
  const ranges = {};
  const dictionaries = new Set();
  for (const group of metadata.row_groups) {
    for (const { meta_data: chunk } of group.columns) {
      const name = chunk.path_in_schema.join(".");
      const seen = encodings[name] ??= [];
      seen.push(...chunk.encodings.filter((each) => !seen.includes(each)));
      const { min_value: least, max_value: most } = chunk.statistics;
      (ranges[name] ??= []).push(least === undefined ? null : [plain(least), plain(most)]);
      if (chunk.dictionary_page_offset) dictionaries.add(name);
    }
  }
  const indexed = await parquetReadObjects({ ...options, useOffsetIndex: true });
  const rows = await parquetReadObjects(options);
  found[path] = {
    groups: metadata.row_groups.map(({ num_rows }) => Number(num_rows)),
    encodings,
    dictionaries: [...dictionaries],
    ranges,
    rows: rows.map(plain),
    indexed: indexed.map(plain),
  };
}
console.log(JSON.stringify(found));
