import { expect, test } from "vitest";

import { AROUND, draw, type Frame, type Stroke } from "./draw";

/** A context that notes what it is told. */
function paper() {
  const calls: [string, ...unknown[]][] = [];
  const note = (name: string) => (...words: unknown[]) => void calls.push([name, ...words]);
  const context = new Proxy({} as Record<string, unknown>, {
    get: (kept, name: string) =>
      name === "measureText"
        ? (text: string) => ({ width: 7 * text.length })
        : (kept[name] ?? note(name)),
  });
  return { calls, context: context as unknown as CanvasRenderingContext2D };
}

const look = { series: () => "red", text: "", grid: "", font: "" };
const frame = (strokes: Stroke[]): Frame => ({
  width: 100 + AROUND.left + AROUND.right,
  height: 100 + AROUND.top + AROUND.bottom,
  ratio: 1,
  x: { min: 0, max: 10 },
  y: { min: 0, max: 10 },
  isTime: true,
  strokes,
  look,
});
const curve = (values: (number | null)[]) => ({ times: values.map((_, i) => i), values });
const [left, top] = [AROUND.left, AROUND.top];

function lines(strokes: Stroke[]) {
  const { calls, context } = paper();
  draw(context, frame(strokes));
  return calls.filter(([name]) => name === "moveTo" || name === "lineTo");
}

test("a line from value to value, with gaps", () => {
  const stroke: Stroke = { curve: curve([0, 10, null, 5]), colour: "", style: "lines" };
  expect(lines([stroke])).toEqual([
    ["moveTo", left, top + 100],
    ["lineTo", left + 10, top],
    ["moveTo", left + 30, top + 50],
    ["lineTo", left + 31.5, top + 50], // a value alone is seen
  ]);
});

test("labels of times do not touch each other, however long the bag and narrow the plot", () => {
  for (const length of [1e-3, 0.02, 3, 60, 5e3, 9e4, 4e6, 3e7, 3e9]) {
    for (const width of [120, 200, 333, 1200, 3800]) {
      const { calls, context } = paper();
      const at = { ...frame([]), width, x: { min: length * 0.3, max: length * 1.3 } };
      draw(context, at);
      const labels = calls.filter((call) => call[0] === "fillText" && Number(call[3]) > 110);
      const ends = labels.map(([, text, x]) => {
        const half = (7 * (text as string).length) / 2;
        return [Number(x) - half, Number(x) + half] as const;
      });
      expect(labels.length, `${length} ${width}`).toBeGreaterThan(0);
      for (let i = 1; i < ends.length; ++i) {
        expect(ends[i]![0], `${length} ${width}`).toBeGreaterThan(ends[i - 1]![1]);
      }
    }
  }
});

test("steps", () => {
  const stroke: Stroke = { curve: curve([0, 10]), colour: "", style: "steps" };
  expect(lines([stroke])).toEqual([
    ["moveTo", left, top + 100],
    ["lineTo", left + 10, top + 100],
    ["lineTo", left + 10, top],
  ]);
});

// Ten million messages are as many parts as the plot is wide: 960 at 1920 pixels, and as many on
// its sides. A canvas takes a million segments a second many times over.
test("a plot of a long bag draws as many points as it has pixels", () => {
  const values = Array.from({ length: 1920 }, (_, i) => Math.sin(i / 50) * 5 + 5);
  const wide = { ...curve(values), low: values.map((v) => v - 1), high: values.map((v) => v + 1) };
  const strokes = Array.from({ length: 4 }, (): Stroke => {
    return { curve: wide, colour: "", style: "lines" };
  });
  const { calls, context } = paper();
  draw(context, frame(strokes));
  expect(calls.filter(([name]) => name === "lineTo").length).toBeLessThan(4 * 3 * 1920);
});
