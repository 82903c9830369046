// Occupancy grids as pictures that lie on the floor. Cells say how likely they are occupied, in
// percent; -1 is unknown. A map is drawn as on paper; a costmap by cost, as people know it from
// rviz: blue to red, cyan where the robot would touch, purple where it cannot be.

import type { Transform } from "../../player/transforms";
import { fieldsOf, numberOf, numbersOf, poseOf } from "./values";

export type Palette = "map" | "costmap";

export interface Grid {
  width: number;
  height: number;
  /** Metres of a cell. */
  resolution: number;
  /** Of the corner with the first cell. */
  origin: Transform;
  cells: Int8Array;
}

const MOST_CELLS = 1 << 26;

function cellsOf(value: unknown, count: number): Int8Array {
  const data = numbersOf(value);
  if (data.length < count) throw new Error(`The grid has ${data.length} cells, not ${count}`);
  return data instanceof Int8Array ? data.slice(0, count) : Int8Array.from(data).slice(0, count);
}

/** A grid of nav_msgs/OccupancyGrid. Throws an Error that says why it cannot be shown. */
export function gridOf(value: unknown): Grid {
  const { info, data } = fieldsOf(value);
  const fields = fieldsOf(info);
  const [width, height] = [numberOf(fields.width), numberOf(fields.height)];
  const resolution = numberOf(fields.resolution);
  const origin = poseOf(fields.origin);
  if (!(width > 0 && height > 0 && resolution > 0 && resolution < Infinity)) {
    throw new Error("The grid is empty");
  }
  if (width * height > MOST_CELLS) throw new Error(`The grid is too large: ${width} × ${height}`);
  if (!origin) throw new Error("The origin of the grid is no pose");
  return { width, height, resolution, origin, cells: cellsOf(data, width * height) };
}

/** Puts a map_msgs/OccupancyGridUpdate into a grid; false: it lies outside. */
export function updateGrid(grid: Grid, value: unknown): boolean {
  const update = fieldsOf(value);
  const [x, y] = [numberOf(update.x), numberOf(update.y)];
  const [width, height] = [numberOf(update.width), numberOf(update.height)];
  const isInside =
    x >= 0 && y >= 0 && width > 0 && height > 0 &&
    x + width <= grid.width && y + height <= grid.height;
  if (!isInside) return false;
  const cells = numbersOf(update.data);
  if (cells.length < width * height) return false;
  for (let row = 0; row < height; ++row) {
    for (let i = 0; i < width; ++i) {
      grid.cells[(y + row) * grid.width + x + i] = cells[row * width + i]!;
    }
  }
  return true;
}

/** Red, green, blue and alpha of the 256 values that a cell may have, by its byte. */
export function paletteOf(palette: Palette, isDark: boolean): Uint8Array {
  const table = new Uint8Array(256 * 4);
  const put = (value: number, r: number, g: number, b: number, a: number) =>
    table.set([r, g, b, a], (value & 255) * 4);
  if (palette === "map") {
    for (let value = 0; value <= 100; ++value) {
      const part = value / 100;
      const grey = isDark ? 48 + (225 - 48) * part : 250 - (250 - 20) * part;
      put(value, grey, grey, grey, 255);
    }
    for (let value = 101; value < 255; ++value) put(value, 213, 94, 0, 255); // not defined
    put(-1, 128, 128, 128, 50);
    return table;
  }
  for (let value = 1; value <= 98; ++value) put(value, value * 2.55, 0, 255 - value * 2.55, 180);
  put(99, 0, 255, 255, 220);
  put(100, 200, 0, 220, 220);
  for (let value = 101; value < 255; ++value) put(value, 0, 160, 0, 180);
  put(-1, 112, 137, 134, 90);
  return table;
}

export interface Picture {
  width: number;
  height: number;
  /** RGBA; the first row is at the origin. */
  pixels: Uint8Array;
}

/** The picture of a grid with at most `most` pixels in each direction; of cells that share a pixel
    the most occupied counts, so that walls do not vanish. */
export function pictureOf(grid: Grid, table: Uint8Array, most = 4096): Picture {
  const step = Math.ceil(Math.max(grid.width, grid.height) / most);
  const width = Math.ceil(grid.width / step);
  const height = Math.ceil(grid.height / step);
  const pixels = new Uint8Array(width * height * 4);
  const colours = new Uint32Array(table.buffer, table.byteOffset, 256);
  const out = new Uint32Array(pixels.buffer);
  for (let y = 0; y < height; ++y) {
    for (let x = 0; x < width; ++x) {
      let cell = -128;
      for (let v = y * step; v < Math.min(grid.height, (y + 1) * step); ++v) {
        for (let u = x * step; u < Math.min(grid.width, (x + 1) * step); ++u) {
          cell = Math.max(cell, grid.cells[v * grid.width + u]!);
        }
      }
      out[y * width + x] = colours[cell & 255]!;
    }
  }
  return { width, height, pixels };
}
