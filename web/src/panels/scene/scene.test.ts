import { describe, expect, test } from "vitest";

import type { Topic } from "../../api";
import type { Triple } from "../../player/transforms";
import { cellOf, eyeOf, eyeText, FIRST, fit, go, orbit, pan, positionOf, upOf } from "./camera";
import { Drawing } from "./drawing";
import { headingOf, nextFollow, robotFrame } from "./follow";
import { gridOf, paletteOf, pictureOf, updateGrid } from "./grids";
import { colouringOf, isShown, kindOf, sceneTopics, updatesOf, withShown } from "./kinds";
import { Markers } from "./markers";
import { draws, drawTrail, ellipseOf } from "./messages";
import { Transforms } from "../../player/transforms";
import { rotationOf } from "./urdf";

const round = (list: ArrayLike<number>) => Array.from(list, (each) => Number(each.toFixed(4)) + 0);
const pose = (x: number, y: number) => ({
  position: { x, y, z: 0 },
  orientation: { x: 0, y: 0, z: 0, w: 1 },
});
const red = { r: 1, g: 0, b: 0, a: 1 };

describe("grids", () => {
  const value = {
    info: { width: 2, height: 2, resolution: 0.5, origin: pose(-1, 3) },
    data: new Int8Array([0, 100, -1, 50]),
  };

  test("are pictures, by a palette", () => {
    const grid = gridOf(value);
    expect(grid.origin.translation).toEqual([-1, 3, 0]);
    const { width, height, pixels } = pictureOf(grid, paletteOf("map", false));
    expect([width, height]).toEqual([2, 2]);
    expect([...pixels]).toEqual([
      250, 250, 250, 255, 20, 20, 20, 255, 128, 128, 128, 50, 135, 135, 135, 255,
    ]);
    const cost = pictureOf(grid, paletteOf("costmap", false)).pixels;
    expect([...cost.slice(0, 8)]).toEqual([0, 0, 0, 0, 200, 0, 220, 220]);
    expect(pictureOf(grid, paletteOf("map", true)).pixels[0]).toBe(48);
  });

  test("that are too large for the card keep their walls", () => {
    const small = pictureOf(gridOf(value), paletteOf("map", false), 1);
    expect([small.width, small.height, small.pixels[0]]).toEqual([1, 1, 20]);
  });

  test("are updated in place, and not outside", () => {
    const grid = gridOf(value);
    expect(updateGrid(grid, { x: 1, y: 0, width: 1, height: 2, data: [7, 8] })).toBe(true);
    expect([...grid.cells]).toEqual([0, 7, -1, 8]);
    expect(updateGrid(grid, { x: 1, y: 0, width: 2, height: 1, data: [1, 1] })).toBe(false);
    expect(updateGrid(grid, { x: 0, y: 0, width: 2, height: 2, data: [1] })).toBe(false);
    expect(updateGrid(grid, null)).toBe(false);
    expect([...value.data]).toEqual([0, 100, -1, 50]);
  });

  test("that make no sense say why", () => {
    const { info } = value;
    expect(() => gridOf({ info, data: [1] })).toThrow("1 cells, not 4");
    expect(() => gridOf({ info: { ...info, width: 1e6, height: 1e6 } })).toThrow("too large");
    expect(() => gridOf({ info: { ...info, origin: {} } })).toThrow("no pose");
    expect(() => gridOf(7)).toThrow("empty");
  });
});

describe("drawings", () => {
  const drawn = (type: string, value: unknown) => {
    const drawing = new Drawing();
    draws[type]!(value, drawing, [1, 2, 3]);
    return drawing;
  };

  test("of paths, polygons and ways", () => {
    const poses = [{ pose: pose(1, 2) }, { pose: pose(NaN, 2) }, { pose: pose(3, 4) }, null];
    const path = drawn("nav_msgs/Path", { poses });
    expect(path.lines).toEqual([1, 2, 0, 3, 4, 0]);
    expect(path.lineColours).toEqual([1, 2, 3, 1, 2, 3]);
    const points = [{ x: 0, y: 0 }, { x: 1, y: 0 }, { x: 1, y: 1 }];
    expect(drawn("geometry_msgs/PolygonStamped", { polygon: { points } }).lines).toEqual([
      0, 0, 0, 1, 0, 0, 1, 0, 0, 1, 1, 0, 1, 1, 0, 0, 0, 0,
    ]);
    const trail = new Drawing();
    const way = [{ pose: { pose: pose(1, 1) } }, 5, { pose: { pose: pose(2, 1) } }];
    drawTrail(way, trail, [9, 9, 9]);
    expect(trail.lines).toEqual([1, 1, 0, 2, 1, 0]);
  });

  test("of poses, cells, points and beams", () => {
    const turned = { position: { x: 1, y: 2, z: 3 }, orientation: { z: 1, w: 1 } };
    const arrow = drawn("geometry_msgs/PoseStamped", { pose: turned }).solids.get("arrow 1")!;
    expect(round(arrow.matrices)).toEqual([
      0, 0.5, 0, 0, -0.14, 0, 0, 0, 0, 0, 0.14, 0, 1, 2, 3, 1,
    ]);
    const unset = drawn("geometry_msgs/PoseStamped", { pose: { position: { x: 1, y: 0, z: 0 } } });
    expect(unset.solids.get("arrow 1")!.matrices[0]).toBe(0.5);
    const poses = { poses: [pose(0, 0), pose(1, 0), "x"] };
    expect(drawn("geometry_msgs/PoseArray", poses).solids.get("arrow 1")!.colours).toHaveLength(6);
    const cells = { cell_width: 0.5, cell_height: 0.25, cells: [{ x: 1, y: 1, z: 0 }] };
    const cube = drawn("nav_msgs/GridCells", cells).solids.get("cube 0.8")!;
    expect([cube.matrices[0], cube.matrices[5]]).toEqual([0.5, 0.25]);
    const sphere = drawn("geometry_msgs/PointStamped", { point: { x: 1, y: 2, z: 3 } });
    expect(sphere.solids.get("sphere 1")!.matrices.slice(12, 15)).toEqual([1, 2, 3]);
    const beam = { range: 9, max_range: 4, field_of_view: Math.PI / 2 };
    const cone = drawn("sensor_msgs/Range", beam).solids.get("cone 0.4")!;
    expect(round([cone.matrices[0]!, cone.matrices[5]!])).toEqual([4, 8]);
    expect(drawn("geometry_msgs/PoseStamped", { pose: pose(NaN, 0) }).notes).toHaveLength(1);
  });

  test("of a covariance: two standard deviations", () => {
    expect(round(ellipseOf(4, 0, 1))).toEqual([4, 2, 0]);
    const [a, b, angle] = ellipseOf(2, 1, 2);
    expect(round([a, b, angle])).toEqual([3.4641, 2, 0.7854]);
    const covariance = new Float64Array(36);
    covariance[0] = covariance[7] = 0.25;
    const odometry = { pose: { pose: pose(1, 1), covariance } };
    const disc = drawn("nav_msgs/Odometry", odometry).solids.get("cylinder 0.25")!;
    expect(disc.matrices[0]).toBeCloseTo(2, 9);
  });
});

describe("markers", () => {
  const marker = (more: object) => ({
    header: { frame_id: "map", stamp: { sec: 5, nsec: 0 } },
    ns: "a", id: 1, type: 1, action: 0, pose: pose(1, 2), scale: { x: 1, y: 2, z: 3 }, color: red,
    lifetime: { sec: 0, nsec: 0 },
    ...more,
  });
  const solidsOf = (markers: Markers) =>
    markers.groups().flatMap(({ drawing }) => [...drawing.solids.values()]);

  test("are added, changed, deleted, and go by themselves", () => {
    const markers = new Markers();
    markers.take(marker({}), 1, 0);
    markers.take({ markers: [marker({ id: 2, lifetime: { sec: 2, nanosec: 0 } }), 5] }, 2, 0);
    expect(markers.size).toBe(3); // the number is a marker without anything
    markers.take(marker({ id: undefined, ns: undefined, action: 2 }), 2, 0);
    markers.take(marker({ pose: pose(8, 8) }), 3, 0);
    expect(markers.isChanged).toBe(true);
    const [solids] = solidsOf(markers);
    expect(solids!.matrices.filter((_, i) => i % 16 === 12)).toEqual([8, 1]);
    expect(solids!.colours).toEqual([255, 0, 0, 255, 0, 0]);
    expect(markers.isChanged).toBe(false);
    markers.expire(4);
    expect([markers.size, markers.isChanged]).toEqual([2, false]);
    markers.expire(4.1);
    expect([markers.size, markers.isChanged]).toEqual([1, true]);
    markers.take(marker({ action: 2 }), 5, 0);
    expect(markers.size).toBe(0);
    markers.take(marker({ ns: "b" }), 6, 0);
    markers.take(marker({ action: 3 }), 7, 0);
    expect(markers.size).toBe(0);
  });

  test("of one frame and stamp are together; a locked one is now", () => {
    const markers = new Markers();
    const header = { frame_id: "odom", stamp: { sec: 6, nsec: 0 } };
    markers.take({ markers: [marker({}), marker({ id: 2 })] }, 1, 1);
    markers.take(marker({ id: 3, header }), 1, 1);
    markers.take(marker({ id: 4, header, frame_locked: true }), 1, 1);
    expect(markers.groups().map(({ where }) => where)).toEqual([
      { frame: "map", stamp: 4 }, { frame: "odom", stamp: 5 }, { frame: "odom", stamp: null },
    ]);
  });

  test("have all shapes", () => {
    const shown = (more: object) => {
      const markers = new Markers();
      markers.take(marker(more), 0, 0);
      return markers.groups()[0]!.drawing;
    };
    const points = [{ x: 0, y: 0, z: 0 }, { x: 1, y: 0, z: 0 }, { x: 1, y: 1, z: 0 }];
    const colors = [red, { ...red, g: 0.2 }, { ...red, b: 1 }];
    expect([...shown({ type: 0 }).solids.keys()]).toEqual(["arrow 1"]);
    const arrow = shown({ type: 0, points: points.slice(1) }).solids.get("arrow 1")!;
    expect(round(arrow.matrices.slice(0, 3))).toEqual([0, 1, 0]);
    expect(round(arrow.matrices.slice(12, 15))).toEqual([2, 2, 0]);
    const faint = shown({ type: 2, color: { ...red, a: 0.5 } });
    expect([...faint.solids.keys()]).toEqual(["sphere 0.5"]);
    expect([...shown({ type: 3 }).solids.keys()]).toEqual(["cylinder 1"]);
    expect(shown({ type: 4, points }).lines).toEqual([1, 2, 0, 2, 2, 0, 2, 2, 0, 2, 3, 0]);
    expect(shown({ type: 4, points, colors }).lineColours).toEqual([
      255, 0, 0, 255, 51, 0, 255, 51, 0, 255, 0, 255,
    ]);
    expect(shown({ type: 5, points }).lines).toEqual([1, 2, 0, 2, 2, 0]);
    expect(shown({ type: 6, points }).solids.get("cube 1")!.matrices).toHaveLength(48);
    expect(shown({ type: 7, points }).solids.get("sphere 1")!.matrices).toHaveLength(48);
    const dots = shown({ type: 8, points, colors });
    expect([dots.pointSize, dots.points.length, dots.pointColours[4]]).toEqual([1, 9, 51]);
    expect(shown({ type: 9, text: "x".repeat(1e6) }).texts[0]!.text).toHaveLength(200);
    expect(shown({ type: 10, mesh_resource: "package://a.dae" }).notes[0]).toContain("need files");
    const triangle = shown({ type: 11, points });
    expect(triangle.triangles).toEqual([1, 2, 0, 2, 2, 0, 2, 4, 0]);
    expect(shown({ type: 77 }).notes).toEqual(["there is no marker of type 77"]);
    expect(shown({ pose: pose(NaN, 0) }).solids.size).toBe(0);
  });
});

describe("the eye", () => {
  const above = { target: [1, 2, 0] as Triple, distance: 10, azimuth: -Math.PI / 2, elevation: 9 };

  test("stands where its angles say, and is never upside down", () => {
    const eye = orbit(above, 0, 0);
    expect(round(positionOf(eye))).toEqual([1, 2, 10]);
    expect(round(upOf(eye))).toEqual([0, 1, 0]);
    const side = orbit(eye, Math.PI / 2, -Math.PI / 2);
    expect(round(positionOf(side))).toEqual([-9, 2, 0]);
    expect(round(upOf(side))).toEqual([0, 0, 1]);
  });

  test("moves what is under the pointer with the pointer", () => {
    const height = 20 * Math.tan(Math.PI / 8);
    const moved = pan(orbit(above, 0, 0), 0.5, 0.25);
    expect(round(moved.target)).toEqual(round([1 - height / 2, 2 - height / 4, 0]));
  });

  test("sees all of a box, goes with a robot, and is in the URL", () => {
    expect(fit(FIRST, [0, 0, 0], [4, 2, 0]).target).toEqual([2, 1, 0]);
    expect(fit(FIRST, [0, 0, 0], [40, 20, 0]).distance).toBeGreaterThan(30);
    const gone = go(above, [1, 0, 0], Math.PI / 2);
    expect([gone.target, gone.azimuth]).toEqual([[2, 2, 0], 0]);
    expect(eyeOf(eyeText(FIRST))).toEqual(FIRST);
    for (const text of [undefined, "", "1,2", "1,2,3,x,5,6"]) expect(eyeOf(text)).toBeNull();
    expect([1, 30, 80, 400].map((distance) => cellOf({ ...FIRST, distance }))).toEqual([
      0.05, 2, 5, 20,
    ]);
  });
});

describe("what is shown", () => {
  const topic = (name: string, type: string): Topic => ({
    topic: name, type, messages: 1, latched: 0,
  });
  const place = { panel: "scene", topic: "", fields: [], settings: {} };
  const cloud = (i: number) => topic(`/points${i}`, "sensor_msgs/msg/PointCloud2");

  test("depends on types, and on what was chosen", () => {
    expect(kindOf(topic("/a", "nav_msgs/msg/Path"))).toBe("drawing");
    expect(kindOf(topic("/robot/robot_description", "std_msgs/String"))).toBe("robot");
    expect(kindOf(topic("/chatter", "std_msgs/String"))).toBeUndefined();
    expect(kindOf(topic("/a", "foxglove.PointCloud"))).toBe("cloud");
    const map = topic("/map", "nav_msgs/OccupancyGrid");
    const updates = topic("/map_updates", "map_msgs/OccupancyGridUpdate");
    expect(updatesOf(map, [map, updates])).toBe(updates);
    expect(sceneTopics([map, updates, { ...map, messages: 0 }])).toEqual([map]);
    const clouds = [0, 1, 2, 3, 4].map(cloud);
    expect(clouds.map((each) => isShown(place, each, clouds))).toEqual([
      true, true, true, true, false,
    ]);
    const off = withShown(place, clouds[0]!, clouds, false);
    expect(off).toEqual({ "hidden:/points0": "1" });
    expect(isShown({ ...place, settings: off }, clouds[0]!, clouds)).toBe(false);
    expect(withShown({ ...place, settings: off }, clouds[0]!, clouds, true)).toEqual({});
    expect(withShown(place, clouds[4]!, clouds, true)).toEqual({ "hidden:/points4": "0" });
  });

  test("is coloured by a field or as one", () => {
    const one = cloud(0);
    const of = (settings: Record<string, string>, fields: string[]) =>
      colouringOf({ ...place, settings }, one, [one], fields).field;
    expect(of({}, ["x", "y", "z"])).toBe("z");
    expect(of({}, ["z", "rgb"])).toBe("rgb");
    expect(of({ "colour:/points0": "intensity" }, ["z"])).toBe("intensity");
    expect(of({ "colour:/points0": "#ff0000" }, ["z"])).toBe("");
  });

  test("and what is followed", () => {
    expect(["", "position", "heading"].map(nextFollow)).toEqual(["position", "heading", ""]);
    expect(headingOf([0, 0, Math.SQRT1_2, Math.SQRT1_2])).toBeCloseTo(Math.PI / 2, 9);
    const transforms = new Transforms();
    const add = (child: string, isStatic: boolean) =>
      transforms.add({
        parent: "map", child, stamp: 0, time: 0, isStatic, topic: "/tf",
        transform: { translation: [0, 0, 0], rotation: [0, 0, 0, 1] },
      });
    expect(robotFrame(transforms)).toBeUndefined();
    add("a", true);
    add("turtle", false);
    expect(robotFrame(transforms)).toBe("turtle");
    add("robot1/base_link", true);
    expect(robotFrame(transforms)).toBe("robot1/base_link");
  });

  test("angles of a URDF are around fixed axes", () => {
    expect(round(rotationOf([0, 0, Math.PI / 2]))).toEqual([0, 0, 0.7071, 0.7071]);
    expect(round(rotationOf([Math.PI / 2, 0, Math.PI / 2]))).toEqual([0.5, 0.5, 0.5, 0.5]);
  });
});
