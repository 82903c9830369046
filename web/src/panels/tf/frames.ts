// What the panel says of frames: the tree that they make at an instant, who publishes them how
// often, what is wrong with them, and why there is no transform between two of them.

import type { Topic } from "../../api";
import { lengthText } from "../../format";
import type { Feed } from "../../player/feed";
import { hasTransforms, samplesOf } from "../../player/transform_feed";
import type { Found, NotFound, Quaternion, Transforms } from "../../player/transforms";

/** Of a frame, as far as the clock has come. */
export interface Published {
  /** Log time of the last transform. */
  time: number;
  isStatic: boolean;
  topic: string;
  parent: string;
  /** undefined: static, or only one transform so far. */
  rate: number | undefined;
}

interface Kept extends Published {
  times: number[]; // log times of the last transforms
}

const KEPT = 50;

/** Follows the clock, and reads each message once. */
export class Publishers {
  private readonly topics: string[];
  private readonly frames = new Map<string, Kept>();
  private until = -Infinity;

  constructor(
    private readonly feed: Feed,
    topics: Topic[],
  ) {
    this.topics = topics.filter(hasTransforms).map((each) => each.topic);
  }

  update(): Map<string, Published> {
    const { time, covered } = this.feed;
    if (time > covered.end) return this.frames; // on its way
    if (time < this.until || covered.start > this.until) {
      this.frames.clear();
      this.until = -Infinity;
    }
    for (const topic of this.topics) {
      for (const message of this.feed.between(topic, this.until, time)) {
        if (message.error) continue;
        for (const sample of samplesOf(topic, message, this.feed.origin)) this.add(sample);
      }
    }
    this.until = time;
    return this.frames;
  }

  private add({ child, parent, time, isStatic, topic }: ReturnType<typeof samplesOf>[0]): void {
    const times = this.frames.get(child)?.times ?? [];
    if (times.at(-1) !== time) times.push(time);
    if (times.length > KEPT) times.shift();
    const length = time - times[0]!;
    const rate = isStatic || length <= 0 ? undefined : (times.length - 1) / length;
    this.frames.set(child, { time, isStatic, topic, parent, rate, times });
  }
}

export interface Row {
  frame: string;
  depth: number;
  /** "": it is a root. */
  parent: string;
  problem: string;
}

/** All frames, each below its parent; at the end those whose parents go around in a circle. */
export function treeOf(transforms: Transforms, stamp: number): Row[] {
  const children = new Map<string, string[]>();
  const frames = transforms.frames();
  for (const frame of frames) {
    const parent = transforms.parentOf(frame, stamp) ?? "";
    children.set(parent, [...(children.get(parent) ?? []), frame]);
  }
  const rows: Row[] = [];
  const seen = new Set<string>();
  const walk = (frame: string, depth: number, parent: string, isLoop: boolean) => {
    const pending = [{ frame, depth, parent }];
    for (let next; (next = pending.pop()); ) {
      if (seen.has(next.frame)) continue;
      seen.add(next.frame);
      rows.push({ ...next, problem: problemOf(transforms, next.frame, isLoop) });
      const inner = (children.get(next.frame) ?? []).map((each) => ({
        frame: each,
        depth: next!.depth + 1,
        parent: next!.frame,
      }));
      pending.push(...inner.reverse());
    }
  };
  for (const root of children.get("") ?? []) walk(root, 0, "", false);
  for (const frame of frames) {
    if (!seen.has(frame)) walk(frame, 0, transforms.parentOf(frame, stamp) ?? "", true);
  }
  return rows;
}

function problemOf(transforms: Transforms, frame: string, isLoop: boolean): string {
  const refused = transforms.refused.get(frame);
  if (refused) return `a transform of it makes no sense: ${refused}`;
  if (isLoop) return "its parents go around in a circle";
  const parents = transforms.info(frame)?.parents ?? [];
  return parents.length > 1 ? `it has had ${parents.length} parents: ${parents.join(", ")}` : "";
}

/** Seconds by which a transform may be older than the instant. */
export const TOLERANCE = 1;

export interface Answer {
  found: Found | null;
  /** Why there is none, or what else there is to know. */
  notes: string[];
}

/** The pose of a frame in another one. `since` is where what the page holds begins. */
export function lookUp(
  transforms: Transforms,
  of: string,
  into: string,
  stamp: number,
  since = 0,
): Answer {
  const unknown = [...new Set([of, into])].filter((each) => !transforms.has(each));
  if (unknown.length) {
    const names = transforms.frames();
    return { found: null, notes: unknown.map((each) => unknownText(each, names, since)) };
  }
  const answer: Found | NotFound = transforms.find(into, of, stamp, TOLERANCE);
  const isFound = "transform" in answer;
  const notes: string[] = isFound ? [] : [answer.why];
  if (isFound && Math.abs(answer.outside) > 1e-3) {
    const seconds = Math.abs(answer.outside).toFixed(3);
    notes.push(`The nearest transform is ${seconds} s ${answer.outside > 0 ? "older" : "younger"}`);
  }
  const rows = treeOf(transforms, stamp);
  for (const frame of wayOf(transforms, of, into, stamp)) {
    const problem = rows.find((row) => row.frame === frame)?.problem;
    if (problem) notes.push(`${frame}: ${problem}`);
  }
  return { found: isFound ? answer : null, notes };
}

/** All frames from both up to their roots. */
function wayOf(transforms: Transforms, of: string, into: string, stamp: number): Set<string> {
  const way = new Set<string>();
  for (const end of [of, into]) {
    const own = new Set<string>();
    for (let at: string | undefined = end; at && !own.has(at); ) {
      own.add(at);
      way.add(at);
      at = transforms.parentOf(at, stamp);
    }
  }
  return way;
}

const MOST_NEAREST = 3;

function unknownText(frame: string, names: string[], since: number): string {
  const near = nearest(frame, names);
  const known = near.length ? `; there is ${near.join(", ")}` : "";
  const from = since > 0 ? `from ${lengthText(since, 1)} on` : "up to here";
  return `No message ${from} has the frame ${frame.slice(0, 100)}${known}`;
}

/** Names that differ by few letters, or that one is a part of. */
export function nearest(name: string, names: string[]): string[] {
  const wanted = name.toLowerCase().slice(0, 100);
  return names
    .map((each) => {
      const other = each.toLowerCase().slice(0, 100);
      const isPart = wanted !== "" && (other.includes(wanted) || wanted.includes(other));
      return { each, distance: isPart ? 1 : edits(wanted, other) };
    })
    .filter(({ distance }) => distance <= Math.max(2, wanted.length / 2))
    .sort((a, b) => a.distance - b.distance || a.each.localeCompare(b.each))
    .slice(0, MOST_NEAREST)
    .map(({ each }) => each);
}

/** How many letters one has to change, add or take away (Levenshtein). */
function edits(from: string, to: string): number {
  let above = Array.from({ length: to.length + 1 }, (_, i) => i);
  for (let i = 1; i <= from.length; ++i) {
    const row = [i];
    for (let j = 1; j <= to.length; ++j) {
      const isSame = from[i - 1] === to[j - 1];
      row.push(Math.min(above[j]! + 1, row[j - 1]! + 1, above[j - 1]! + (isSame ? 0 : 1)));
    }
    above = row;
  }
  return above[to.length]!;
}

/** In degrees: turns about x, then about y, then about z, all of them fixed (ROS, REP 103). */
export function rollPitchYaw([x, y, z, w]: Quaternion): [number, number, number] {
  const degrees = 180 / Math.PI;
  const roll = Math.atan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y));
  const pitch = Math.asin(Math.max(-1, Math.min(1, 2 * (w * y - z * x))));
  const yaw = Math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z));
  return [roll * degrees, pitch * degrees, yaw * degrees];
}
