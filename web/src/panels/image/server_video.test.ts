import { expect, test } from "vitest";

import type { Topic } from "../../api";
import type { Feed, FramePicture } from "../../player/feed";
import type { Message } from "../../player/store";
import { ServerVideo } from "./server_video";

const KEY = [0, 0, 1, 0x67, 66, 0, 31, 0, 0, 1, 0x65];
const CHANGE = [0, 0, 1, 0x41, 0];

/** Ten frames a second; frames 0 and 4 are key frames. */
const messages = Array.from({ length: 8 }, (_, i) => ({
  time: i / 10,
  value: { format: "h264", data: new Uint8Array(i % 4 === 0 ? KEY : CHANGE) },
})) as unknown as Message[];

const topic = { topic: "/video", type: "foxglove_msgs/CompressedVideo" } as Topic;

interface Asked {
  time: number;
  signal: AbortSignal;
  answer(frame: FramePicture): void;
  refuse(error: Error): void;
}

function videoOf() {
  const asked: Asked[] = [];
  const given: number[] = [];
  const told: string[] = [];
  let closed = 0;
  const feed = {
    picture: (_: string, time: number, signal: AbortSignal) =>
      new Promise<FramePicture>((answer, refuse) => asked.push({ time, signal, answer, refuse })),
    between: (_: string, after: number, time: number) =>
      messages.filter((each) => each.time > after && each.time <= time),
  } as unknown as Feed;
  const give = (frame: FramePicture) => given.push(frame.time);
  const video = new ServerVideo(feed, topic, "No decoder", give, (why) => told.push(why));
  const picture = { close: () => ++closed } as unknown as ImageBitmap;
  const answer = async (i: number) => {
    asked[i]!.answer({ picture, time: asked[i]!.time });
    await new Promise((done) => setTimeout(done));
  };
  const refuse = async (i: number) => {
    asked[i]!.refuse(new Error("it is damaged"));
    await new Promise((done) => setTimeout(done));
  };
  const show = (i: number) => video.show(messages[i]!);
  return { video, asked, given, told, answer, refuse, show, closed: () => closed };
}

const timesOf = (asked: Asked[]) => asked.map(({ time }) => time);

test("one request at a time, and then the newest instant", async () => {
  const { asked, given, answer, show, closed } = videoOf();
  show(0);
  show(0);
  show(1);
  show(2);
  show(3);
  expect(timesOf(asked)).toEqual([0]);
  await answer(0);
  expect(timesOf(asked)).toEqual([0, 0.3]);
  await answer(1);
  expect(given).toEqual([0, 0.3]);
  expect(closed()).toBe(2);
  show(3);
  expect(asked.length).toBe(2);
});

test("after a frame that cannot be decoded, not before the next key frame", async () => {
  const { asked, told, answer, refuse, show } = videoOf();
  show(1);
  await refuse(0);
  expect(told).toEqual(["No decoder, and the server gives no picture: it is damaged"]);
  show(2);
  show(3);
  expect(asked.length).toBe(1);
  show(4);
  expect(asked.length).toBe(2);
  await answer(1);
  show(5);
  expect(asked.length).toBe(3);
  await refuse(2);
  show(0); // back
  expect(timesOf(asked)).toEqual([0.1, 0.4, 0.5, 0]);
});

test("nothing comes after the end", async () => {
  const { video, asked, given, answer, show, closed } = videoOf();
  show(0);
  show(1);
  video.close();
  expect(asked[0]!.signal.aborted).toBe(true);
  await answer(0);
  expect(given).toEqual([]);
  expect(asked.length).toBe(1);
  expect(closed()).toBe(1);
});
