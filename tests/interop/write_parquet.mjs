// Writes a Parquet file again with parquet-wasm, the Rust library, in another way.
//
// usage: node write_parquet.mjs FROM TO COMPRESSION VERSION [COLUMN=ENCODING...]
// COMPRESSION and ENCODING are names of its enumerations, VERSION is 1 or 2. The columns that are
// named have no dictionary.

import fs from "node:fs";
import { Compression, Encoding, readParquet, WriterPropertiesBuilder, WriterVersion, writeParquet }
  from "parquet-wasm/node";

const [from, to, compression, version, ...columns] = process.argv.slice(2);
let properties = new WriterPropertiesBuilder()
  .setCompression(Compression[compression])
  .setWriterVersion(version === "2" ? WriterVersion.V2 : WriterVersion.V1)
  .setMaxRowGroupSize(40);
for (const each of columns) {
  const [column, encoding] = each.split("=");
  properties = properties.setColumnDictionaryEnabled(column, false)
    .setColumnEncoding(column, Encoding[encoding]);
}
fs.writeFileSync(to, writeParquet(readParquet(fs.readFileSync(from)), properties.build()));
