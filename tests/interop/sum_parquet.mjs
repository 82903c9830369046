// Reads a Parquet file with npm's hyparquet and with parquet-wasm, a row group after the other, and
// prints what the rows amount to, for tests of very many rows.
//
// usage: node sum_parquet.mjs FILE
// prints a JSON object: {READER: {"rows", "i", "x", "both", "texts", "wrong"}}: sums of the columns
// `i` and `x` and of their product, the length of all texts in `text`, and how many rows are not
// where `i` says.

import fs from "node:fs";
import { RecordBatchReader } from "apache-arrow";
import { parquetMetadata, parquetRead } from "hyparquet";
import { compressors } from "hyparquet-compressors";
import { readParquet } from "parquet-wasm/node";

const bytes = fs.readFileSync(process.argv[2]);
const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
const metadata = parquetMetadata(file);

class Sums {
  rows = 0;
  i = 0;
  x = 0;
  both = 0;
  texts = 0;
  wrong = 0;

  add(i, x, text) {
    if (i !== this.rows) ++this.wrong;
    ++this.rows;
    this.i += i;
    this.x += x;
    this.both += x * (i % 100);
    this.texts += text.length;
  }
}

const found = { hyparquet: new Sums(), "parquet-wasm": new Sums() };
let rowStart = 0;
for (const [group, { num_rows: rows }] of metadata.row_groups.entries()) {
  const rowEnd = rowStart + Number(rows);
  const columns = {};
  const wanted = ["i", "x", "text"];
  const take = ({ columnName, columnData, rowStart: from }) => {
    (columns[columnName] ??= []).push([from, columnData]);
  };
  await parquetRead({ file, metadata, compressors, rowStart, rowEnd, columns: wanted,
                      onChunk: take });
  const flat = wanted.map((name) => columns[name].sort((a, b) => a[0] - b[0])
    .flatMap(([, values]) => Array.from(values)));
  for (let row = 0; row < flat[0].length; ++row) {
    found.hyparquet.add(Number(flat[0][row]), flat[1][row], flat[2][row]);
  }
  const stream = readParquet(bytes, { rowGroups: [group] }).intoIPCStream();
  for (const batch of RecordBatchReader.from(stream)) {
    const [i, x, text] = wanted.map((name) => batch.getChild(name));
    for (let row = 0; row < batch.numRows; ++row) {
      found["parquet-wasm"].add(Number(i.get(row)), x.get(row), text.get(row));
    }
  }
  rowStart = rowEnd;
}
console.log(JSON.stringify(found));
