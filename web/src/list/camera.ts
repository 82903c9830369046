import type { BriefTopic } from "../api";

/** Types whose messages are pictures or a video, in any package (docs/pictures.md). */
const PICTURES = /(^|[/.])((Raw|Compressed)?Image|CompressedVideo)$/;

/** The topic whose picture stands for a bag; null: it has none. Depths and masks are last. */
export function cameraOf(topics: BriefTopic[]): string | null {
  const cameras = topics.filter((each) => each.messages > 0 && PICTURES.test(each.type));
  const isPlain = (each: BriefTopic) => !/depth|mask|label|disparity|infra|mono/i.test(each.topic);
  return (cameras.find(isPlain) ?? cameras[0])?.topic ?? null;
}
