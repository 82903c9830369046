// The markers of a topic, as rviz keeps them: a message adds, changes or deletes one by its
// namespace and id, or deletes all; one with a lifetime goes by itself. Markers of one frame and
// stamp are one drawing.

import { apply, compose, type Transform, type Triple } from "../../player/transforms";
import type { Colour } from "./colours";
import { Drawing, type Ink } from "./drawing";
import { fieldsOf, isFinite3, listOf, numberOf, poseOf, textOf, tripleOf } from "./values";
import { whereOf, type Fields, type Where } from "./values";

const [ARROW, CUBE, SPHERE, CYLINDER, LINE_STRIP, LINE_LIST] = [0, 1, 2, 3, 4, 5];
const [CUBE_LIST, SPHERE_LIST, POINTS, TEXT, MESH, TRIANGLES] = [6, 7, 8, 9, 10, 11];
const [DELETE, DELETE_ALL] = [2, 3];
const MOST_MARKERS = 50_000;
export const MOST_POINTS = 500_000;

interface Kept {
  fields: Fields;
  where: Where;
  /** What its message says, whatever it moves with. */
  stamp: number | null;
  /** Log time; Infinity: it stays. */
  until: number;
}

/** Markers that are drawn together. */
export interface MarkerGroup {
  where: Where;
  drawing: Drawing;
}

export class Markers {
  private readonly kept = new Map<string, Kept>();
  private first = Infinity; // when the next one goes
  isChanged = true;

  get size(): number {
    return this.kept.size;
  }

  clear(): void {
    this.kept.clear();
    this.first = Infinity;
    this.isChanged = true;
  }

  /** Takes a Marker or a MarkerArray that was logged at `time`. */
  take(value: unknown, time: number, origin: number): void {
    const { markers } = fieldsOf(value);
    const list = markers === undefined ? [value] : listOf(markers);
    for (let i = 0; i < list.length; ++i) this.takeOne(fieldsOf(list[i]), time, origin);
    this.isChanged = true;
  }

  private takeOne(fields: Fields, time: number, origin: number): void {
    const key = `${numberOf(fields.id)} ${textOf(fields.ns)}`;
    const action = numberOf(fields.action);
    if (action === DELETE_ALL) this.kept.clear();
    else if (action === DELETE) this.kept.delete(key);
    else this.keep(key, fields, time, origin);
  }

  protected keep(key: string, fields: Fields, time: number, origin: number): void {
    if (this.kept.size >= MOST_MARKERS && !this.kept.has(key)) return;
    const { sec, seconds, nsec, nanosec, nanos } = fieldsOf(fields.lifetime);
    const lifetime = numberOf(sec ?? seconds) + numberOf(nsec ?? nanosec ?? nanos ?? 0) / 1e9;
    const until = lifetime > 0 ? time + lifetime : Infinity;
    const where = whereOf(fields, origin);
    const { stamp } = where;
    // A locked one moves with its frame: it is always now.
    if (fields.frame_locked === true) where.stamp = null;
    this.kept.set(key, { fields, where, stamp, until });
    this.first = Math.min(this.first, until);
  }

  /** Deletes the one of a key, unless its stamp is later than `until`. */
  protected drop(key: string, until: number): void {
    const one = this.kept.get(key);
    if (one && (one.stamp ?? -Infinity) <= until) this.kept.delete(key);
  }
  protected dropUntil(until: number): void {
    for (const key of this.kept.keys()) this.drop(key, until);
  }

  protected draw(fields: Fields, drawing: Drawing): void {
    drawMarker(fields, drawing);
  }

  /** Drops those whose time has passed. */
  expire(time: number): void {
    if (time <= this.first) return;
    this.first = Infinity;
    for (const [key, { until }] of this.kept) {
      if (time > until) this.kept.delete(key);
      else this.first = Math.min(this.first, until);
    }
    this.isChanged = true;
  }

  /** What stands there now. */
  groups(): MarkerGroup[] {
    this.isChanged = false;
    const groups = new Map<string, MarkerGroup>();
    for (const { fields, where } of this.kept.values()) {
      const key = `${where.stamp} ${where.frame}`;
      let group = groups.get(key);
      if (!group) groups.set(key, (group = { where, drawing: new Drawing() }));
      this.draw(fields, group.drawing);
    }
    return [...groups.values()];
  }
}

export function inkOf(value: unknown): Ink {
  const { r, g, b, a } = fieldsOf(value);
  const byte = (part: unknown) => Math.round(255 * Math.min(1, Math.max(0, numberOf(part) || 0)));
  const opacity = numberOf(a);
  return { colour: [byte(r), byte(g), byte(b)], opacity: Number.isFinite(opacity) ? opacity : 1 };
}

export function drawMarker(fields: Fields, drawing: Drawing): void {
  const pose = poseOf(fields.pose);
  if (!pose) return drawing.note("a marker has a pose with numbers that are none");
  const scale = tripleOf(fields.scale);
  const ink = inkOf(fields.color);
  const list = listOf(fields.points);
  const inks = listOf(fields.colors);
  const count = Math.min(list.length, MOST_POINTS);
  const pointAt = (i: number) => tripleOf(list[i]);
  const placed = (i: number) => apply(pose, pointAt(i));
  const inkAt = (i: number): Ink => (inks.length === list.length ? inkOf(inks[i]) : ink);
  const colourAt = (i: number): Colour => inkAt(i).colour;
  const solids = (shape: "cube" | "sphere") => {
    for (let i = 0; i < count; ++i) drawing.solid(shape, at(pose, pointAt(i)), scale, inkAt(i));
  };
  switch (numberOf(fields.type)) {
    case ARROW:
      if (count >= 2) drawing.arrowTo(pose, pointAt(0), pointAt(1), scale[1] || scale[0] * 2, ink);
      else drawing.solid("arrow", pose, scale, ink);
      break;
    case CUBE:
      drawing.solid("cube", pose, scale, ink);
      break;
    case SPHERE:
      drawing.solid("sphere", pose, scale, ink);
      break;
    case CYLINDER:
      drawing.solid("cylinder", pose, scale, ink);
      break;
    case LINE_STRIP:
      for (let i = 1; i < count; ++i) {
        drawing.line(placed(i - 1), placed(i), colourAt(i - 1), colourAt(i));
      }
      break;
    case LINE_LIST:
      for (let i = 1; i < count; i += 2) {
        drawing.line(placed(i - 1), placed(i), colourAt(i - 1), colourAt(i));
      }
      break;
    case CUBE_LIST:
      solids("cube");
      break;
    case SPHERE_LIST:
      solids("sphere");
      break;
    case POINTS:
      for (let i = 0; i < count; ++i) drawing.point(placed(i), scale[0], colourAt(i));
      break;
    case TEXT:
      drawing.text(textOf(fields.text), pose.translation, scale[2], ink);
      break;
    case MESH:
      drawing.text("mesh", pose.translation, 0.15, ink);
      drawing.note(`meshes need files, which a bag has not: ${textOf(fields.mesh_resource)}`);
      break;
    case TRIANGLES:
      triangles();
      break;
    default:
      drawing.note(`there is no marker of type ${numberOf(fields.type)}`);
  }
  function triangles() {
    const grown = (i: number): Triple => {
      const [x, y, z] = pointAt(i);
      return apply(pose!, [x * scale[0], y * scale[1], z * scale[2]]);
    };
    for (let i = 0; i + 2 < count; i += 3) {
      const corners = [i, i + 1, i + 2];
      drawing.triangle(corners.map(grown), corners.map(colourAt));
    }
  }
}

/** A place in the frame of a pose, with its turn. */
function at(pose: Transform, point: Triple): Transform {
  if (!isFinite3(point)) return { translation: point, rotation: pose.rotation };
  return compose(pose, { translation: point, rotation: [0, 0, 0, 1] });
}
