// The scene of a bag: layers for its topics, frames, and an eye. A frame of the page in which
// nothing is new costs a look at each topic and draws nothing.

import { Matrix4, Object3D, Quaternion, Vector3 } from "three";

import type { Topic } from "../../api";
import { TransformFeed } from "../../player/transform_feed";
import { compose, type NotFound, type Transform, type Transforms, type Triple }
  from "../../player/transforms";
import type { Feed } from "../../player/feed";
import type { Place } from "../panel";
import { isStale } from "../shared";
import { eyeOf, eyeText, FIRST, fit, go, orbit, pan, zoom, type Eye } from "./camera";
import { colourOf, type Colour, type Legend } from "./colours";
import { headingOf, robotFrame } from "./follow";
import { Frames } from "./frames";
import { isShown, sceneTopics } from "./kinds";
import { emptyBox, layerOf, type Layer, type Part, type Surroundings } from "./layers";
import { fade, Stage, type Look } from "./stage";

/** Seconds for which the last pose of a frame holds, and the first one before it. */
const TOLERANCE = 10;
const FAINT = 0.35;
/** A picture that holds the page up for longer is drawn less often. */
const SLOW_MS = 40;
/** Seconds between two pictures that are not those of play. */
const JUMP = 3;
/** Seconds of play until the top of the tree is looked for again. */
const ROOT_EVERY = 2;

/** What a person is told beside the picture. */
export interface Report {
  fixed: string;
  followed: string;
  problems: { topic: string; why: string }[];
  notes: string[];
  ages: { topic: string; seconds: number }[];
  legends: (Legend & { topic: string })[];
  /** Topics that stand in the picture. */
  shown: string[];
  frames: number;
  points: number;
}

export interface Picked {
  topic: string;
  frame: string;
  /** In its frame. */
  at: Triple;
}

export class SceneView {
  eye: Eye;
  private readonly stage: Stage;
  private readonly frames = new Frames();
  private readonly layers = new Map<string, Layer>();
  private readonly reader: TransformFeed;
  private readonly around: Surroundings;
  private readonly matrix = new Matrix4();
  private hasBegun = false;
  private isDirty = true;
  private isTouched: boolean;
  private isGiven: boolean; // by the URL, together with what it follows
  private seen = 0; // how much there was when the eye was placed
  private time = NaN;
  private hasDrawn = false; // in the last frame of the page
  private called = 0; // wall times, in ms
  private wait = 0;
  private version = -1;
  private root: { frame: string; time: number; count: number } | null = null;
  private followed: { frame: string; at: Triple; heading: number } | null = null;
  private textColour: Colour = [0, 0, 0];
  private ground = "";
  private reported = "";

  constructor(
    private readonly canvas: HTMLCanvasElement,
    context: WebGL2RenderingContext,
    private readonly feed: Feed,
    private readonly topics: Topic[],
    private place: Place,
    private readonly tell: (report: Report) => void,
  ) {
    this.stage = new Stage(canvas, context);
    this.stage.scene.add(this.frames.object);
    this.reader = new TransformFeed(feed, topics);
    this.around = { feed, topics, isDark: false, place };
    const chosen = eyeOf(place.settings.eye);
    this.eye = chosen ?? FIRST;
    this.isTouched = chosen !== null;
    this.isGiven = this.isTouched;
  }

  setPlace(place: Place): void {
    if (place.settings.fixed !== this.place.settings.fixed) this.followed = null;
    this.place = place;
    this.around.place = place;
    this.time = NaN;
  }

  setLook(look: Look, isDark: boolean): void {
    this.stage.setLook(look);
    this.textColour = colourOf(look.text) ?? [128, 128, 128];
    this.ground = look.background;
    this.around.isDark = isDark;
    this.time = NaN;
  }

  resize(): void {
    this.stage.resize(this.canvas.clientWidth, this.canvas.clientHeight);
    this.time = NaN;
  }

  dispose(): void {
    for (const layer of this.layers.values()) layer.dispose();
    this.stage.dispose();
  }

  // --- the eye ---

  orbit(left: number, up: number): void {
    this.look(orbit(this.eye, left, up));
  }
  pan(right: number, up: number): void {
    this.look(pan(this.eye, right, up));
  }
  zoom(factor: number): void {
    this.look(zoom(this.eye, factor));
  }
  private look(eye: Eye): void {
    this.eye = eye;
    this.isTouched = true;
    this.isDirty = true;
  }
  /** Back to where all that is shown can be seen. */
  reset(): void {
    this.look({ ...fit(FIRST, ...this.extent()) });
    this.isTouched = false;
  }
  get eyeText(): string {
    return eyeText(this.eye);
  }

  // --- each frame of the page ---

  update(): void {
    const { feed } = this;
    if (feed.time > feed.covered.end) return; // on its way: the page greys what is there
    // The first picture takes long, since programs are made for the graphics card: those of the
    // other panels stand before.
    if (!this.hasBegun) {
      this.hasBegun = true;
      return;
    }
    if (this.mustWait(performance.now())) return;
    const transforms = this.reader.update();
    let isNew = feed.time !== this.time || transforms.version !== this.version;
    for (const topic of sceneTopics(this.topics)) {
      if (this.updateLayer(topic)) isNew = true;
    }
    if (isNew) {
      this.time = feed.time;
      this.version = transforms.version;
      this.arrange(transforms);
      this.isDirty = true;
    }
    if (!this.isDirty) return;
    this.isDirty = false;
    this.stage.look(this.eye);
    this.frames.declutter(this.stage);
    this.stage.render();
    this.hasDrawn = true;
    this.canvas.dataset.time = String(feed.time);
    this.canvas.dataset.eye = this.eyeText;
  }

  /** Without a graphics card, one picture may take as long as ten frames of the page. Three
      quarters of the time are left to the rest; whoever seeks does not wait. */
  private mustWait(now: number): boolean {
    const gap = now - this.called;
    this.called = now;
    if (this.hasDrawn && gap > SLOW_MS) this.wait = now + Math.min(1000, 3 * gap);
    this.hasDrawn = false;
    return now < this.wait && Math.abs(this.feed.time - this.time) < JUMP;
  }

  private updateLayer(topic: Topic): boolean {
    const layer = this.layers.get(topic.topic);
    if (!isShown(this.place, topic, this.topics)) {
      if (!layer) return false;
      layer.dispose();
      this.layers.delete(topic.topic);
      return true;
    }
    if (layer) return layer.update();
    const made = layerOf(topic, this.around);
    this.layers.set(topic.topic, made);
    made.update();
    return true;
  }

  /** Puts all where it stands at this instant. */
  private arrange(transforms: Transforms): void {
    const now = transforms.stampAt(this.feed.time);
    const fixed = this.fixedFrame(transforms, now);
    const report: Report = {
      fixed, followed: "", problems: [], notes: [], ages: [], legends: [], shown: [],
      frames: 0, points: 0,
    };
    for (const layer of this.layers.values()) this.arrangeLayer(layer, transforms, now, report);
    const { settings } = this.place;
    this.frames.object.visible = settings.axes !== "0";
    if (this.frames.object.visible) {
      this.frames.update(transforms, fixed, now, {
        length: Number(settings.axes) || 0.4,
        hasNames: settings.names !== "0",
        colour: this.textColour,
        ground: this.ground,
        screen: this.stage.height,
      });
    }
    report.frames = this.frames.object.visible ? this.frames.count : 0;
    const seen = report.shown.length + (report.frames > 0 ? 1 : 0);
    if (!this.isTouched && seen > this.seen) this.eye = fit(this.eye, ...this.extent());
    this.seen = Math.max(this.seen, seen);
    this.follow(transforms, fixed, now, report);
    const text = JSON.stringify(report);
    if (text !== this.reported) this.tell(report);
    this.reported = text;
  }

  /** The chosen one, or else the top of the tree, or else the frame of the first message. */
  private fixedFrame(transforms: Transforms, now: number): string {
    const chosen = this.place.settings.fixed;
    if (chosen) return chosen;
    const count = transforms.size;
    const { root } = this;
    if (!root || root.count !== count || Math.abs(root.time - this.feed.time) > ROOT_EVERY) {
      const frame = transforms.root(now);
      this.root = frame === undefined ? null : { frame, time: this.feed.time, count };
    }
    if (this.root) return this.root.frame;
    for (const { parts } of this.layers.values()) {
      if (parts[0]?.where.frame) return parts[0].where.frame;
    }
    return "";
  }

  private arrangeLayer(layer: Layer, transforms: Transforms, now: number, report: Report): void {
    const { topic, message } = layer;
    const name = topic.topic;
    let why: string | undefined = layer.problem;
    let isShownAny = false;
    const stale = layer.ages && isStale({ topic, feed: this.feed, message });
    for (const part of layer.parts) {
      const pose = this.poseOf(part, transforms, report.fixed, now);
      part.group.visible = !("why" in pose);
      if (part.group.parent === null) this.stage.scene.add(part.group);
      if ("why" in pose) {
        why ||= pose.why;
      } else {
        place(part.group, pose, this.matrix);
        fade(part.group, stale ? FAINT : 1);
        isShownAny = true;
      }
    }
    if (why) report.problems.push({ topic: name, why });
    if (isShownAny) report.shown.push(name);
    for (const note of layer.notes) report.notes.push(`${name}: ${note}`);
    if (layer.legend && isShownAny) report.legends.push({ topic: name, ...layer.legend });
    if (stale && message) {
      const seconds = Number((this.feed.time - message.time).toFixed(1));
      report.ages.push({ topic: name, seconds });
    }
    report.points += layer.points;
  }

  /** Where a part stands: where its frame was at its stamp; if that is not known any more, as of
      a map that came long ago, where the frame is now. */
  private poseOf(
    part: Part,
    transforms: Transforms,
    fixed: string,
    now: number,
    depth = 0,
  ): Transform | NotFound {
    const { frame, stamp } = part.where;
    const then = transforms.find(fixed, frame, stamp ?? now, TOLERANCE);
    if (!("why" in then)) return then.transform;
    const found = transforms.find(fixed, frame, now, TOLERANCE);
    if (!("why" in found)) return found.transform;
    if (part.hangsOn && depth < 100) {
      const above = this.poseOf(part.hangsOn.part, transforms, fixed, now, depth + 1);
      if (!("why" in above)) return compose(above, part.hangsOn.origin);
    }
    return found;
  }

  private follow(transforms: Transforms, fixed: string, now: number, report: Report): void {
    const { follow, robot } = this.place.settings;
    const frame = robot || robotFrame(transforms);
    if (!follow) {
      this.followed = null;
      this.isGiven = false;
      return;
    }
    // While a seek loads, nothing is known of it: it is followed from where it was.
    if (frame === undefined) return;
    const found = transforms.find(fixed, frame, now);
    if ("why" in found) {
      report.notes.push(`Cannot follow: ${found.why}`);
      return;
    }
    report.followed = frame;
    const at = found.transform.translation;
    const heading = headingOf(found.transform.rotation);
    const last = this.followed?.frame === frame ? this.followed : null;
    if (last) {
      const by: Triple = [at[0] - last.at[0], at[1] - last.at[1], at[2] - last.at[2]];
      this.eye = go(this.eye, by, follow === "heading" ? heading - last.heading : 0);
    } else if (!this.isGiven) {
      // What is followed is in the middle.
      this.isTouched = true;
      this.eye = { ...this.eye, target: at, distance: Math.min(this.eye.distance, 15) };
    }
    this.isGiven = false;
    this.followed = { frame, at, heading };
  }

  /** The corners of all that is shown, in the fixed frame. */
  private extent(): [Triple, Triple] {
    const all = emptyBox();
    const corner = new Vector3();
    const parts = [...this.layers.values()].flatMap((layer) => layer.parts);
    for (const { group, box } of [...parts, { group: this.frames.object, box: this.frames.box }]) {
      for (let i = 0; box && group.visible && i < 8; ++i) {
        const [a, b, c] = [1, 2, 4].map((bit) => (i & bit ? box.most : box.least));
        corner.set(a![0], b![1], c![2]).applyMatrix4(group.matrix);
        corner.toArray().forEach((each, axis) => {
          all.least[axis] = Math.min(all.least[axis]!, each);
          all.most[axis] = Math.max(all.most[axis]!, each);
        });
      }
    }
    return all.least[0] <= all.most[0] ? [all.least, all.most] : [[-5, -5, 0], [5, 5, 0]];
  }

  /** What stands at a place of the canvas; pictures of the floor only where nothing else does. */
  pick(x: number, y: number): Picked | null {
    const hits = this.stage.pick(x, y, this.eye);
    for (const isFloor of [false, true]) {
      for (const { object, point } of hits) {
        if ((object.userData.isFloor === true) !== isFloor) continue;
        for (const [topic, { parts }] of this.layers) {
          for (const { group, where } of parts) {
            if (!group.visible || !isIn(object, group)) continue;
            const at = point.clone().applyMatrix4(group.matrix.clone().invert());
            return { topic, frame: where.frame, at: at.toArray() };
          }
        }
      }
    }
    return null;
  }
}

function isIn(object: Object3D, group: Object3D): boolean {
  for (let each: Object3D | null = object; each; each = each.parent) {
    if (each === group) return true;
  }
  return false;
}

const ONE = new Vector3(1, 1, 1);
const position = new Vector3();
const rotation = new Quaternion();

function place(group: Object3D, { translation, rotation: turn }: Transform, matrix: Matrix4): void {
  position.set(...translation);
  rotation.set(...turn);
  matrix.compose(position, rotation, ONE);
  if (!group.matrix.equals(matrix)) group.matrix.copy(matrix);
  group.matrixWorldNeedsUpdate = true;
}

