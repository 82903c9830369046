// The robot of a URDF: what its links look like and how they hang together. Links are frames, so
// that tf poses them; a joint's origin is where a link stands that tf does not know. Meshes are
// files that a bag does not have: they are left out, and a note says so.

import { normalized, type Quaternion, type Transform, type Triple } from "../../player/transforms";
import { Drawing } from "./drawing";
import type { Colour } from "./colours";

export interface Link {
  name: string;
  drawing: Drawing;
  /** The link it hangs on, and where; undefined: it is the root. */
  parent?: { link: string; origin: Transform };
}

export interface Robot {
  links: Link[];
  notes: string[];
}

const GREY: Colour = [170, 176, 184];
const MOST_LINKS = 1000;

function numbers(text: string | null | undefined, count: number): number[] {
  const all = (text ?? "").trim().split(/\s+/).map(Number);
  return Array.from({ length: count }, (_, i) => (Number.isFinite(all[i]) ? all[i]! : 0));
}

/** Roll, pitch and yaw as URDF means them: around fixed axes, in this order. */
export function rotationOf([roll, pitch, yaw]: Triple): Quaternion {
  const [cr, sr] = [Math.cos(roll / 2), Math.sin(roll / 2)];
  const [cp, sp] = [Math.cos(pitch / 2), Math.sin(pitch / 2)];
  const [cy, sy] = [Math.cos(yaw / 2), Math.sin(yaw / 2)];
  return normalized([
    sr * cp * cy - cr * sp * sy,
    cr * sp * cy + sr * cp * sy,
    cr * cp * sy - sr * sp * cy,
    cr * cp * cy + sr * sp * sy,
  ])!;
}

function child(of: Element | undefined, name: string): Element | undefined {
  return of && [...of.children].find((each) => each.tagName === name);
}

function originOf(of: Element): Transform {
  const origin = child(of, "origin");
  return {
    translation: numbers(origin?.getAttribute("xyz"), 3) as Triple,
    rotation: rotationOf(numbers(origin?.getAttribute("rpy"), 3) as Triple),
  };
}

function colourIn(material: Element | undefined): Colour | undefined {
  const rgba = child(material, "color")?.getAttribute("rgba");
  if (!rgba) return undefined;
  const byte = (part: number) => Math.round(255 * Math.min(1, Math.max(0, part)));
  return numbers(rgba, 3).map(byte) as Colour;
}

/** Reads a robot_description. Throws an Error that says why it cannot. */
export function robotOf(text: string): Robot {
  const root = new DOMParser().parseFromString(text, "text/xml").documentElement;
  if (root.tagName !== "robot") throw new Error("The description is no URDF");
  const named = (name: string) => [...root.children].filter((each) => each.tagName === name);
  const colours = new Map(
    named("material").map((each) => [each.getAttribute("name"), colourIn(each)]),
  );
  let meshes = 0;
  const links: Link[] = named("link").slice(0, MOST_LINKS).map((element) => {
    const drawing = new Drawing();
    for (const visual of [...element.children].filter((each) => each.tagName === "visual")) {
      const shape = child(visual, "geometry")?.children[0];
      const material = child(visual, "material");
      const colour =
        colourIn(material) ?? colours.get(material?.getAttribute("name") ?? "") ?? GREY;
      const ink = { colour, opacity: 1 };
      const size = (name: string) => numbers(shape?.getAttribute(name), 1)[0]!;
      const pose = originOf(visual);
      if (shape?.tagName === "box") {
        drawing.solid("cube", pose, numbers(shape.getAttribute("size"), 3) as Triple, ink);
      } else if (shape?.tagName === "cylinder") {
        const width = 2 * size("radius");
        drawing.solid("cylinder", pose, [width, width, size("length")], ink);
      } else if (shape?.tagName === "sphere") {
        const width = 2 * size("radius");
        drawing.solid("sphere", pose, [width, width, width], ink);
      } else if (shape?.tagName === "mesh") {
        ++meshes;
      }
    }
    return { name: element.getAttribute("name") ?? "", drawing };
  });
  for (const joint of named("joint")) {
    const below = child(joint, "child")?.getAttribute("link");
    const above = child(joint, "parent")?.getAttribute("link");
    const link = links.find((each) => each.name === below);
    if (link && above) link.parent = { link: above, origin: originOf(joint) };
  }
  const notes = meshes
    ? [`${meshes} ${meshes === 1 ? "mesh is" : "meshes are"} left out: a bag has no mesh files`]
    : [];
  return { links, notes };
}
