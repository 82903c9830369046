// The entities of foxglove.SceneUpdate: each is replaced as a whole by another of its id, and
// deleted by id or together with all others, but not by a deletion that is older than it.

import { apply, type Triple } from "../../player/transforms";
import { stampOf } from "../../player/transform_feed";
import type { Colour } from "./colours";
import type { Drawing } from "./drawing";
import { inkOf, Markers, MOST_POINTS } from "./markers";
import { fieldsOf, listOf, numberOf, poseOf, textOf, tripleOf, type Fields } from "./values";

const ALL = 1; // of deletions
const [LINE_LOOP, LINE_LIST] = [1, 2];
const MOST_SHAPES = 50_000;

export class Entities extends Markers {
  override take(value: unknown, time: number, origin: number): void {
    const { deletions, entities } = fieldsOf(value);
    each(deletions, (deletion) => {
      const until = stampOf(deletion.timestamp, origin) ?? Infinity;
      if (numberOf(deletion.type) === ALL) this.dropUntil(until);
      else this.drop(textOf(deletion.id), until);
    });
    each(entities, (fields) => this.keep(textOf(fields.id), fields, time, origin));
    this.isChanged = true;
  }

  protected override draw(fields: Fields, drawing: Drawing): void {
    drawEntity(fields, drawing);
  }
}

function each(list: unknown, take: (fields: Fields) => void): void {
  const all = listOf(list);
  for (let i = 0; i < Math.min(all.length, MOST_SHAPES); ++i) take(fieldsOf(all[i]));
}

export function drawEntity(entity: Fields, drawing: Drawing): void {
  const shapes = (list: unknown, draw: (fields: Fields, pose: Pose) => void) =>
    each(list, (fields) => {
      const pose = poseOf(fields.pose);
      if (pose) draw(fields, pose);
      else drawing.note(`${textOf(entity.id)} has a pose with numbers that are none`);
    });
  shapes(entity.arrows, (arrow, pose) => {
    const length = numberOf(arrow.shaft_length) + numberOf(arrow.head_length);
    const width = Math.max(numberOf(arrow.shaft_diameter), numberOf(arrow.head_diameter));
    drawing.arrow(pose, length, width, inkOf(arrow.color));
  });
  shapes(entity.cubes, ({ size, color }, pose) =>
    drawing.solid("cube", pose, tripleOf(size), inkOf(color)),
  );
  shapes(entity.spheres, ({ size, color }, pose) =>
    drawing.solid("sphere", pose, tripleOf(size), inkOf(color)),
  );
  shapes(entity.cylinders, ({ size, color, bottom_scale = 1, top_scale = 1 }, pose) => {
    const scales = [numberOf(bottom_scale), numberOf(top_scale)];
    if (scales[0] !== scales[1]) drawing.note("cones are shown as cylinders of their wider end");
    const [x, y, z] = tripleOf(size);
    const wide = Math.max(...scales);
    drawing.solid("cylinder", pose, [x * wide, y * wide, z], inkOf(color));
  });
  shapes(entity.lines, (lines, pose) => drawLines(lines, pose, drawing));
  shapes(entity.triangles, (triangles, pose) => {
    const { count, placed, colour } = pointsOf(triangles, pose);
    for (let i = 0; i + 2 < count; i += 3) {
      const corners = [i, i + 1, i + 2];
      drawing.triangle(corners.map(placed), corners.map(colour));
    }
  });
  shapes(entity.texts, ({ text, font_size, color }, pose) =>
    drawing.text(textOf(text), pose.translation, numberOf(font_size), inkOf(color)),
  );
  shapes(entity.models, ({ url, color }, pose) => {
    drawing.text("model", pose.translation, 0.15, inkOf(color));
    drawing.note(`models are not shown: ${textOf(url) || "one in the message"}`);
  });
}

type Pose = NonNullable<ReturnType<typeof poseOf>>;

/** The points that the indices name, or all in their order, each with its colour. */
function pointsOf({ points, indices, colors, color }: Fields, pose: Pose) {
  const list = listOf(points);
  const named = listOf(indices);
  const inks = listOf(colors);
  const one = inkOf(color).colour;
  const at = (i: number) => (named.length ? numberOf(named[i]) : i);
  return {
    count: Math.min(named.length || list.length, MOST_POINTS),
    placed: (i: number): Triple => apply(pose, tripleOf(list[at(i)])),
    colour: (i: number): Colour =>
      inks.length && inks.length === list.length ? inkOf(inks[at(i)]).colour : one,
  };
}

function drawLines(lines: Fields, pose: Pose, drawing: Drawing): void {
  const { count, placed, colour } = pointsOf(lines, pose);
  const type = numberOf(lines.type ?? 0);
  const step = type === LINE_LIST ? 2 : 1;
  for (let i = 1; i < count; i += step) {
    drawing.line(placed(i - 1), placed(i), colour(i - 1), colour(i));
  }
  if (type === LINE_LOOP && count > 2) {
    drawing.line(placed(count - 1), placed(0), colour(count - 1), colour(0));
  }
}
