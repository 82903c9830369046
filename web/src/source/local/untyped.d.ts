declare module "lz4js" {
  const lz4: { decompress(bytes: Uint8Array, mostBytes?: number): Uint8Array };
  export default lz4;
}
declare module "seek-bzip" {
  const bzip2: { decode(bytes: Uint8Array, size?: number): Uint8Array };
  export default bzip2;
}
