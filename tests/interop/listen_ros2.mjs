// Listens to a topic of strings as an independent implementation of ROS 2 does, reliable and
// transient local, and prints each as a line: node listen_ros2.mjs /topic

import ros2 from "@foxglove/ros2";
import nodejs from "@foxglove/ros2/nodejs.js";
import { parse } from "@foxglove/rosmsg";

const node = new ros2.RosNode({ name: "/listener", domainId: 0, addresses: ["127.0.0.1"],
  udpSocketCreate: nodejs.UdpSocketNode.Create });
await node.start();
const subscription = node.subscribe({ topic: process.argv[2], dataType: "std_msgs/msg/String",
  msgDefinition: parse("string data", { ros2: true }) });
subscription.on("message", (_time, message) => console.log(message.data));
console.log("listening");
process.stdin.on("end", () => process.exit(0)).resume();
