// Reads PCD and PLY files with the loaders of three.js and prints what they found, a JSON list:
// {attribute: values}; NaN is null.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

// The player page has three.
const require = createRequire(new URL("../../web/package.json", import.meta.url));
const loaders = (name) =>
  import(pathToFileURL(require.resolve(`three/examples/jsm/loaders/${name}.js`)));
const { PCDLoader } = await loaders("PCDLoader");
const { PLYLoader } = await loaders("PLYLoader");

const found = process.argv.slice(2).map((file) => {
  const bytes = readFileSync(file);
  const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
  const ply = new PLYLoader();
  ply.setCustomPropertyNameMapping({ intensity: ["intensity"] });
  const geometry = file.endsWith(".ply") ? ply.parse(buffer)
    : new PCDLoader().parse(buffer).geometry;
  return Object.fromEntries(Object.entries(geometry.attributes)
    .map(([name, attribute]) => [name, Array.from(attribute.array)]));
});
console.log(JSON.stringify(found));
