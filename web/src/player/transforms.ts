// Where frames stand to each other over time: what /tf and /tf_static say. Each frame has a track,
// the samples of its pose in its parent, sorted by their stamps. Between two samples a pose is
// interpolated; a static one holds at all times. To look up a transform is to walk from both frames
// to the one that they have in common. Where that fails, the answer is a sentence that says why.
//
// Times here are stamps, in seconds since the start of the bag. They are not log times: a scan that
// comes 100 ms late belongs where the robot was when it was taken. A simulation may stamp from 0;
// stampAt() gives the stamp that belongs to a log time.

export type Triple = [number, number, number];
/** x, y, z, w; of length 1. */
export type Quaternion = [number, number, number, number];

/** Takes points of one frame to another: turns them first, then moves them. */
export interface Transform {
  translation: Triple;
  rotation: Quaternion;
}

/** The pose of a child in its parent at one time, as a message said it. */
export interface Sample {
  parent: string;
  child: string;
  transform: Transform;
  stamp: number;
  /** Log time, in seconds since the start of the bag. */
  time: number;
  isStatic: boolean;
  topic: string;
}

export interface Found {
  transform: Transform;
  /** Seconds from the nearest sample to the time that was asked for: negative before the first
      sample, positive after the last one, 0 between them. */
  outside: number;
}

/** Why there is no transform. "unknown": no message ever named the frame. "unconnected": the two
    are in different trees. "time": not at this time. */
export interface NotFound {
  kind: "unknown" | "unconnected" | "time";
  why: string;
}

/** What is known of a frame that has a parent. */
export interface FrameInfo {
  /** Of its last sample. */
  parent: string;
  /** All that it ever had; more than one at the same time is a mistake of the robot. */
  parents: string[];
  topics: string[];
  isStatic: boolean;
  /** How many samples are held. */
  samples: number;
  /** Stamps of the first and last of them. */
  first: number;
  last: number;
  /** Log time of the last one. */
  time: number;
}

export const IDENTITY: Readonly<Transform> = { translation: [0, 0, 0], rotation: [0, 0, 0, 1] };

/** Frames that differ by a leading slash are one: tf of ROS 1 wrote it, tf2 does not. */
export function frameName(text: unknown): string {
  return typeof text === "string" ? text.replace(/^\//, "") : "";
}

/** A point that is turned by a rotation. */
export function rotate([x, y, z, w]: Quaternion, [a, b, c]: Triple): Triple {
  const tx = 2 * (y * c - z * b);
  const ty = 2 * (z * a - x * c);
  const tz = 2 * (x * b - y * a);
  return [
    a + w * tx + y * tz - z * ty,
    b + w * ty + z * tx - x * tz,
    c + w * tz + x * ty - y * tx,
  ];
}

/** A point in the other frame. */
export function apply({ translation, rotation }: Transform, point: Triple): Triple {
  const [x, y, z] = rotate(rotation, point);
  return [x + translation[0], y + translation[1], z + translation[2]];
}

/** First `inner`, then `outer`. */
export function compose(outer: Transform, inner: Transform): Transform {
  const [ax, ay, az, aw] = outer.rotation;
  const [bx, by, bz, bw] = inner.rotation;
  return {
    translation: apply(outer, inner.translation),
    rotation: [
      aw * bx + ax * bw + ay * bz - az * by,
      aw * by - ax * bz + ay * bw + az * bx,
      aw * bz + ax * by - ay * bx + az * bw,
      aw * bw - ax * bx - ay * by - az * bz,
    ],
  };
}

export function inverse({ translation, rotation }: Transform): Transform {
  const back: Quaternion = [-rotation[0], -rotation[1], -rotation[2], rotation[3]];
  const [x, y, z] = rotate(back, translation);
  return { translation: [-x, -y, -z], rotation: back };
}

/** `part` of the way from one to the other: a straight line, and the shortest turn. */
export function interpolate(from: Transform, to: Transform, part: number): Transform {
  const a = from.rotation;
  const b = to.rotation;
  let cos = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
  const sign = cos < 0 ? -1 : 1;
  cos *= sign;
  let wa = 1 - part;
  let wb = part;
  if (cos < 0.9999) {
    const angle = Math.acos(cos);
    wa = Math.sin(wa * angle) / Math.sin(angle);
    wb = Math.sin(wb * angle) / Math.sin(angle);
  }
  wb *= sign;
  const mix = (i: 0 | 1 | 2) =>
    from.translation[i] + (to.translation[i] - from.translation[i]) * part;
  return {
    translation: [mix(0), mix(1), mix(2)],
    rotation: normalized([
      a[0] * wa + b[0] * wb,
      a[1] * wa + b[1] * wb,
      a[2] * wa + b[2] * wb,
      a[3] * wa + b[3] * wb,
    ])!,
  };
}

/** The rotation with length 1; null: it is none. */
export function normalized([x, y, z, w]: Quaternion): Quaternion | null {
  const length = Math.hypot(x, y, z, w);
  if (!(length > 1e-6 && length < 1e6)) return null;
  return [x / length, y / length, z / length, w / length];
}

/** Columns of a sample in a track: stamp, log time, parent, translation, rotation. */
const COLUMNS = 10;
/** Seconds by which stamps go back before that is a clock that was set back, not a late message. */
const JUMP = 10;
/** Seconds between stamp and log time, up to which both are the same clock. */
const SAME_CLOCK = 60;
const MOST_REFUSED = 100;

/** The poses of one frame in its parent, sorted by stamp. */
class Track {
  readonly parents: string[] = [];
  readonly topics: string[] = [];
  fixed: Sample | null = null;
  count = 0;
  private rows = new Float64Array(8 * COLUMNS);

  /** Returns whether the clock was set back; then what came before is forgotten. */
  add(sample: Sample): boolean {
    if (!this.topics.includes(sample.topic)) this.topics.push(sample.topic);
    let parent = this.parents.indexOf(sample.parent);
    if (parent < 0) parent = this.parents.push(sample.parent) - 1;
    if (sample.isStatic) {
      this.fixed = sample;
      return false;
    }
    const newest = this.count - 1;
    const isBack =
      this.count > 0 &&
      sample.stamp < this.stamp(newest) - JUMP &&
      sample.time > this.time(newest);
    if (isBack) this.count = 0;
    let at = this.count;
    while (at > 0 && this.stamp(at - 1) > sample.stamp) --at;
    const isNew = at === 0 || this.stamp(at - 1) !== sample.stamp;
    if (isNew) this.open(at);
    else --at;
    const { translation, rotation } = sample.transform;
    const values = [sample.stamp, sample.time, parent, ...translation, ...rotation];
    this.rows.set(values, at * COLUMNS);
    return isBack;
  }

  /** Makes room for a row. */
  private open(at: number): void {
    if ((this.count + 1) * COLUMNS > this.rows.length) {
      const larger = new Float64Array(this.rows.length * 2);
      larger.set(this.rows);
      this.rows = larger;
    }
    this.rows.copyWithin((at + 1) * COLUMNS, at * COLUMNS, this.count * COLUMNS);
    ++this.count;
  }

  /** Forgets what was logged before a time; the last sample before it stays. */
  dropBefore(time: number): void {
    let gone = 0;
    while (gone + 1 < this.count && this.time(gone + 1) < time) ++gone;
    if (!gone) return;
    this.rows.copyWithin(0, gone * COLUMNS, this.count * COLUMNS);
    this.count -= gone;
  }

  stamp(row: number): number {
    return this.rows[row * COLUMNS]!;
  }
  time(row: number): number {
    return this.rows[row * COLUMNS + 1]!;
  }
  parent(row: number): string {
    return this.parents[this.rows[row * COLUMNS + 2]!]!;
  }
  private transform(row: number): Transform {
    const r = this.rows;
    const i = row * COLUMNS + 3;
    return {
      translation: [r[i]!, r[i + 1]!, r[i + 2]!],
      rotation: [r[i + 3]!, r[i + 4]!, r[i + 5]!, r[i + 6]!],
    };
  }

  /** The last sample at or before a stamp, or else the first one. */
  private rowAt(stamp: number): number {
    let low = 0;
    let high = this.count;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.stamp(middle) <= stamp) low = middle + 1;
      else high = middle;
    }
    return Math.max(0, low - 1);
  }

  at(stamp: number): { parent: string; transform: Transform; outside: number } | null {
    if (!this.count) {
      if (!this.fixed) return null;
      return { parent: this.fixed.parent, transform: this.fixed.transform, outside: 0 };
    }
    const row = this.rowAt(stamp);
    const parent = this.parent(row);
    const from = this.stamp(row);
    const next = row + 1;
    if (stamp > from && next < this.count && this.parent(next) === parent) {
      const part = (stamp - from) / (this.stamp(next) - from);
      const transform = interpolate(this.transform(row), this.transform(next), part);
      return { parent, transform, outside: 0 };
    }
    const isOutside = stamp < from || next === this.count;
    return { parent, transform: this.transform(row), outside: isOutside ? stamp - from : 0 };
  }
}

interface Step {
  frame: string;
  /** From the frame that the walk began with to this one. */
  transform: Transform;
}

export class Transforms {
  /** Changes when anything does. */
  version = 0;
  /** The clock of the stamps was set back on the way: what was before that is gone. */
  hasJumped = false;
  /** Samples that make no sense: why, by frame. */
  readonly refused = new Map<string, string>();
  private readonly tracks = new Map<string, Track>();
  private readonly names = new Set<string>();
  private newest: { stamp: number; time: number } | null = null;

  add(sample: Sample): void {
    const why = whyRefused(sample);
    if (why) {
      if (this.refused.size < MOST_REFUSED) this.refused.set(sample.child, why);
      return;
    }
    let track = this.tracks.get(sample.child);
    if (!track) this.tracks.set(sample.child, (track = new Track()));
    this.names.add(sample.child).add(sample.parent);
    if (track.add(sample)) this.hasJumped = true;
    if (!sample.isStatic && sample.time >= (this.newest?.time ?? -Infinity)) this.newest = sample;
    ++this.version;
  }

  /** Forgets all but what is static. */
  clear(): void {
    this.names.clear();
    for (const [child, track] of this.tracks) {
      track.count = 0;
      if (!track.fixed) this.tracks.delete(child);
      else this.names.add(child).add(track.fixed.parent);
    }
    this.newest = null;
    this.hasJumped = false;
    ++this.version;
  }

  /** Forgets what was logged before a time; the last sample of each frame stays. */
  dropBefore(time: number): void {
    for (const track of this.tracks.values()) track.dropBefore(time);
  }

  /** All frames, sorted by name. */
  frames(): string[] {
    return [...this.names].sort();
  }
  /** How many frames there are. */
  get size(): number {
    return this.names.size;
  }
  has(frame: string): boolean {
    return this.names.has(frame);
  }

  /** The stamp that belongs to a log time. Both are the same, unless the robot's clock is not that
      of the recorder, as in a simulation. */
  stampAt(time: number): number {
    if (!this.newest || Math.abs(this.newest.stamp - this.newest.time) < SAME_CLOCK) return time;
    return time + this.newest.stamp - this.newest.time;
  }

  parentOf(frame: string, stamp: number): string | undefined {
    return this.tracks.get(frame)?.at(stamp)?.parent;
  }

  /** The top of the tree that a frame is in. */
  rootOf(frame: string, stamp: number): string {
    return this.walk(frame, stamp).at(-1)!.frame;
  }

  /** The top of the tree that has most frames. */
  root(stamp: number): string | undefined {
    const sizes = new Map<string, number>();
    for (const frame of this.frames()) {
      const root = this.rootOf(frame, stamp);
      sizes.set(root, (sizes.get(root) ?? 0) + 1);
    }
    let best: string | undefined;
    for (const [root, size] of sizes) {
      if (best === undefined || size > sizes.get(best)!) best = root;
    }
    return best;
  }

  info(frame: string): FrameInfo | undefined {
    const track = this.tracks.get(frame);
    if (!track) return undefined;
    const { parents, topics, fixed, count } = track;
    const isStatic = count === 0;
    const last = count - 1;
    if (isStatic && !fixed) return undefined;
    return {
      parent: isStatic ? fixed!.parent : track.parent(last),
      parents,
      topics,
      isStatic,
      samples: isStatic ? 1 : count,
      first: isStatic ? fixed!.stamp : track.stamp(0),
      last: isStatic ? fixed!.stamp : track.stamp(last),
      time: isStatic ? fixed!.time : track.time(last),
    };
  }

  /** The transform that takes points of `source` to `target` at a stamp. It may lie `tolerance`
      seconds before the first sample of a frame on the way, or after the last one. */
  find(
    target: string,
    source: string,
    stamp: number,
    tolerance = Infinity,
  ): Found | NotFound {
    if (target === source) return { transform: IDENTITY as Transform, outside: 0 };
    for (const frame of [source, target]) {
      if (!this.names.has(frame)) {
        const why = frame ? `${frame} is not known` : "the frame has no name";
        return notFound("unknown", target, source, why);
      }
    }
    const up = this.walk(source, stamp);
    const down = this.walk(target, stamp);
    const onWay = new Map(down.map((step, i) => [step.frame, i]));
    const meeting = up.findIndex((step) => onWay.has(step.frame));
    if (meeting < 0) {
      const [a, b] = [up.at(-1)!.frame, down.at(-1)!.frame];
      const why = `they are not connected: one is below ${a}, the other below ${b}`;
      return notFound("unconnected", target, source, why);
    }
    const other = onWay.get(up[meeting]!.frame)!;
    let outside = 0;
    let worst = "";
    const walked = [...up.slice(0, meeting), ...down.slice(0, other)];
    for (const { frame } of walked) {
      const by = this.tracks.get(frame)!.at(stamp)!.outside;
      if (Math.abs(by) > Math.abs(outside)) [outside, worst] = [by, frame];
    }
    if (Math.abs(outside) > tolerance) {
      const known = `${this.parentOf(worst, stamp)} → ${worst} is known only`;
      const limit = stamp - outside;
      const why = `${known} ${outside > 0 ? "before" : "after"} ${limit.toFixed(2)} s`;
      return notFound("time", target, source, why);
    }
    const transform = compose(
      inverse(down[other]!.transform),
      up[meeting]!.transform,
    );
    return { transform, outside };
  }

  /** From a frame to its root; where frames are each other's parents, until they repeat. */
  private walk(frame: string, stamp: number): Step[] {
    const steps: Step[] = [{ frame, transform: IDENTITY as Transform }];
    const seen = new Set([frame]);
    for (;;) {
      const last = steps.at(-1)!;
      const next = this.tracks.get(last.frame)?.at(stamp);
      if (!next || seen.has(next.parent)) return steps;
      seen.add(next.parent);
      steps.push({ frame: next.parent, transform: compose(next.transform, last.transform) });
    }
  }
}

function notFound(kind: NotFound["kind"], target: string, source: string, why: string): NotFound {
  return { kind, why: `no transform from ${source || '""'} to ${target}: ${why}` };
}

function whyRefused({ parent, child, transform, stamp }: Sample): string {
  if (!child) return "the child frame has no name";
  if (!parent) return "the parent frame has no name";
  if (parent === child) return "it is its own parent";
  if (!Number.isFinite(stamp)) return "the stamp is no number";
  if (![...transform.translation, ...transform.rotation].every(Number.isFinite)) {
    return "a number is NaN or infinite";
  }
  const length = Math.hypot(...transform.rotation);
  return Math.abs(length - 1) > 0.01 ? `the rotation has length ${length.toFixed(2)}` : "";
}
