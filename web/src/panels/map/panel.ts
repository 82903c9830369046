import type { Topic } from "../../api";
import type { Panel, Place } from "../panel";
import { MapView } from "./view";

const TYPES = [
  ...["sensor_msgs/NavSatFix", "gps_common/GPSFix", "gps_msgs/GPSFix"],
  ...["foxglove_msgs/LocationFix", "foxglove.LocationFix"],
];

const isPosition = (topic: Topic) => TYPES.includes(topic.type.replace("/msg/", "/"));

/** That of the place, and those of the setting `more`, with commas between them. */
export function topicsOfPlace(place: Place): string[] {
  const more = (place.settings.more ?? "").split(",").filter(Boolean);
  return [...new Set([place.topic, ...more])];
}

/** Where a robot was, by GPS. */
export const map: Panel = {
  name: "map",
  title: "Map",
  shows: (topic) => (isPosition(topic) ? 1 : 0),
  reads: (place, topics) => {
    const known = new Set(topics.map((each) => each.topic));
    return topicsOfPlace(place).filter((each) => known.has(each));
  },
  take: (place, topic) => {
    if (!isPosition(topic) || topicsOfPlace(place).includes(topic.topic)) return undefined;
    const more = [...topicsOfPlace(place).slice(1), topic.topic].join(",");
    return { ...place, settings: { ...place.settings, more } };
  },
  View: MapView,
};
