// Reads Arrow IPC streams and files with npm's apache-arrow, and Parquet files with parquet-wasm,
// and prints what is in them, for tests to compare.
//
// usage: node read_arrow.mjs FILE|-...
// prints one JSON object: {FILE: {"metadata": {...}, "columns": [{"name", "type", "nullable",
// "metadata"}], "batches": [rows of each], "rows": [{...}]}}. Times and integers of 64 bits are
// integers as texts; reals are texts, so that NaN and -0 are seen; bytes are base64.

import fs from "node:fs";
import { DataType, RecordBatchReader } from "apache-arrow";
import { readParquet } from "parquet-wasm/node";

function bytesOf(path) {
  const bytes = fs.readFileSync(path === "-" ? 0 : path);
  return path.endsWith(".parquet") ? readParquet(bytes).intoIPCStream() : bytes;
}

function plain(type, value) {
  if (value === null) return null;
  if (DataType.isFloat(type)) return Object.is(value, -0) ? "-0" : String(value);
  if (typeof value === "bigint") return String(value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  return value;
}

// Times as they are stored: the library rounds them to milliseconds.
function stored(vector) {
  const all = vector.data.flatMap((data) => Array.from(data.values.slice(0, data.length), String));
  return all.map((value, i) => (vector.isValid(i) ? value : null));
}

function values(vector) {
  const { type, length } = vector;
  if (DataType.isTimestamp(type) || DataType.isDuration(type)) return stored(vector);
  const indexes = Array.from({ length }, (_, i) => i);
  if (DataType.isStruct(type)) {
    const fields = type.children.map(({ name }, i) => [name, values(vector.getChildAt(i))]);
    return indexes.map((i) => (vector.isValid(i)
      ? Object.fromEntries(fields.map(([name, of]) => [name, of[i]])) : null));
  }
  if (DataType.isList(type) || DataType.isFixedSizeList(type)) {
    return indexes.map((i) => (vector.isValid(i) ? values(vector.get(i)) : null));
  }
  return indexes.map((i) => plain(DataType.isDictionary(type) ? type.dictionary : type,
                                  vector.get(i)));
}

const found = {};
for (const path of process.argv.slice(2)) {
  const reader = RecordBatchReader.from(bytesOf(path)).open();
  const { schema } = reader;  // it is gone behind the last batch
  const batches = [];
  const rows = [];
  for (const batch of reader) {
    if (batch.numRows === 0) continue;  // what the library makes of a stream without batches
    batches.push(batch.numRows);
    const columns = schema.fields.map(({ name }, i) => [name, values(batch.getChildAt(i))]);
    for (let i = 0; i < batch.numRows; ++i) {
      rows.push(Object.fromEntries(columns.map(([name, of]) => [name, of[i]])));
    }
  }
  found[path] = {
    metadata: Object.fromEntries(schema.metadata),
    columns: schema.fields.map(({ name, type, nullable, metadata }) => (
      { name, type: String(type), nullable, metadata: Object.fromEntries(metadata) })),
    batches,
    rows,
  };
}
console.log(JSON.stringify(found));
