// foxglove.Grid: a picture on the floor of cells that have fields, as the points of a cloud have.
// It is coloured by its red, green and blue if it has them, or else by one field.

import type { Transform } from "../../player/transforms";
import { cellColumn, type Colouring } from "./clouds";
import { paint, type Legend } from "./colours";
import type { Picture } from "./grids";
import { fieldsOf, numberOf, poseOf } from "./values";

const MOST_CELLS = 1 << 24;

export interface Cells {
  picture: Picture;
  /** Metres. */
  width: number;
  height: number;
  /** Of the corner with the first cell. */
  origin: Transform;
  legend?: Legend;
}

/** Throws an Error that says why it cannot be shown. */
export function cellsOf(value: unknown, names: string[], colouring: Colouring): Cells {
  const grid = fieldsOf(value);
  const { data } = grid;
  const [columns, stride] = [grid.column_count, grid.row_stride].map((each) =>
    Math.floor(numberOf(each)),
  ) as [number, number];
  const size = fieldsOf(grid.cell_size);
  const [x, y] = [numberOf(size.x), numberOf(size.y)];
  const bytes = data instanceof Uint8Array ? data.length : 0;
  const rows = Math.floor(bytes / stride);
  const origin = poseOf(grid.pose);
  if (!(columns > 0 && rows > 0)) throw new Error("The grid is empty");
  if (!(x > 0 && y > 0 && x + y < Infinity)) throw new Error("The cells of the grid have no size");
  if (columns * rows > MOST_CELLS) throw new Error(`The grid is too large: ${columns} × ${rows}`);
  if (!(numberOf(grid.cell_stride) * columns <= stride)) {
    throw new Error("The rows of the grid are shorter than their cells");
  }
  if (!origin) throw new Error("The origin of the grid is no pose");
  const count = columns * rows;
  const column = (name: string) => cellColumn(value, columns, rows, name);
  const pixels = new Uint8Array(count * 4);
  const found = { width: columns * x, height: rows * y, origin };
  const picture = { width: columns, height: rows, pixels };
  const chosen = colouring.field ? column(colouring.field) : undefined;
  const parts = ["red", "green", "blue"].map(column);
  if (!chosen && parts.every((part) => part !== undefined)) {
    const alpha = column("alpha");
    for (let i = 0; i < count; ++i) {
      parts.forEach((part, c) => (pixels[i * 4 + c] = part!(i)));
      pixels[i * 4 + 3] = alpha ? alpha(i) : 255;
    }
    return { picture, ...found };
  }
  const field = chosen ? colouring.field : (names[0] ?? "");
  const of = chosen ?? column(field);
  if (!of) throw new Error("The cells of the grid have no fields");
  const values = Float32Array.from({ length: count }, (_, i) => of(i));
  const colours = new Uint8Array(count * 3);
  const { scale } = colouring;
  const { min, max } = paint(values, count, scale, colours);
  for (let i = 0; i < count; ++i) {
    pixels.set(colours.subarray(i * 3, i * 3 + 3), i * 4);
    pixels[i * 4 + 3] = Number.isNaN(values[i]) ? 0 : 255;
  }
  return { picture, ...found, legend: { field, scale, min, max } };
}
