// What the camera info beside an image says: the size of the sensor, its principal point, and the
// part of it that is rectified.

import type { Topic } from "../../api";

export interface Calibration {
  width: number;
  height: number;
  fx: number;
  fy: number;
  cx: number;
  cy: number;
  model: string;
  /** x, y, width, height; null: all of it. */
  roi: [number, number, number, number] | null;
}

/** The topic of the camera info that belongs to an image: that of the same or the nearest
    namespace above it; "": there is none. */
export function infoTopic(image: string, topics: Topic[]): string {
  const infos = topics.filter((each) => /(^|[/.])(CameraInfo|CameraCalibration)$/.test(each.type));
  const parts = image.split("/");
  for (let count = parts.length - 1; count > 0; --count) {
    const above = parts.slice(0, count).join("/");
    const found = infos.find((each) => each.topic.slice(0, each.topic.lastIndexOf("/")) === above);
    if (found) return found.topic;
  }
  return "";
}

/** null: the message does not say it. */
export function calibrationOf(value: unknown): Calibration | null {
  if (typeof value !== "object" || value === null) return null;
  const info = value as Record<string, unknown>;
  const k = (info.k ?? info.K) as ArrayLike<number> | undefined; // ROS 2, ROS 1
  const numbers = [info.width, info.height, k?.[0], k?.[4], k?.[2], k?.[5]];
  if (!numbers.every((each) => Number.isFinite(each))) return null;
  const [width, height, fx, fy, cx, cy] = numbers as [
    number, number, number, number, number, number,
  ];
  const model = String(info.distortion_model ?? "").slice(0, 40);
  return { width, height, fx, fy, cx, cy, model, roi: roiOf(info.roi) };
}

function roiOf(value: unknown): Calibration["roi"] {
  const roi = (value ?? {}) as Record<string, number>;
  const sides = [roi.x_offset, roi.y_offset, roi.width, roi.height];
  if (!sides.every((each) => Number.isFinite(each)) || !roi.width || !roi.height) return null;
  return sides as [number, number, number, number];
}

export function calibrationText({ width, height, fx, fy, cx, cy, model }: Calibration): string {
  const round = (value: number) => Number(value.toFixed(1));
  const [f, c] = [`${round(fx)}, ${round(fy)}`, `${round(cx)}, ${round(cy)}`];
  return `${width} × ${height}  f ${f} px  c ${c} px  ${model}`.trim();
}
