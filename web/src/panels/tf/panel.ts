import { hasTransforms } from "../../player/transform_feed";
import type { Panel } from "../panel";
import { TransformsView } from "./view";

/** The frames of a robot, and the transform between two of them. Settings: `of` and `in`. */
export const tf: Panel = {
  name: "tf",
  title: "Transforms",
  shows: (topic) => (hasTransforms(topic) ? 0.5 : 0),
  isOfBag: true,
  reads: (_, topics) => topics.filter(hasTransforms).map((each) => each.topic),
  View: TransformsView,
};
