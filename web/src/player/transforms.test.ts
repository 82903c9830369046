import { describe, expect, test } from "vitest";

import type { Feed } from "./feed";
import { Store } from "./store";
import { hasTransforms, samplesOf, stampOf, TransformFeed } from "./transform_feed";
import { apply, compose, inverse, interpolate, Transforms } from "./transforms";
import type { Found, NotFound, Quaternion, Transform, Triple } from "./transforms";

const HALF = Math.SQRT1_2;
/** A quarter turn to the left. */
const LEFT: Quaternion = [0, 0, HALF, HALF];
const NONE: Quaternion = [0, 0, 0, 1];

const pose = (x: number, y: number, rotation = NONE): Transform => ({
  translation: [x, y, 0],
  rotation,
});
const close = (point: Triple, wanted: Triple) =>
  point.forEach((each, i) => expect(each).toBeCloseTo(wanted[i]!, 9));

function filled(): Transforms {
  const transforms = new Transforms();
  const add = (parent: string, child: string, stamp: number, transform: Transform) =>
    transforms.add({
      parent, child, stamp, transform, time: stamp, isStatic: stamp < 0, topic: "/tf",
    });
  add("map", "odom", -1, pose(10, 0));
  add("base", "laser", -1, pose(1, 0));
  add("odom", "base", 2, pose(0, 0));
  add("odom", "base", 4, pose(2, 0, LEFT));
  add("world", "other", 2, pose(0, 0));
  return transforms;
}

const found = (answer: Found | NotFound): Found => {
  if ("why" in answer) throw new Error(answer.why);
  return answer;
};
const why = (answer: Found | NotFound): NotFound => {
  if (!("why" in answer)) throw new Error("there is one");
  return answer;
};

describe("transforms", () => {
  test("turn, then move; and back", () => {
    const transform = pose(1, 2, LEFT);
    close(apply(transform, [3, 0, 5]), [1, 5, 5]);
    close(apply(compose(inverse(transform), transform), [3, 4, 5]), [3, 4, 5]);
    close(apply(compose(pose(1, 0, LEFT), pose(2, 0, LEFT)), [1, 0, 0]), [0, 2, 0]);
  });

  test("are interpolated by the shortest turn", () => {
    const middle = interpolate(pose(0, 0), pose(2, 4, LEFT), 0.5);
    close(middle.translation, [1, 2, 0]);
    expect(middle.rotation[2]).toBeCloseTo(Math.sin(Math.PI / 8), 9);
    const negative: Quaternion = [0, 0, -HALF, -HALF];
    const same = interpolate(pose(0, 0), pose(0, 0, negative), 0.5);
    expect(Math.abs(same.rotation[2])).toBeCloseTo(Math.sin(Math.PI / 8), 9);
  });

  test("are found up and down the tree", () => {
    const transforms = filled();
    close(apply(found(transforms.find("map", "laser", 2)).transform, [0, 0, 0]), [11, 0, 0]);
    const at = found(transforms.find("map", "laser", 4)).transform;
    close(apply(at, [0, 0, 0]), [12, 1, 0]);
    const back = found(transforms.find("laser", "map", 4)).transform;
    close(apply(back, [12, 1, 0]), [0, 0, 0]);
    const between = found(transforms.find("odom", "base", 3));
    close(between.transform.translation, [1, 0, 0]);
    expect(between.outside).toBe(0);
    expect(transforms.root(3)).toBe("map");
    expect(transforms.rootOf("other", 3)).toBe("world");
    expect(transforms.frames()).toEqual(["base", "laser", "map", "odom", "other", "world"]);
  });

  test("are the nearest outside of their time, as far as that is tolerated", () => {
    const transforms = filled();
    const late = found(transforms.find("map", "base", 5.5));
    close(late.transform.translation, [12, 0, 0]);
    expect(late.outside).toBeCloseTo(1.5, 9);
    expect(found(transforms.find("map", "base", 1)).outside).toBe(-1);
    expect(found(transforms.find("map", "odom", 100)).outside).toBe(0);
    expect(why(transforms.find("map", "laser", 5.5, 1))).toEqual({
      kind: "time",
      why: "no transform from laser to map: odom → base is known only before 4.00 s",
    });
    expect(why(transforms.find("map", "laser", 0.5, 1)).why).toContain("only after 2.00 s");
  });

  test("that are not there say why", () => {
    const transforms = filled();
    expect(why(transforms.find("map", "camera", 3))).toEqual({
      kind: "unknown",
      why: "no transform from camera to map: camera is not known",
    });
    expect(why(transforms.find("map", "other", 3))).toEqual({
      kind: "unconnected",
      why: "no transform from other to map: they are not connected: one is below world, " +
        "the other below map",
    });
  });

  test("that make no sense are refused, and a circle ends", () => {
    const transforms = new Transforms();
    const sample = { parent: "a", child: "b", stamp: 0, time: 0, isStatic: false, topic: "/tf" };
    transforms.add({ ...sample, transform: pose(NaN, 0) });
    transforms.add({ ...sample, child: "c", transform: pose(0, 0, [0, 0, 0, 0]) });
    transforms.add({ ...sample, child: "a", transform: pose(0, 0) });
    expect([...transforms.refused]).toEqual([
      ["b", "a number is NaN or infinite"],
      ["c", "the rotation has length 0.00"],
      ["a", "it is its own parent"],
    ]);
    expect(transforms.frames()).toEqual([]);
    transforms.add({ ...sample, transform: pose(1, 0) });
    transforms.add({ ...sample, parent: "b", child: "a", transform: pose(1, 0) });
    expect(transforms.root(0)).toBeDefined();
    expect("why" in transforms.find("a", "b", 0)).toBe(false);
  });

  test("late and repeated samples are put in order", () => {
    const transforms = new Transforms();
    for (const [stamp, x] of [[1, 1], [3, 3], [2, 20], [2, 2]] as const) {
      transforms.add({
        parent: "a", child: "b", stamp, time: 3, transform: pose(x, 0), isStatic: false, topic: "",
      });
    }
    expect(transforms.info("b")).toMatchObject({ samples: 3, first: 1, last: 3, parent: "a" });
    close(found(transforms.find("a", "b", 1.5)).transform.translation, [1.5, 0, 0]);
    close(found(transforms.find("a", "b", 2.5)).transform.translation, [2.5, 0, 0]);
  });

  test("a clock that is set back, and one that is not the recorder's", () => {
    const transforms = new Transforms();
    const add = (stamp: number, time: number) =>
      transforms.add({
        parent: "a", child: "b", stamp, time, transform: pose(stamp, 0), isStatic: false, topic: "",
      });
    add(1000, 1);
    expect(transforms.stampAt(1.5)).toBe(1000.5);
    add(10, 2);
    expect(transforms.hasJumped).toBe(true);
    expect(transforms.info("b")!.samples).toBe(1);
    expect(transforms.stampAt(2.5)).toBe(2.5);
  });
});

describe("messages", () => {
  const topic = (type: string) => ({ topic: "/tf", type, messages: 1, latched: 0 });
  const message = (value: unknown, time = 5) => ({ topic: "/tf", time, value, bytes: 1 });
  const ros = (x: number, stamp: object) => ({
    transforms: [{
      header: { stamp, frame_id: "/odom" },
      child_frame_id: "base",
      transform: { translation: { x, y: 0, z: 0 }, rotation: { x: 0, y: 0, z: 0, w: 2 } },
    }],
  });

  test("of ROS and Foxglove", () => {
    for (const type of ["tf/tfMessage", "tf2_msgs/msg/TFMessage", "foxglove.FrameTransform"]) {
      expect(hasTransforms(topic(type))).toBe(true);
    }
    expect(hasTransforms(topic("geometry_msgs/Transform"))).toBe(false);
    const [one] = samplesOf("/tf", message(ros(1, { sec: 1007, nanosec: 500000000 })), 1000.25);
    expect(one).toMatchObject({ parent: "odom", child: "base", stamp: 7.25, isStatic: false });
    expect(one!.transform.rotation).toEqual([0, 0, 0, 1]);
    const foxglove = {
      timestamp: { seconds: 1001n, nanos: 0 },
      parent_frame_id: "a",
      child_frame_id: "b",
      translation: { x: 1, y: 2, z: 3 },
      rotation: { x: 0, y: 0, z: 0, w: 1 },
    };
    const [other] = samplesOf("/robot/tf_static", message(foxglove), 1000);
    expect(other).toMatchObject({ parent: "a", child: "b", stamp: 1, isStatic: true });
    expect(other!.transform.translation).toEqual([1, 2, 3]);
  });

  test("that lack fields are no transforms", () => {
    const transforms = new Transforms();
    for (const value of [undefined, 7, { transforms: [null, {}, { header: 1 }] }]) {
      for (const sample of samplesOf("/tf", message(value), 0)) transforms.add(sample);
    }
    expect(transforms.frames()).toEqual([]);
  });

  test("stamps keep their nanoseconds; zero is none", () => {
    expect(stampOf({ sec: 1767225600, nsec: 1 }, 1767225600)).toBe(1e-9);
    expect(stampOf({ sec: 0, nsec: 0 }, 5)).toBeNull();
    expect(stampOf("soon", 5)).toBeNull();
  });

  test("are read once, and anew after a hole", () => {
    const store = new Store();
    const feed = {
      time: 0.5,
      origin: 0,
      get covered() {
        return store.covered;
      },
      between: (name: string, after: number, until: number) => store.between(name, after, until),
    };
    const fill = (from: number, to: number) => {
      store.clear(from);
      for (let i = from * 10; i < to * 10; ++i) {
        store.add(message(ros(i / 10, { sec: Math.floor(i / 10), nsec: (i % 10) * 1e8 }), i / 10));
      }
      store.coverUntil(to);
    };
    fill(0, 5);
    const reader = new TransformFeed(feed as unknown as Feed, [topic("tf2_msgs/TFMessage")]);
    const transforms = reader.update();
    expect(transforms.info("base")!.samples).toBe(16);
    close(found(transforms.find("odom", "base", 0.55)).transform.translation, [0.55, 0, 0]);
    const { version } = transforms;
    reader.update();
    expect(transforms.version).toBe(version);
    feed.time = 1;
    reader.update();
    expect(transforms.info("base")!.samples).toBe(21);
    fill(100, 103);
    feed.time = 101;
    reader.update();
    expect(transforms.info("base")).toMatchObject({ first: 100, samples: 21 });
    feed.time = 105; // what is there has not come yet
    reader.update();
    expect(transforms.info("base")!.samples).toBe(21);
  });
});
