// A client that publishes, by Foxglove's own library: advertises /goal, sends {"x":0} to
// {"x":COUNT-1} and goes when it has got them back: node publish_foxglove.mjs URL COUNT

import wsp from "@foxglove/ws-protocol";
import { WebSocket } from "ws";

const [url, count] = process.argv.slice(2);
const client = new wsp.FoxgloveClient({
  ws: new WebSocket(url, [wsp.FoxgloveClient.SUPPORTED_SUBPROTOCOL]) });
let channel;
let got = 0;
client.on("error", (error) => { console.error(String(error.message ?? error)); process.exit(1); });
client.on("status", ({ message }) => { console.error(message); process.exit(1); });
client.on("serverInfo", ({ capabilities, supportedEncodings }) => {
  console.log(JSON.stringify({ capabilities, supportedEncodings }));
  channel = client.advertise({ topic: "/goal", encoding: "json", schemaName: "Goal" });
});
client.on("advertise", (advertised) => {
  const goal = advertised.find(({ topic }) => topic === "/goal");
  if (!goal) return;
  client.subscribe(goal.id);
  for (let i = 0; i < Number(count); ++i) {
    client.sendMessage(channel, new TextEncoder().encode(`{"x":${i}}`));
  }
});
client.on("message", ({ data }) => {
  console.log(new TextDecoder().decode(data));
  if (++got < Number(count)) return;
  client.unadvertise(channel);
  client.close();
});
