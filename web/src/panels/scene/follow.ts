// Which frame the scene is drawn in, and which one it follows, if nobody chose.

import type { Transforms } from "../../player/transforms";

export type Follow = "" | "position" | "heading";

/** What F goes on to. */
export function nextFollow(follow: string | undefined): Follow {
  return follow === "position" ? "heading" : follow === "heading" ? "" : "position";
}

const ROBOTS = ["base_link", "base_footprint", "base", "base_stabilized", "ego_vehicle", "vehicle"];

/** The frame of the robot: one with a usual name, or else the first one that moves. */
export function robotFrame(transforms: Transforms): string | undefined {
  const frames = transforms.frames();
  for (const name of ROBOTS) {
    const frame = frames.find((each) => each === name || each.endsWith(`/${name}`));
    if (frame) return frame;
  }
  return frames.find((each) => transforms.info(each)?.isStatic === false) ?? frames[0];
}

/** The angle around z that a rotation has. */
export function headingOf([x, y, z, w]: readonly [number, number, number, number]): number {
  return Math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z));
}
