// A server of the Foxglove WebSocket protocol, by Foxglove's own library. Prints its port; sends
// 100 messages on /numbers to whoever subscribes, then closes. What clients publish is printed as
// JSON lines: {"topic", "encoding", "schemaName", "size"}.

import wsp from "@foxglove/ws-protocol";
import { WebSocketServer } from "ws";

const server = new wsp.FoxgloveServer({ name: "npm",
  capabilities: ["clientPublish", wsp.ServerCapability.connectionGraph],
  supportedEncodings: ["ros1"] });
const sockets = new WebSocketServer({ host: "127.0.0.1", port: 0,
  handleProtocols: (offered) => server.handleProtocols(offered) });
sockets.on("connection", (socket, request) => {
  server.handleConnection(socket, request.socket.remoteAddress);
  socket.on("close", () => process.exit(0));
  // The library knows these texts, and leaves them to whoever uses it, with an error.
  socket.on("message", (data, isBinary) => {
    if (isBinary || JSON.parse(data).op !== "subscribeConnectionGraph") return;
    socket.send(JSON.stringify({ op: "connectionGraphUpdate",
      publishedTopics: [{ name: "/numbers", publisherIds: ["/counter"] }],
      subscribedTopics: [{ name: "/numbers", subscriberIds: ["/adder", "/printer"] }],
      advertisedServices: [], removedTopics: [], removedServices: [] }));
  });
});
const channel = server.addChannel({ topic: "/numbers", encoding: "json", schemaName: "Number",
  schemaEncoding: "jsonschema",
  schema: '{"type":"object","properties":{"i":{"type":"integer"}}}' });
server.on("subscribe", () => {
  for (let i = 0; i < 100; ++i) {
    server.sendMessage(channel, 10n ** 18n + BigInt(i), new TextEncoder().encode(`{"i":${i}}`));
  }
  for (const each of sockets.clients) each.close();
});
server.on("error", (error) => {
  if (!String(error).includes("subscribeConnectionGraph")) console.error(String(error));
});
server.on("message", ({ channel: from, data }) => console.log(JSON.stringify({ topic: from.topic,
  encoding: from.encoding, schemaName: from.schemaName, size: data.byteLength })));
sockets.on("listening", () => console.log(sockets.address().port));
