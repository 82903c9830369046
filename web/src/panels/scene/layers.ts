// A layer shows a topic: it looks whether there is another message, and has it drawn. Each of its
// parts stands in a frame, at a stamp; scene.ts puts it where that is.

import { Group } from "three";

import type { Topic } from "../../api";
import type { Feed } from "../../player/feed";
import type { Message } from "../../player/store";
import { plainType } from "../../player/transform_feed";
import type { Transform } from "../../player/transforms";
import type { Place } from "../panel";
import { cellsOf } from "./cells";
import { cloudFields, cloudPoints, oldCloudPoints, scanPoints, type Points } from "./clouds";
import type { Legend } from "./colours";
import { Drawing } from "./drawing";
import { Entities } from "./entities";
import { gridOf, paletteOf, pictureOf, updateGrid, type Grid, type Palette } from "./grids";
import { chosenColour, colouringOf, flatColour, kindOf, updatesOf } from "./kinds";
import { Markers } from "./markers";
import { draws, drawTrail } from "./messages";
import { dispose, DrawingObject, floorPicture, PointCloud } from "./stage";
import { robotOf, type Link } from "./urdf";
import { fieldsOf, textOf, whereOf, type Where } from "./values";

export interface Part {
  group: Group;
  where: Where;
  /** The corners of what it shows; null: nothing. */
  box: Box | null;
  /** Where it stands if tf does not know its frame. */
  hangsOn?: { part: Part; origin: Transform };
}

export interface Box {
  least: [number, number, number];
  most: [number, number, number];
}

export function emptyBox(): Box {
  return { least: [Infinity, Infinity, Infinity], most: [-Infinity, -Infinity, -Infinity] };
}

const SAMPLES = 5000;

export function boxOf(positions: ArrayLike<number>): Box | null {
  const count = positions.length / 3;
  const step = Math.max(1, Math.floor(count / SAMPLES));
  const box = emptyBox();
  for (let i = 0; i < count; i += step) {
    for (let c = 0; c < 3; ++c) {
      box.least[c] = Math.min(box.least[c]!, positions[i * 3 + c]!);
      box.most[c] = Math.max(box.most[c]!, positions[i * 3 + c]!);
    }
  }
  return count ? box : null;
}

function boxOfDrawing(drawing: Drawing): Box | null {
  const places = [...drawing.solids.values()].flatMap(({ matrices }) =>
    matrices.filter((_, i) => i % 16 > 11 && i % 16 < 15),
  );
  const texts = drawing.texts.flatMap((each) => each.at);
  return boxOf(drawing.lines.concat(places, drawing.triangles, drawing.points, texts));
}

export interface Surroundings {
  feed: Feed;
  topics: Topic[];
  isDark: boolean;
  place: Place;
}

export abstract class Layer {
  parts: Part[] = [];
  /** Whether what it shows is old when no message comes; markers stay until they are deleted. */
  readonly ages: boolean = true;
  /** Why its message cannot be shown. */
  problem = "";
  notes: string[] = [];
  legend: Legend | undefined;
  message: Message | undefined;
  /** How many points it shows. */
  points = 0;
  private look = "";

  constructor(
    readonly topic: Topic,
    protected readonly around: Surroundings,
  ) {}

  /** Takes what is there at this instant; returns whether that is something else. */
  update(): boolean {
    const { feed, place, isDark } = this.around;
    const look = `${chosenColour(place, this.topic)} ${isDark}`;
    const message = feed.at(this.topic.topic);
    const isNew = message !== this.message || look !== this.look;
    const hasMore = this.takeMore(isNew);
    if (!isNew && !hasMore) return false;
    this.message = message;
    this.look = look;
    this.problem = message?.error ?? "";
    this.notes = [];
    this.legend = undefined;
    this.points = 0;
    if (!message || message.error) {
      this.show(0);
      return true;
    }
    try {
      this.draw(message.value);
    } catch (error) {
      this.problem = error instanceof Error ? error.message : String(error);
      this.show(0);
    }
    return true;
  }

  /** Looks at other messages than the last one; returns whether there are any. */
  protected takeMore(_isNew: boolean): boolean {
    return false;
  }
  protected abstract draw(value: unknown): void;

  protected get flat() {
    return flatColour(this.around.place, this.topic, this.around.topics);
  }

  protected part(i: number, where: Where): Part {
    const part = (this.parts[i] ??= { group: new Group(), where, box: null });
    part.group.matrixAutoUpdate = false;
    part.where = where;
    return part;
  }

  /** Keeps the first parts only. */
  protected show(count: number): void {
    for (const { group } of this.parts.splice(count)) dispose(group);
  }

  dispose(): void {
    this.show(0);
  }
}

class PointsLayer extends Layer {
  private cloud = new PointCloud();

  protected override draw(value: unknown): void {
    const points = this.pointsOf(value);
    const part = this.part(0, whereOf(value, this.around.feed.origin));
    if (!part.group.children.length) part.group.add((this.cloud = new PointCloud()).object);
    this.cloud.set(points);
    part.box = boxOf(points.positions);
    this.legend = points.legend;
    this.points = points.count;
  }

  private pointsOf(value: unknown): Points {
    const { place, topics } = this.around;
    const kind = kindOf(this.topic);
    const fields = kind === "scan" ? ["intensity", "range"] : cloudFields(value);
    const colouring = colouringOf(place, this.topic, topics, fields);
    if (kind === "scan") return scanPoints(value, colouring);
    return kind === "cloud" ? cloudPoints(value, colouring) : oldCloudPoints(value, colouring);
  }
}

/** A grid, and the updates since it came. */
class GridLayer extends Layer {
  private grid: Grid | null = null;
  private base: Message | undefined;
  private until = -Infinity;

  protected override takeMore(): boolean {
    const { feed, topics } = this.around;
    const updates = updatesOf(this.topic, topics);
    const base = feed.at(this.topic.topic);
    if (!updates || !base) return false;
    if (base !== this.base || feed.time < this.until) {
      this.base = base;
      this.grid = null;
      this.until = base.time;
    }
    const more = feed.between(updates.topic, this.until, feed.time);
    this.until = Math.max(this.until, feed.time);
    if (!this.grid) {
      try {
        this.grid = gridOf(base.value);
      } catch {
        return false; // draw() says why
      }
      this.put(more.map((each) => each.value));
      return true;
    }
    return this.put(more.map((each) => each.value));
  }

  private put(updates: unknown[]): boolean {
    for (const value of updates) updateGrid(this.grid!, value);
    return updates.length > 0;
  }

  protected override draw(value: unknown): void {
    const { place, topics, isDark, feed } = this.around;
    const grid = updatesOf(this.topic, topics) && this.grid ? this.grid : gridOf(value);
    const chosen = chosenColour(place, this.topic);
    const isCost = /cost/i.test(this.topic.topic);
    const palette = (chosen || (isCost ? "costmap" : "map")) as Palette;
    const picture = pictureOf(grid, paletteOf(palette, isDark));
    const [w, h] = [grid.width * grid.resolution, grid.height * grid.resolution];
    const part = this.part(0, whereOf(value, feed.origin));
    for (const each of [...part.group.children]) dispose(each);
    const mesh = floorPicture(picture, w, h);
    mesh.position.set(...grid.origin.translation);
    mesh.quaternion.set(...grid.origin.rotation);
    part.group.add(mesh);
    const [x, y, z] = grid.origin.translation;
    part.box = { least: [x, y, z], most: [x + w, y + h, z] };
  }
}

/** A grid of cells with fields. */
class CellsLayer extends Layer {
  protected override draw(value: unknown): void {
    const { place, topics, feed } = this.around;
    const names = cloudFields(value);
    const colouring = colouringOf(place, this.topic, topics, names);
    const { picture, width, height, origin, legend } = cellsOf(value, names, colouring);
    const part = this.part(0, whereOf(value, feed.origin));
    for (const each of [...part.group.children]) dispose(each);
    const mesh = floorPicture(picture, width, height);
    mesh.position.set(...origin.translation);
    mesh.quaternion.set(...origin.rotation);
    part.group.add(mesh);
    const [x, y, z] = origin.translation;
    part.box = { least: [x, y, z], most: [x + width, y + height, z] };
    this.legend = legend;
  }
}

class MarkersLayer extends Layer {
  override readonly ages = false;
  private readonly markers: Markers;
  private readonly drawn: DrawingObject[] = [];
  private time = -Infinity;

  constructor(topic: Topic, around: Surroundings) {
    super(topic, around);
    this.markers = kindOf(topic) === "entities" ? new Entities() : new Markers();
  }

  protected override takeMore(): boolean {
    const { feed } = this.around;
    const isRebuilt = feed.time < this.time || feed.covered.start > this.time;
    if (isRebuilt) this.markers.clear();
    const after = isRebuilt ? -Infinity : this.time;
    for (const { value, time, error } of feed.between(this.topic.topic, after, feed.time)) {
      if (!error) this.markers.take(value, time, feed.origin);
    }
    this.time = feed.time;
    this.markers.expire(feed.time);
    return this.markers.isChanged;
  }

  protected override draw(): void {
    const groups = this.markers.groups();
    groups.forEach(({ where, drawing }, i) => {
      const part = this.part(i, where);
      if (!part.group.children.length) {
        this.drawn[i] = new DrawingObject();
        part.group.add(this.drawn[i]!.object);
      }
      this.drawn[i]!.set(drawing);
      part.box = boxOfDrawing(drawing);
      this.notes.push(...drawing.notes);
      this.points += drawing.points.length / 3;
    });
    this.show(groups.length);
  }
}

const TRAIL = 30; // seconds

class DrawingLayer extends Layer {
  private drawn = new DrawingObject();

  protected override draw(value: unknown): void {
    const { feed } = this.around;
    const type = plainType(this.topic.type);
    const drawing = new Drawing();
    draws[type]!(value, drawing, this.flat);
    if (type === "nav_msgs/Odometry") {
      const way = feed.between(this.topic.topic, feed.time - TRAIL, feed.time);
      drawTrail(way.map((each) => each.value), drawing, this.flat);
    }
    const part = this.part(0, whereOf(value, feed.origin));
    if (!part.group.children.length) part.group.add((this.drawn = new DrawingObject()).object);
    this.drawn.set(drawing);
    part.box = boxOfDrawing(drawing);
    this.notes = drawing.notes;
  }
}

class RobotLayer extends Layer {
  override readonly ages = false;

  protected override draw(value: unknown): void {
    const { links, notes } = robotOf(textOf(fieldsOf(value).data));
    this.show(0);
    const shown = new Map<string, Part>();
    const add = (link: Link): Part => {
      const known = shown.get(link.name);
      if (known) return known;
      const part = this.part(this.parts.length, { frame: link.name, stamp: null });
      shown.set(link.name, part);
      const object = new DrawingObject();
      object.set(link.drawing);
      part.group.add(object.object);
      part.box = boxOfDrawing(link.drawing);
      const above = links.find((each) => each.name === link.parent?.link);
      if (above) part.hangsOn = { part: add(above), origin: link.parent!.origin };
      return part;
    };
    links.forEach(add);
    this.notes = notes;
  }
}

export function layerOf(topic: Topic, around: Surroundings): Layer {
  switch (kindOf(topic)) {
    case "scan":
    case "cloud":
    case "old cloud":
      return new PointsLayer(topic, around);
    case "grid":
      return new GridLayer(topic, around);
    case "cells":
      return new CellsLayer(topic, around);
    case "markers":
    case "entities":
      return new MarkersLayer(topic, around);
    case "robot":
      return new RobotLayer(topic, around);
    default:
      return new DrawingLayer(topic, around);
  }
}
