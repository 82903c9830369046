import type { Topic } from "../../api";
import { hasTransforms } from "../../player/transform_feed";
import type { Panel, Place } from "../panel";
import { isShown, kindOf, sceneTopics, showsWell, updatesOf, withShown } from "./kinds";
import { SceneOptions } from "./options";
import { SceneView } from "./view";

/** What the robot sees and where it is, in three dimensions. */
export const scene: Panel = {
  name: "scene",
  title: "3D",
  isOfBag: true,
  shows: showsWell,
  reads(place: Place, topics: Topic[]): string[] {
    const shown = sceneTopics(topics).filter((topic) => isShown(place, topic, topics));
    const updates = shown
      .map((topic) => updatesOf(topic, topics))
      .filter((each) => each !== undefined);
    return [...topics.filter(hasTransforms), ...shown, ...updates].map((topic) => topic.topic);
  },
  take(place, topic, field) {
    if (field !== undefined || !showsWell(topic)) return undefined;
    if (!kindOf(topic)) return place; // transforms are always shown
    // Which other topics there are is not said here, so it is written down.
    return { ...place, settings: { ...place.settings, ...withShown(place, topic, [topic], true) } };
  },
  View: SceneView,
  Options: SceneOptions,
};
