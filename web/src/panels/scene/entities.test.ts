import { describe, expect, it } from "vitest";

import { cellsOf } from "./cells";
import type { Colouring } from "./clouds";
import { Drawing } from "./drawing";
import { drawEntity, Entities } from "./entities";

const pose = { position: { x: 1, y: 2, z: 3 }, orientation: { x: 0, y: 0, z: 0, w: 1 } };
const red = { r: 1, g: 0, b: 0, a: 1 };
const size = { x: 1, y: 1, z: 1 };

function entity(id: string, sec: number, more: object = {}) {
  return { id, frame_id: "map", timestamp: { sec, nsec: 0 }, cubes: [{ pose, size, color: red }],
    ...more };
}

function ids(entities: Entities): number {
  return entities.groups().reduce((sum, { drawing }) => sum + drawing.solids.size, 0);
}

describe("Entities", () => {
  it("replaces one of the same id and deletes by id, stamp or all", () => {
    const entities = new Entities();
    entities.take({ entities: [entity("a", 10), entity("a", 11), entity("b", 12)] }, 0, 0);
    expect(entities.size).toBe(2);
    entities.take({ deletions: [{ timestamp: { sec: 10, nsec: 0 }, type: 0, id: "a" }] }, 0, 0);
    expect(entities.size).toBe(2); // the one that stands is later
    entities.take({ deletions: [{ timestamp: { sec: 11, nsec: 0 }, type: 0, id: "a" }] }, 0, 0);
    expect(entities.size).toBe(1);
    entities.take({ deletions: [{ type: 1 }], entities: [entity("c", 13)] }, 0, 0);
    expect(entities.size).toBe(1); // what comes with a deletion stands after it
    expect(ids(entities)).toBe(1);
  });

  it("lets one go after its lifetime, in both spellings", () => {
    const entities = new Entities();
    entities.take({ entities: [entity("a", 1, { lifetime: { sec: 1, nsec: 5e8 } })] }, 2, 0);
    entities.take({ entities: [entity("b", 1, { lifetime: { seconds: 3, nanos: 0 } })] }, 2, 0);
    entities.take({ entities: [entity("c", 1, { lifetime: { sec: 0, nsec: 0 } })] }, 2, 0);
    entities.expire(3.6);
    expect(entities.size).toBe(2);
    entities.expire(100);
    expect(entities.size).toBe(1);
  });

  it("draws lines by their indices and their type", () => {
    const points = [{ x: 0, y: 0, z: 0 }, { x: 1, y: 0, z: 0 }, { x: 1, y: 1, z: 0 }];
    const lines = (type: number, more: object = {}) => {
      const drawing = new Drawing();
      drawEntity({ lines: [{ type, pose, points, color: red, ...more }] }, drawing);
      return drawing.lines.length / 6;
    };
    expect([lines(0), lines(1), lines(2)]).toEqual([2, 3, 1]);
    expect(lines(0, { indices: [0, 2, 1, 0] })).toBe(3);
    expect(lines(0, { indices: [0, 7] })).toBe(0);
  });

  it("takes what is no scene without a word", () => {
    const entities = new Entities();
    entities.take({ entities: [null, 3, { id: "x", cubes: "all", lines: [{ pose }] }] }, 0, 0);
    entities.take({ deletions: 7, entities: { length: 1e9 } }, 0, 0);
    expect(entities.groups().every(({ drawing }) => drawing.solids.size === 0)).toBe(true);
  });
});

describe("cells of a grid", () => {
  const colouring: Colouring = { field: "", scale: "viridis", flat: [0, 0, 0] };
  const grid = (fields: object[], data: number[], more: object = {}) => ({
    pose, column_count: 2, cell_size: { x: 0.5, y: 0.25 }, row_stride: 5, cell_stride: 2,
    fields, data: Uint8Array.from(data), ...more,
  });
  const height = [{ name: "height", offset: 1, type: 1 }];

  it("are coloured by a field, with the bytes between rows left out", () => {
    const value = grid(height, [0, 10, 0, 20, 99, 0, 30, 0, 10, 99]);
    const { picture, width, height: high, legend } = cellsOf(value, ["height"], colouring);
    expect([picture.width, picture.height, width, high]).toEqual([2, 2, 1, 0.5]);
    expect(legend).toEqual({ field: "height", scale: "viridis", min: 10, max: 30 });
    expect([...picture.pixels.subarray(0, 4)]).toEqual([0x44, 0x01, 0x54, 255]);
    expect([...picture.pixels.subarray(8, 12)]).toEqual([0xfd, 0xe7, 0x25, 255]);
  });

  it("have their own colours, if there are three", () => {
    const fields = ["red", "green", "blue"].map((name, offset) => ({ name, offset, type: 1 }));
    const value = grid(fields, [1, 2, 3, 4, 5, 6], { row_stride: 6, cell_stride: 3 });
    const { picture } = cellsOf(value, ["red", "green", "blue"], colouring);
    expect([...picture.pixels]).toEqual([1, 2, 3, 255, 4, 5, 6, 255]);
  });

  it("say why they cannot be shown", () => {
    const of = (more: object) => () => cellsOf(grid(height, [1, 2, 3, 4, 5], more), [], colouring);
    expect(of({ column_count: 0 })).toThrow("empty");
    expect(of({ column_count: 9 })).toThrow("shorter");
    expect(of({ cell_size: {} })).toThrow("no size");
    expect(of({ pose: {} })).toThrow("no pose");
    expect(of({ fields: [] })).toThrow("no fields");
    expect(of({ cell_stride: 0 })).toThrow();
  });
});
