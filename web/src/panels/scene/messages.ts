// Messages that become a drawing by themselves: paths, poses, odometry, polygons and such.

import type { Transform, Triple } from "../../player/transforms";
import type { Colour } from "./colours";
import { Drawing } from "./drawing";
import { fieldsOf, isFinite3, listOf, numberOf, numbersOf, poseOf, tripleOf } from "./values";

const MOST_POSES = 200_000;
const FLAT: Transform["rotation"] = [0, 0, 0, 1];

type Draw = (value: unknown, drawing: Drawing, colour: Colour) => void;

const path: Draw = (value, drawing, colour) => {
  const poses = listOf(fieldsOf(value).poses);
  const points: Triple[] = [];
  for (let i = 0; i < Math.min(poses.length, MOST_POSES); ++i) {
    const { pose } = fieldsOf(poses[i]);
    const point = tripleOf(fieldsOf(pose).position);
    if (isFinite3(point)) points.push(point);
  }
  drawing.strip(points, colour);
};

const pose: Draw = (value, drawing, colour) => {
  const at = poseOf(fieldsOf(value).pose);
  if (at) drawing.arrow(at, 0.5, 0.14, { colour, opacity: 1 });
  else drawing.note("the pose has numbers that are none");
};

const poses: Draw = (value, drawing, colour) => {
  const list = listOf(fieldsOf(value).poses);
  for (let i = 0; i < Math.min(list.length, MOST_POSES); ++i) {
    const at = poseOf(list[i]);
    if (at) drawing.arrow(at, 0.3, 0.08, { colour, opacity: 1 });
  }
};

/** Half axes of the ellipse of two standard deviations, and the angle of the first one. */
export function ellipseOf(xx: number, xy: number, yy: number): [number, number, number] {
  const middle = (xx + yy) / 2;
  const spread = Math.hypot((xx - yy) / 2, xy);
  const axis = (variance: number) => 2 * Math.sqrt(Math.max(0, variance));
  return [axis(middle + spread), axis(middle - spread), Math.atan2(2 * xy, xx - yy) / 2];
}

/** A pose, and how uncertain its x and y are. */
const uncertainPose: Draw = (value, drawing, colour) => {
  const { pose: inner, covariance } = fieldsOf(fieldsOf(value).pose);
  pose({ pose: inner }, drawing, colour);
  const at = poseOf(inner);
  const numbers = numbersOf(covariance);
  if (!at || numbers.length < 36) return;
  const [a, b, angle] = ellipseOf(numbers[0]!, numbers[1]!, numbers[7]!);
  // Larger ones mean that nobody knows, and would hide everything.
  if (!(a > 0.01 && a < 100)) return;
  const rotation: Transform["rotation"] = [0, 0, Math.sin(angle / 2), Math.cos(angle / 2)];
  const ink = { colour, opacity: 0.25 };
  drawing.solid("cylinder", { ...at, rotation }, [2 * a, 2 * b, 0.01], ink);
};

const polygon: Draw = (value, drawing, colour) => {
  const points = listOf(fieldsOf(fieldsOf(value).polygon).points);
  const corners = Array.from({ length: Math.min(points.length, MOST_POSES) }, (_, i) =>
    tripleOf(points[i]),
  );
  drawing.strip(corners.filter(isFinite3), colour, true);
};

const point: Draw = (value, drawing, colour) => {
  const translation = tripleOf(fieldsOf(value).point);
  drawing.solid("sphere", { translation, rotation: FLAT }, [0.2, 0.2, 0.2], { colour, opacity: 1 });
};

const gridCells: Draw = (value, drawing, colour) => {
  const { cell_width, cell_height, cells } = fieldsOf(value);
  const list = listOf(cells);
  const scale: Triple = [numberOf(cell_width), numberOf(cell_height), 0.005];
  for (let i = 0; i < Math.min(list.length, MOST_POSES); ++i) {
    const at = { translation: tripleOf(list[i]), rotation: FLAT };
    drawing.solid("cube", at, scale, { colour, opacity: 0.8 });
  }
};

/** A sonar or infrared beam. One that sees nothing says so by a range beyond its greatest. */
const range: Draw = (value, drawing, colour) => {
  const { range: seen, field_of_view, max_range } = fieldsOf(value);
  const length = Math.min(numberOf(seen), numberOf(max_range));
  const width = 2 * length * Math.tan(Math.min(numberOf(field_of_view), 3) / 2);
  const at = { translation: [0, 0, 0] as Triple, rotation: FLAT };
  drawing.solid("cone", at, [length, width, width], { colour, opacity: 0.4 });
};

/** By the types that they draw. */
export const draws: Record<string, Draw> = {
  "nav_msgs/Path": path,
  "geometry_msgs/PoseStamped": pose,
  "foxglove/PoseInFrame": pose,
  "geometry_msgs/PoseArray": poses,
  "foxglove/PosesInFrame": poses,
  "geometry_msgs/PoseWithCovarianceStamped": uncertainPose,
  "nav_msgs/Odometry": uncertainPose,
  "geometry_msgs/PolygonStamped": polygon,
  "geometry_msgs/PointStamped": point,
  "nav_msgs/GridCells": gridCells,
  "sensor_msgs/Range": range,
};

/** The way that odometry went, as far as the page holds it. */
export function drawTrail(values: unknown[], drawing: Drawing, colour: Colour): void {
  const points = values.map((value) =>
    tripleOf(fieldsOf(fieldsOf(fieldsOf(value).pose).pose).position),
  );
  drawing.strip(points.filter(isFinite3), colour);
}
