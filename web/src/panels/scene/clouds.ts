// Scans and clouds as points: positions and colours in flat arrays that go to the graphics card as
// they are. A cloud of a million points has to be ready within a moment, so its fields are read
// through typed arrays where they are aligned, and points that are no numbers are dropped in place.

import type { Scale } from "../scales";
import { paint, type Colour, type Legend } from "./colours";
import { fieldsOf, listOf, numberOf, numbersOf, textOf } from "./values";

export interface Points {
  count: number;
  /** x, y, z of each. */
  positions: Float32Array;
  /** Red, green and blue of each. */
  colours: Uint8Array;
  /** Of a colour scale, if there is one. */
  legend?: Legend;
}

/** How points are coloured: by a field, or flat where the field is "" or not there. */
export interface Colouring {
  field: string;
  scale: Scale;
  flat: Colour;
}

const MOST_POINTS = 8_000_000;

/** The numbers of one field of all points. */
type Column = (point: number) => number;

function coloured(
  positions: Float32Array,
  values: Float32Array | null,
  colouring: Colouring,
): Points {
  const count = positions.length / 3;
  const colours = new Uint8Array(count * 3);
  if (!values) {
    for (let i = 0; i < colours.length; ++i) colours[i] = colouring.flat[i % 3]!;
    return { count, positions, colours };
  }
  const { field, scale } = colouring;
  const { min, max } = paint(values, count, scale, colours);
  return { count, positions, colours, legend: { field, scale, min, max } };
}

/** The end points of a scan, in the frame of the scanner. Of several echoes the first counts. */
export function scanPoints(value: unknown, colouring: Colouring): Points {
  const scan = fieldsOf(value);
  const firstEcho = (list: unknown) => {
    const all = listOf(list);
    if (typeof all[0] !== "object") return numbersOf(list);
    return Float64Array.from(all, (each) => numberOf(numbersOf(fieldsOf(each).echoes)[0]));
  };
  const ranges = firstEcho(scan.ranges);
  const intensities = firstEcho(scan.intensities);
  const begin = numberOf(scan.angle_min ?? scan.start_angle);
  const end = numberOf(scan.end_angle);
  const step = numberOf(scan.angle_increment ?? (end - begin) / Math.max(1, ranges.length - 1));
  const nearest = numberOf(scan.range_min ?? 0);
  const farthest = numberOf(scan.range_max ?? Infinity);
  const most = Math.min(ranges.length, MOST_POINTS);
  const positions = new Float32Array(most * 3);
  const values =
    (colouring.field === "intensity" && intensities.length >= most) || colouring.field === "range"
      ? new Float32Array(most)
      : null;
  let count = 0;
  for (let i = 0; i < most; ++i) {
    const range = ranges[i]!;
    if (!(range >= nearest && range <= farthest && range < Infinity)) continue;
    const angle = begin + i * step;
    positions[count * 3] = range * Math.cos(angle);
    positions[count * 3 + 1] = range * Math.sin(angle);
    if (values) values[count] = colouring.field === "range" ? range : intensities[i]!;
    ++count;
  }
  return coloured(positions.subarray(0, count * 3), values, colouring);
}

const READERS = [
  undefined,
  { bytes: 1, array: Int8Array, get: "getInt8" },
  { bytes: 1, array: Uint8Array, get: "getUint8" },
  { bytes: 2, array: Int16Array, get: "getInt16" },
  { bytes: 2, array: Uint16Array, get: "getUint16" },
  { bytes: 4, array: Int32Array, get: "getInt32" },
  { bytes: 4, array: Uint32Array, get: "getUint32" },
  { bytes: 4, array: Float32Array, get: "getFloat32" },
  { bytes: 8, array: Float64Array, get: "getFloat64" },
] as const;
/** The types of sensor_msgs/PointField that foxglove.PackedElementField means. */
const FOXGLOVE_TYPES = [0, 2, 1, 4, 3, 6, 5, 7, 8];

interface Layout {
  bytes: Uint8Array;
  isBig: boolean;
  width: number;
  /** Bytes from one row and from one point to the next. */
  row: number;
  point: number;
  count: number;
  fields: Map<string, { offset: number; type: number }>;
}

function layoutOf(value: unknown): Layout {
  const cloud = fieldsOf(value);
  const { data } = cloud;
  const bytes = data instanceof Uint8Array ? data : Uint8Array.from(listOf(data), numberOf);
  const isFoxglove = cloud.point_stride !== undefined;
  const point = numberOf(cloud.point_step ?? cloud.point_stride);
  if (!(point > 0)) throw new Error("The points of the cloud have no size");
  const fields = new Map<string, { offset: number; type: number }>();
  for (const each of Array.from(listOf(cloud.fields)).slice(0, 100)) {
    const field = fieldsOf(each);
    const type = numberOf(field.datatype ?? FOXGLOVE_TYPES[numberOf(field.type)]);
    fields.set(textOf(field.name), { offset: numberOf(field.offset), type });
  }
  const width = isFoxglove ? Math.floor(bytes.length / point) : numberOf(cloud.width);
  const height = isFoxglove ? 1 : numberOf(cloud.height);
  const row = isFoxglove ? bytes.length : Math.max(numberOf(cloud.row_step) || 0, width * point);
  const count = Math.min(width * height, MOST_POINTS);
  if (!(count >= 0)) throw new Error("The cloud has no width or height");
  if (count && (Math.ceil(count / width) - 1) * row + width * point > bytes.length) {
    throw new Error(`The cloud has ${bytes.length} bytes, too few for ${width} × ${height} points`);
  }
  return { bytes, isBig: cloud.is_bigendian === true, width, row, point, count, fields };
}

/** Reads a field; undefined: the cloud has none of this name. */
function columnOf(layout: Layout, name: string): Column | undefined {
  const field = layout.fields.get(name);
  const reader = READERS[field?.type ?? 0];
  if (!field || !reader) return undefined;
  const { bytes, width, row, point } = layout;
  if (!(field.offset >= 0 && field.offset + reader.bytes <= point)) return undefined;
  const begin = bytes.byteOffset + field.offset;
  const isEven = [begin, point, row].every((each) => each % reader.bytes === 0);
  if (isEven && row === width * point && !layout.isBig) {
    const size = Math.floor((bytes.length - field.offset) / reader.bytes);
    const array = new reader.array(bytes.buffer as ArrayBuffer, begin, size);
    const step = point / reader.bytes;
    return (at) => array[at * step]!;
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const { get } = reader;
  const isLittle = !layout.isBig;
  return (at) => {
    const from = Math.floor(at / width) * row + (at % width) * point + field.offset;
    return view[get](from, isLittle);
  };
}

/** A field of all cells of foxglove.Grid, row by row; undefined: it has none of this name. */
export function cellColumn(
  value: unknown,
  columns: number,
  rows: number,
  name: string,
): Column | undefined {
  const { cell_stride, row_stride, ...grid } = fieldsOf(value);
  const layout = layoutOf({ ...grid, point_stride: cell_stride });
  const row = numberOf(row_stride);
  return columnOf({ ...layout, width: columns, row, count: columns * rows }, name);
}

/** Names of the fields that a cloud can be coloured by. */
export function cloudFields(value: unknown): string[] {
  const { fields, channels } = fieldsOf(value);
  const names = Array.from(listOf(fields ?? channels)).slice(0, 100);
  const own = names.map((each) => textOf(fieldsOf(each).name)).filter((name) => name !== "");
  return [...new Set(channels === undefined ? own : ["x", "y", "z", ...own])];
}

/** The points of sensor_msgs/PointCloud2 or foxglove.PointCloud. Throws an Error that says why they
    cannot be shown. */
export function cloudPoints(value: unknown, colouring: Colouring): Points {
  const layout = layoutOf(value);
  const [x, y, z] = ["x", "y", "z"].map((name) => columnOf(layout, name));
  if (!x || !y) throw new Error("The points of the cloud have no x and y");
  const { field } = colouring;
  const packed = field === "rgb" || field === "rgba" ? layout.fields.get(field) : undefined;
  const isPacked = packed !== undefined && columnOf(layout, field) !== undefined;
  const of = isPacked ? undefined : columnOf(layout, field);
  const positions = new Float32Array(layout.count * 3);
  const values = of ? new Float32Array(layout.count) : null;
  const packedColours = isPacked ? new Uint8Array(layout.count * 3) : null;
  const { bytes, width, row, point } = layout;
  let count = 0;
  for (let i = 0; i < layout.count; ++i) {
    const px = x(i);
    const py = y(i);
    const pz = z ? z(i) : 0;
    const sum = px + py + pz;
    if (sum - sum !== 0) continue; // not a number, or infinite
    const to = count * 3;
    positions[to] = px;
    positions[to + 1] = py;
    positions[to + 2] = pz;
    if (values) values[count] = of!(i);
    if (packedColours) {
      const from = Math.floor(i / width) * row + (i % width) * point + packed!.offset;
      for (let c = 0; c < 3; ++c) {
        packedColours[to + c] = bytes[from + (layout.isBig ? 1 + c : 2 - c)]!;
      }
    }
    ++count;
  }
  const used = positions.subarray(0, count * 3);
  if (packedColours) {
    return { count, positions: used, colours: packedColours.subarray(0, count * 3) };
  }
  return coloured(used, values, colouring);
}

/** The points of sensor_msgs/PointCloud, whose fields are lists of their own. */
export function oldCloudPoints(value: unknown, colouring: Colouring): Points {
  const { points, channels } = fieldsOf(value);
  const list = listOf(points);
  const channel = Array.from(listOf(channels)).map(fieldsOf)
    .find((each) => textOf(each.name) === colouring.field);
  const axis = ["x", "y", "z"].indexOf(colouring.field);
  const of = channel ? numbersOf(channel.values) : null;
  const most = Math.min(list.length, MOST_POINTS);
  const positions = new Float32Array(most * 3);
  const values = of || axis >= 0 ? new Float32Array(most) : null;
  let count = 0;
  for (let i = 0; i < most; ++i) {
    const { x, y, z } = fieldsOf(list[i]);
    const point = [numberOf(x), numberOf(y), numberOf(z)];
    const sum = point[0]! + point[1]! + point[2]!;
    if (sum - sum !== 0) continue;
    positions.set(point, count * 3);
    if (values) values[count] = of ? of[i]! : point[axis]!;
    ++count;
  }
  return coloured(positions.subarray(0, count * 3), values, colouring);
}
