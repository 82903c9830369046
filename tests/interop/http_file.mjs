// A file at a URL, read as viewers read it (Lichtblick's BrowserHttpReader): a plain GET, aborted
// when its headers have come, tells the length and whether there are ranges; then come ranges. Each
// answer must be of the same state of the file.

export class HttpFile {
  static async open(url) {
    const abort = new AbortController();
    const reply = await fetch(url, { signal: abort.signal });
    abort.abort();
    if (!reply.ok) throw new Error(`${url}: status ${reply.status}`);
    if (reply.headers.get("accept-ranges") !== "bytes") throw new Error(`${url} has no ranges`);
    const size = Number(reply.headers.get("content-length"));
    if (!(size > 0)) throw new Error(`${url} has no length`);
    return new HttpFile(reply.url, size, reply.headers.get("etag"));
  }

  constructor(url, size, etag) {
    Object.assign(this, { url, bytes: size, etag, requests: 0, fetched: 0 });
  }

  size() {
    return this.bytes;
  }

  async read(offset, size) {
    if (size === 0) return new Uint8Array(0);
    const range = `bytes=${offset}-${offset + size - 1}`;
    const reply = await fetch(this.url, { headers: { Range: range, "If-Match": this.etag } });
    if (reply.status !== 206) throw new Error(`${this.url} ${range}: status ${reply.status}`);
    const expected = `bytes ${offset}-${offset + size - 1}/${this.bytes}`;
    const given = reply.headers.get("content-range");
    if (given !== expected) throw new Error(`${this.url}: ${given} instead of ${expected}`);
    const bytes = new Uint8Array(await reply.arrayBuffer());
    if (bytes.length !== size) throw new Error(`${this.url}: ${bytes.length} of ${size} bytes`);
    this.requests += 1;
    this.fetched += size;
    return bytes;
  }
}

export function isUrl(path) {
  return path.startsWith("http://") || path.startsWith("https://");
}
