import { expect, test } from "vitest";

import { cameraOf } from "./camera";
import { shownRows } from "./window";

test("rows on the screen and a few around", () => {
  expect(shownRows(1000, 40, 4000, 400)).toEqual({ from: 94, to: 116 });
  expect(shownRows(1000, 40, 0, 400)).toEqual({ from: 0, to: 16 });
  expect(shownRows(3, 40, 0, 400)).toEqual({ from: 0, to: 3 });
  expect(shownRows(0, 40, 0, 400)).toEqual({ from: 0, to: 0 });
});

test("a list that became shorter than it was scrolled", () => {
  expect(shownRows(10, 40, 4000, 400)).toEqual({ from: 9, to: 10 });
});

test("a colour camera before others, and only with pictures", () => {
  const topic = (name: string, type: string, messages = 1) => ({
    topic: name,
    type,
    messages,
    latched: 0,
  });
  const depth = topic("/depth/image", "sensor_msgs/Image");
  expect(cameraOf([depth, topic("/rgb", "sensor_msgs/msg/CompressedImage")])).toBe("/rgb");
  expect(cameraOf([depth])).toBe("/depth/image");
  expect(cameraOf([topic("/rgb", "sensor_msgs/Image", 0)])).toBe(null);
  expect(cameraOf([topic("/video", "foxglove.CompressedVideo")])).toBe("/video");
  expect(cameraOf([topic("/info", "sensor_msgs/CameraInfo")])).toBe(null);
});
