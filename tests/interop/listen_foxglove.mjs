// A client of the Foxglove WebSocket protocol, by Foxglove's own library. Subscribes to all
// channels and prints what it gets as JSON lines, until it has as many messages as asked for:
// node listen_foxglove.mjs ws://HOST:PORT/PATH COUNT

import wsp from "@foxglove/ws-protocol";
import { WebSocket } from "ws";

const [url, count] = process.argv.slice(2);
const client = new wsp.FoxgloveClient({
  ws: new WebSocket(url, [wsp.FoxgloveClient.SUPPORTED_SUBPROTOCOL]) });
const channels = new Map();
let messages = 0;
const print = (row) => console.log(JSON.stringify(row));
client.on("error", (error) => { console.error(String(error.message ?? error)); process.exit(1); });
client.on("serverInfo", ({ name, capabilities }) => print({ name, capabilities }));
client.on("status", ({ level, message }) => print({ level, message }));
client.on("advertise", (advertised) => {
  for (const each of advertised) channels.set(client.subscribe(each.id), each);
});
client.on("close", () => { process.exitCode = messages < Number(count) ? 1 : 0; });
client.on("message", ({ subscriptionId, timestamp, data }) => {
  if (++messages > Number(count)) return;
  const { topic, encoding, schemaName, schemaEncoding } = channels.get(subscriptionId);
  print({ topic, encoding, schemaName, schemaEncoding, time: String(timestamp),
    data: Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString("base64") });
  if (messages === Number(count)) client.close();  // not exit(): what was printed has to leave
});
