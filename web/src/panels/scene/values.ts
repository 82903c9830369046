// Fields of messages as what they should be. A bag may say anything: what is missing or of another
// type is NaN, an empty text or an empty list, and is left out of the picture later.

import { frameName, normalized } from "../../player/transforms";
import type { Quaternion, Transform, Triple } from "../../player/transforms";
import { stampOf } from "../../player/transform_feed";

export type Fields = Record<string, unknown>;

export function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : {};
}

export function numberOf(value: unknown): number {
  if (typeof value === "number") return value;
  return typeof value === "bigint" || typeof value === "boolean" ? Number(value) : NaN;
}

export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** A list, or a typed array, of which nothing is known but its length. */
export function listOf(value: unknown): ArrayLike<unknown> {
  if (Array.isArray(value)) return value;
  return ArrayBuffer.isView(value) && "length" in value ? (value as Uint8Array) : [];
}

/** Numbers; those of a typed array are not copied. */
export function numbersOf(value: unknown): ArrayLike<number> {
  const list = listOf(value);
  return ArrayBuffer.isView(list) && !(list instanceof BigInt64Array)
    ? (list as unknown as Float64Array)
    : Float64Array.from(list, numberOf);
}

/** A point or vector with x, y and z; without z it is flat. */
export function tripleOf(value: unknown): Triple {
  const { x, y, z = 0 } = fieldsOf(value);
  return [numberOf(x), numberOf(y), numberOf(z)];
}

export function isFinite3(point: ArrayLike<number>): boolean {
  return Number.isFinite(point[0]! + point[1]! + point[2]!);
}

/** A pose; null: a number of it is none. A rotation that is all zero, as when nobody set it, turns
    nothing. */
export function poseOf(value: unknown): Transform | null {
  const { position, orientation } = fieldsOf(value);
  const translation = tripleOf(position);
  const { x, y, z, w } = fieldsOf(orientation);
  const turn = [x, y, z, w].map((each) => numberOf(each ?? 0)) as Quaternion;
  if (!isFinite3(translation) || !turn.every(Number.isFinite)) return null;
  return { translation, rotation: normalized(turn) ?? [0, 0, 0, 1] };
}

/** Where and when a message is: its frame, and its stamp in seconds since the start of the bag;
    null: it has none, so that it is now. */
export interface Where {
  frame: string;
  stamp: number | null;
}

export function whereOf(value: unknown, origin: number): Where {
  const { header, frame_id, timestamp } = fieldsOf(value);
  const fields = fieldsOf(header);
  return {
    frame: frameName(fields.frame_id ?? frame_id),
    stamp: stampOf(fields.stamp ?? timestamp, origin),
  };
}
