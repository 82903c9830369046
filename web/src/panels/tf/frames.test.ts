import { expect, test } from "vitest";

import { Transforms, type Quaternion } from "../../player/transforms";
import { lookUp, nearest, Publishers, rollPitchYaw, treeOf } from "./frames";

function transforms(...pairs: [string, string, number?][]): Transforms {
  const all = new Transforms();
  for (const [parent, child, stamp] of pairs) {
    all.add({
      parent,
      child,
      transform: { translation: [1, 0, 0], rotation: [0, 0, 0, 1] },
      stamp: stamp ?? 0,
      time: stamp ?? 0,
      isStatic: stamp === undefined,
      topic: "/tf",
    });
  }
  return all;
}

test("a tree, depth first, its children by name", () => {
  const robot: [string, string][] = [["odom", "base"], ["base", "b"], ["base", "a"]];
  const all = transforms(["map", "odom"], ...robot, ["x", "y"]);
  const rows = treeOf(all, 0).map((row) => [row.depth, row.frame, row.parent]);
  expect(rows).toEqual([
    [0, "map", ""],
    [1, "odom", "map"],
    [2, "base", "odom"],
    [3, "a", "base"],
    [3, "b", "base"],
    [0, "x", ""],
    [1, "y", "x"],
  ]);
});

test("frames that are each other's parents are shown, once", () => {
  const rows = treeOf(transforms(["a", "b"], ["b", "a"], ["b", "c"]), 0);
  expect(rows.map((row) => row.frame).sort()).toEqual(["a", "b", "c"]);
  expect(rows.every((row) => row.problem === "its parents go around in a circle")).toBe(true);
});

test("a frame with two parents says so", () => {
  const all = transforms(["odom", "base", 0], ["map", "base", 0.1], ["odom", "base", 0.2]);
  const row = treeOf(all, 0.2).find((each) => each.frame === "base");
  expect(row?.problem).toBe("it has had 2 parents: odom, map");
  expect(lookUp(all, "base", "odom", 0.2)).toMatchObject({
    found: { transform: { translation: [1, 0, 0] } },
    notes: ["base: it has had 2 parents: odom, map"],
  });
});

test("why there is no transform", () => {
  const all = transforms(["map", "base_link", 1], ["world", "tree"]);
  const why = (of: string, into: string, stamp = 1) => lookUp(all, of, into, stamp).notes;
  expect(why("base_lnk", "map")).toEqual([
    "No message up to here has the frame base_lnk; there is base_link",
  ]);
  expect(why("zzzzzzzz", "zzzzzzzz")).toEqual(["No message up to here has the frame zzzzzzzz"]);
  expect(lookUp(all, "x", "map", 1, 64.05).notes[0]).toContain("No message from 1:04.1 on has");
  expect(why("tree", "map")[0]).toContain("one is below world, the other below map");
  expect(why("base_link", "map", 5)[0]).toContain("is known only before 1.00 s");
  expect(why("base_link", "map", -3)[0]).toContain("is known only after 1.00 s");
  expect(why("base_link", "map", 1.25)).toEqual(["The nearest transform is 0.250 s older"]);
  expect(why("base_link", "map")).toEqual([]);
});

test("names that are near", () => {
  const names = ["base_link", "base_footprint", "camera_link", "odom"];
  expect(nearest("baselink", names)[0]).toBe("base_link");
  expect(nearest("BASE", names)).toEqual(["base_footprint", "base_link"]);
  expect(nearest("", names)).toEqual([]);
});

test("roll, pitch and yaw", () => {
  const half = Math.SQRT1_2;
  const turns: [Quaternion, number[]][] = [
    [[0, 0, half, half], [0, 0, 90]],
    [[half, 0, 0, half], [90, 0, 0]],
    [[0, half, 0, half], [0, 90, 0]],
    [[0, 0, 1, 0], [0, 0, 180]],
  ];
  for (const [turn, wanted] of turns) {
    const near = rollPitchYaw(turn);
    if (wanted[1] === 90) expect(near[1]).toBeCloseTo(90, 5);
    else near.forEach((each, i) => expect(each).toBeCloseTo(wanted[i]!, 9));
  }
});

test("who publishes how often, up to the instant", () => {
  const message = (time: number) => {
    const transform = { translation: { x: 0, y: 0, z: 0 }, rotation: { x: 0, y: 0, z: 0, w: 1 } };
    const one = { header: { frame_id: "map" }, child_frame_id: "/base", transform };
    return { topic: "/tf", time, value: { transforms: [one] }, bytes: 1 };
  };
  const all = Array.from({ length: 100 }, (_, i) => message(i / 10));
  const feed = {
    time: 5,
    origin: 0,
    covered: { start: 0, end: 10 },
    between: (_: string, after: number, until: number) =>
      all.filter(({ time }) => time > after && time <= until),
  };
  const topic = { topic: "/tf", type: "tf2_msgs/msg/TFMessage", messages: 100, latched: 0 };
  const publishers = new Publishers(feed as never, [topic]);
  const base = publishers.update().get("base")!;
  expect([base.time, base.topic, base.parent, base.isStatic]).toEqual([5, "/tf", "map", false]);
  expect(base.rate).toBeCloseTo(10, 9);
  feed.time = 2;
  expect(publishers.update().get("base")?.time).toBe(2);
  feed.time = 9.05;
  expect(publishers.update().get("base")?.time).toBe(9);
});
