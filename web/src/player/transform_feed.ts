// Fills transforms from the messages of a bag: of all topics that have any, a little ahead of the
// clock, so that a pose at this instant lies between two samples.

import type { Topic } from "../api";
import type { Feed } from "./feed";
import type { Message } from "./store";
import { frameName, normalized, Transforms, type Quaternion, type Sample } from "./transforms";

const AHEAD = 1;
/** How far the clock goes until what the page no longer holds is forgotten here, too. */
const FORGET = 5;

const TYPES = [
  "tf/tfMessage",
  "tf2_msgs/TFMessage",
  "geometry_msgs/TransformStamped",
  "foxglove/FrameTransform",
  "foxglove/FrameTransforms",
];

/** "tf2_msgs/TFMessage" of "tf2_msgs/msg/TFMessage", "foxglove/FrameTransform" of
    "foxglove.FrameTransform" or "foxglove_msgs/msg/FrameTransform". */
export function plainType(type: string): string {
  return type.replace("/msg/", "/").replace(/^foxglove(\.|_msgs\/)/, "foxglove/");
}

export function hasTransforms(topic: Topic): boolean {
  return TYPES.includes(plainType(topic.type));
}

type Fields = Record<string, unknown>;

const fieldsOf = (value: unknown): Fields =>
  typeof value === "object" && value !== null ? (value as Fields) : {};
const numberOf = (value: unknown): number =>
  typeof value === "number" ? value : typeof value === "bigint" ? Number(value) : NaN;

/** A time of ROS or protobuf as seconds since `origin`; null: it is none, or zero. */
export function stampOf(value: unknown, origin: number): number | null {
  const time = fieldsOf(value);
  const seconds = numberOf(time.sec ?? time.seconds);
  const ns = numberOf(time.nsec ?? time.nanosec ?? time.nanos ?? 0);
  if (!Number.isFinite(seconds + ns) || (seconds === 0 && ns === 0)) return null;
  // Whole seconds first: seconds since 1970 have no room for nanoseconds in a number.
  const whole = Math.floor(origin);
  return seconds - whole + (ns / 1e9 - (origin - whole));
}

/** All transforms that a message has. */
export function samplesOf(topic: string, message: Message, origin: number): Sample[] {
  const value = fieldsOf(message.value);
  const all = Array.isArray(value.transforms) ? value.transforms : [value];
  const isStatic = /(^|[/_])tf_static$/.test(topic);
  return all.map((each) => {
    const one = fieldsOf(each);
    const header = fieldsOf(one.header);
    const inner = fieldsOf(one.transform ?? one);
    const move = fieldsOf(inner.translation);
    const turn = fieldsOf(inner.rotation);
    const rotation = [turn.x, turn.y, turn.z, turn.w].map(numberOf) as Quaternion;
    return {
      parent: frameName(header.frame_id ?? one.parent_frame_id),
      child: frameName(one.child_frame_id),
      transform: {
        translation: [numberOf(move.x), numberOf(move.y), numberOf(move.z)],
        rotation: normalized(rotation) ?? rotation,
      },
      stamp: stampOf(header.stamp ?? one.timestamp, origin) ?? message.time,
      time: message.time,
      isStatic,
      topic,
    };
  });
}

export class TransformFeed {
  readonly transforms = new Transforms();
  private from = Infinity; // what was read: log times
  private until = -Infinity;
  private time = -Infinity;
  private trimmed = -Infinity;
  private readonly topics: string[];

  constructor(
    private readonly feed: Feed,
    topics: Topic[],
  ) {
    this.topics = topics.filter(hasTransforms).map((each) => each.topic);
  }

  /** Reads what has come since it was called last. */
  update(): Transforms {
    const { time, covered } = this.feed;
    const { transforms } = this;
    if (time > covered.end) return transforms; // on its way
    const isHole = covered.start > this.until || covered.start < this.from;
    const isSetBack = transforms.hasJumped && time < this.time;
    if (isHole || isSetBack) {
      transforms.clear();
      this.from = covered.start;
      this.until = -Infinity;
      this.trimmed = time;
    }
    // At the end itself, more messages of the same time may come.
    const until = Math.min(time + AHEAD, covered.end - 1e-9);
    if (until > this.until) {
      for (const topic of this.topics) this.read(topic, this.until, until);
      this.until = until;
    }
    if (time > this.trimmed + FORGET) {
      transforms.dropBefore(covered.start);
      this.from = Math.max(this.from, covered.start);
      this.trimmed = time;
    }
    this.time = time;
    return transforms;
  }

  private read(topic: string, after: number, until: number): void {
    for (const message of this.feed.between(topic, after, until)) {
      if (message.error) continue;
      for (const sample of samplesOf(topic, message, this.feed.origin)) this.transforms.add(sample);
    }
  }
}
