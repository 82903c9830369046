// The tf tree in the scene: the axes of each frame, x red, y green, z blue, its name, and a line to
// its parent.

import { Group, Sprite } from "three";

import { apply, type Transforms, type Triple } from "../../player/transforms";
import type { Colour } from "./colours";
import { boxOf, type Box } from "./layers";
import { dispose, Lines, textSprite, type Stage } from "./stage";

const AXES: Colour[] = [[224, 60, 60], [60, 170, 70], [70, 120, 240]];
const PARENT: Colour = [150, 150, 160];
const MOST = 500;
const MOST_NAMES = 80;
const NAME_PIXELS = 12;

export class Frames {
  readonly object = new Group();
  private readonly lines = new Lines();
  private readonly names = new Map<string, Sprite>();
  private look = "";
  /** Of those that are drawn. */
  count = 0;
  box: Box | null = null;

  constructor() {
    this.object.add(this.lines.object);
  }

  /** Draws all frames that are connected with the fixed one. */
  update(
    transforms: Transforms,
    fixed: string,
    stamp: number,
    { length, hasNames, colour, ground, screen }: {
      length: number;
      hasNames: boolean;
      colour: Colour;
      ground: string;
      screen: number;
    },
  ): void {
    const look = `${colour} ${screen}`;
    if (look !== this.look) this.forget();
    this.look = look;
    const lines: number[] = [];
    const colours: number[] = [];
    const places: number[] = [];
    const shown = new Set<string>();
    for (const frame of transforms.frames().slice(0, MOST)) {
      const found = transforms.find(fixed, frame, stamp);
      if ("why" in found) continue;
      const { transform } = found;
      const at = transform.translation;
      places.push(...at);
      AXES.forEach((axis, i) => {
        const end: Triple = [0, 0, 0];
        end[i] = length;
        lines.push(...at, ...apply(transform, end));
        colours.push(...axis, ...axis);
      });
      const parent = transforms.parentOf(frame, stamp);
      const above = parent === undefined ? null : transforms.find(fixed, parent, stamp);
      if (above && !("why" in above)) {
        lines.push(...at, ...above.transform.translation);
        colours.push(...PARENT, ...PARENT);
      }
      if (hasNames && shown.size < MOST_NAMES) {
        shown.add(frame);
        let name = this.names.get(frame);
        if (!name) {
          const size = { pixels: NAME_PIXELS, screen };
          name = textSprite(frame.slice(0, 60), { colour, opacity: 1 }, size, ground);
          name.center.set(0.5, -0.2);
          name.material.depthTest = false;
          name.renderOrder = 10;
          this.names.set(frame, name);
          this.object.add(name);
        }
        name.position.set(...at);
      }
    }
    for (const [frame, name] of this.names) name.userData.isThere = shown.has(frame);
    this.lines.set(lines, colours);
    this.count = places.length / 3;
    this.box = boxOf(places);
  }

  /** Of names that would stand on one another, only the first is shown. */
  declutter(stage: Stage): void {
    const taken: { x: number; y: number; width: number }[] = [];
    for (const name of this.names.values()) {
      const at = name.userData.isThere ? stage.project(name.position) : null;
      const width = (name.scale.x / name.scale.y) * NAME_PIXELS * 1.25;
      name.visible =
        at !== null &&
        !taken.some(
          (each) =>
            Math.abs(each.y - at.y) < NAME_PIXELS * 1.2 &&
            Math.abs(each.x - at.x) < (each.width + width) / 2,
        );
      if (name.visible) taken.push({ ...at!, width });
    }
  }

  private forget(): void {
    for (const name of this.names.values()) dispose(name);
    this.names.clear();
  }
}
