import { mayBeVideo } from "../../video/types";
import type { Panel } from "../panel";
import { infoTopic } from "./calibration";
import { ImageOptions } from "./options";
import { ImageView } from "./view";

const TYPES = ["sensor_msgs/Image", "foxglove/RawImage"];

/** "foxglove/RawImage" of "foxglove.RawImage" and "foxglove_msgs/msg/RawImage". */
function plainType(type: string): string {
  return type.replace("/msg/", "/").replace(/^foxglove(_msgs)?[./]/, "foxglove/");
}

/** A camera. */
export const image: Panel = {
  name: "image",
  title: "Image",
  shows: (topic) => (mayBeVideo(topic.type) || TYPES.includes(plainType(topic.type)) ? 1 : 0),
  reads: (place, topics) => {
    const info = place.settings.info === "on" ? infoTopic(place.topic, topics) : "";
    return info ? [place.topic, info] : [place.topic];
  },
  View: ImageView,
  Options: ImageOptions,
};
