import type { Panel } from "../panel";
import { ImageView } from "./view";

const TYPES = ["sensor_msgs/Image", "sensor_msgs/CompressedImage"];

/** A camera. */
export const image: Panel = {
  name: "image",
  title: "Image",
  shows: (topic) => (TYPES.includes(topic.type.replace("/msg/", "/")) ? 1 : 0),
  View: ImageView,
};
