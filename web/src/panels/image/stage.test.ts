import { expect, test } from "vitest";

import type { Topic } from "../../api";
import { calibrationOf, calibrationText, infoTopic } from "./calibration";
import { fitted, kept, zoomed } from "./stage";

const picture = { width: 100, height: 50 };
const panel = { width: 400, height: 400 };

test("a picture is fitted, in the middle", () => {
  expect(fitted(picture, panel)).toEqual({ left: 0, top: 100, scale: 4 });
});

test("what is under the pointer stays there", () => {
  const before = fitted(picture, panel);
  const after = zoomed(before, 4, { x: 200, y: 200 }, picture, panel);
  expect(after.scale).toBe(16);
  expect((200 - after.left) / after.scale).toBe((200 - before.left) / before.scale);
  expect(zoomed(after, 0.01, { x: 7, y: 7 }, picture, panel)).toEqual(before);
  expect(zoomed(after, 1e9, { x: 7, y: 7 }, picture, panel).scale).toBe(64);
});

test("a picture cannot be moved out of the panel", () => {
  const large = { left: 50, top: -5000, scale: 16 };
  expect(kept(large, picture, panel)).toEqual({ left: 0, top: -400, scale: 16 });
});

test("the camera info of the same or the nearest namespace", () => {
  const topic = (name: string, type = "sensor_msgs/msg/CameraInfo") =>
    ({ topic: name, type, messages: 1, latched: 0 }) as Topic;
  const topics = [topic("/left/camera_info"), topic("/right/info"), topic("/left/x", "std/String")];
  expect(infoTopic("/left/image_raw", topics)).toBe("/left/camera_info");
  expect(infoTopic("/left/image_raw/compressed", topics)).toBe("/left/camera_info");
  expect(infoTopic("/right/image", topics)).toBe("/right/info");
  expect(infoTopic("/image", topics)).toBe("");
});

test("camera info of ROS 1 and ROS 2, and what is none", () => {
  const k = [500, 0, 320.5, 0, 501, 240, 0, 0, 1];
  const roi = { x_offset: 10, y_offset: 20, width: 300, height: 200, do_rectify: false };
  const known = { width: 640, height: 480, fx: 500, fy: 501, cx: 320.5, cy: 240 };
  const info = { width: 640, height: 480, distortion_model: "plumb_bob" };
  const ros1 = calibrationOf({ ...info, K: k, roi });
  expect(ros1).toEqual({ ...known, model: "plumb_bob", roi: [10, 20, 300, 200] });
  const none = { ...roi, width: 0, height: 0 };
  const ros2 = calibrationOf({ ...info, k: Float64Array.from(k), roi: none });
  expect(ros2).toMatchObject({ ...known, roi: null });
  expect(calibrationText(ros1!)).toBe("640 × 480  f 500, 501 px  c 320.5, 240 px  plumb_bob");
  expect([calibrationOf(null), calibrationOf({ width: 1, k: "x" })]).toEqual([null, null]);
});
