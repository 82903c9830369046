// Where a robot was: each position up to the instant of the stretch that the page holds, and of the
// whole bag the means that the server makes.

import type { SeriesAnswer } from "../../api";
import type { Feed } from "../../player/feed";
import { fixOf, positionOf, type Position } from "./geo";

/** More than a line on a screen shows. */
const MOST_HELD = 5000;

export function heldPositions(feed: Feed, topic: string): Position[] {
  const messages = feed.between(topic, -Infinity, feed.time);
  const stride = Math.ceil(messages.length / MOST_HELD);
  const positions: Position[] = [];
  for (let i = 0; i < messages.length; i += stride) {
    const fix = fixOf(messages[i]!.value);
    if (fix.hasFix) positions.push(fix.position!);
  }
  return positions;
}

/** The means of the parts. Receivers without a fix often say 0, 0: a part that has that is left
    out, since its mean is nowhere. */
export function seriesPositions(answer: SeriesAnswer): Position[] {
  const named = (name: string) => answer.series.find((each) => each.field === name);
  const [latitude, longitude] = [named("latitude"), named("longitude")];
  if (!latitude || !longitude) return [];
  const positions: Position[] = [];
  for (let part = 0; part < answer.buckets; ++part) {
    const hasZero = [latitude, longitude].every(
      ({ min, max }) => min[part] === 0 || max[part] === 0,
    );
    const position = positionOf(latitude.mean[part], longitude.mean[part]);
    if (position && !hasZero) positions.push(position);
  }
  return positions;
}
