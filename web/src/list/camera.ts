import type { BriefTopic } from "../api";
import { isCameraType } from "../video/types";

/** The topic whose picture stands for a bag; null: it has none. Depths and masks are last. */
export function cameraOf(topics: BriefTopic[]): string | null {
  const cameras = topics.filter((each) => each.messages > 0 && isCameraType(each.type));
  const isPlain = (each: BriefTopic) => !/depth|mask|label|disparity|infra|mono/i.test(each.topic);
  return (cameras.find(isPlain) ?? cameras[0])?.topic ?? null;
}
