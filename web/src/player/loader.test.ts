import { expect, test } from "vitest";

import { Loader, type LoadedBag } from "./loader";
import { Store } from "./store";
import type { FromWorker, ToWorker } from "./worker";

const topic = (name: string, type = "a/B", messages = 9) => ({
  topic: name,
  type,
  messages,
  latched: 0,
});
const bag: LoadedBag = {
  name: "a.bag",
  origin: 0n,
  length: 100,
  topics: [
    topic("/fast"),
    topic("/slow"),
    topic("/tf", "tf2_msgs/msg/TFMessage", 5000),
    topic("/tf_static", "tf2_msgs/msg/TFMessage", 3),
    topic("/rosout", "rosgraph_msgs/Log", 400),
    topic("/film", "sensor_msgs/msg/CompressedImage", 400),
  ],
};

/** A loader whose worker is the test. */
function loader() {
  const asked: ToWorker[] = [];
  const worker = {
    postMessage: (message: ToWorker) => void asked.push(message),
    onmessage: null as ((event: MessageEvent<FromWorker>) => void) | null,
  };
  const store = new Store();
  const made = new Loader(bag, store, worker);
  const answer = (data: FromWorker) => worker.onmessage!({ data } as MessageEvent<FromWorker>);
  const last = () => asked.at(-1)!;
  const slice = () => {
    const message = last();
    if (!("read" in message)) throw new Error("nothing was asked for");
    const { topics, start, end, state } = message.read;
    return { topics, start, end, state };
  };
  return { loader: made, store, asked, answer, last, slice };
}

const message = (name: string, time: number) => ({ topic: name, time, value: time, bytes: 1 });

test("the first slice has the state of all topics; what is ahead comes without", () => {
  const { loader: it, store, answer, last, slice } = loader();
  it.setTopics(["/slow", "/fast"], 50);
  const topics = ["/fast", "/slow"];
  expect(slice()).toEqual({ topics, start: 49, end: 51, state: topics });
  answer({ id: last().id, messages: [message("/slow", 3), message("/fast", 48.9)] });
  expect(store.covered).toEqual({ start: 49, end: 49 });
  expect(store.at("/slow", 50)?.time).toBe(3);
  answer({ id: last().id, messages: [message("/fast", 49.2)] });
  answer({ id: last().id, done: true });
  expect(store.covered).toEqual({ start: 49, end: 51 });
  it.want(50, 0);
  expect(slice()).toEqual({ topics, start: 51, end: 53, state: [] });
});

test("at the start of the bag there is no state", () => {
  const { loader: it, slice } = loader();
  it.setTopics(["/fast", "/tf"], 0.5);
  expect(slice()).toEqual({ topics: ["/fast", "/tf"], start: 0, end: 1.5, state: [] });
});

test("of transforms and logs, more than the last message comes, and none twice", () => {
  const { loader: it, store, answer, last, slice } = loader();
  const topics = ["/fast", "/rosout", "/tf", "/tf_static"];
  it.setTopics(topics, 50);
  expect(slice()).toEqual({ topics: ["/tf_static", "/rosout"], start: 0, end: 49, state: [] });
  answer({ id: last().id, messages: [message("/rosout", 2), message("/rosout", 2)] });
  answer({ id: last().id, done: true });
  expect(slice()).toEqual({ topics: ["/tf"], start: 19, end: 49, state: [] });
  answer({ id: last().id, done: true });
  expect(slice()).toEqual({ topics, start: 49, end: 51, state: topics });
  answer({ id: last().id, messages: [message("/rosout", 2), message("/tf", 7)] });
  expect(store.between("/rosout", 0, 50)).toHaveLength(2);
  expect(store.at("/tf", 50)?.time).toBe(7); // older than what was asked for before
  expect(store.covered).toEqual({ start: 49, end: 49 });
});

test("few messages that add up stay for as long as the clock goes on", () => {
  const { loader: it, store, answer, last } = loader();
  const topics = ["/fast", "/rosout", "/tf"];
  it.setTopics(topics, 0);
  answer({ id: last().id, messages: topics.map((each) => message(each, 0.5)) });
  answer({ id: last().id, messages: topics.map((each) => message(each, 0.9)) });
  for (let i = 0, time = 0; i < 60; ++i, time += 1) {
    if (it.isLoading) answer({ id: last().id, done: true });
    it.want(time, i);
  }
  const counts = topics.map((each) => store.between(each, -1, 60).length);
  expect(counts).toEqual([1, 2, 1]); // of others the state alone
});

test("a video comes with the state, and is held from a key frame on", () => {
  const { loader: it, store, answer, last, slice } = loader();
  it.setTopics(["/film"], 50);
  expect(slice()).toEqual({ topics: ["/film"], start: 49, end: 51, state: ["/film"] });
  const frame = (time: number, isKey: boolean) => {
    const units = isKey ? [0x67, 66, 0, 31, 0, 0, 1, 0x65] : [0x41];
    const data = new Uint8Array([0, 0, 1, ...units]);
    return { ...message("/film", time), value: { format: "h264", data } };
  };
  const times = Array.from({ length: 80 }, (_, i) => 40 + i / 2);
  const film = times.map((time) => frame(time, time === 40 || time === 46 || time === 60));
  answer({ id: last().id, messages: film });
  answer({ id: last().id, done: true });
  it.want(75, 0); // 30 s behind it is 45
  expect(store.between("/film", 0, 99)[0]!.time).toBe(40);
  if (it.isLoading) answer({ id: last().id, done: true });
  it.want(77.6, 1);
  expect(store.between("/film", 0, 99)[0]!.time).toBe(46);
});

test("what has come covers the time up to the last message", () => {
  const { loader: it, store, answer, last } = loader();
  it.setTopics(["/fast"], 0);
  answer({ id: last().id, messages: [message("/fast", 0.4)] });
  expect(store.covered.end).toBe(0.4);
});

test("nothing is there as long as no topic is shown", () => {
  const { loader: it, store, answer, last } = loader();
  it.want(10, 0); // without topics, the clock need not wait
  expect(store.covered.end).toBeGreaterThan(10);
  expect(it.isThere(10)).toBe(false);
  it.setTopics(["/fast"], 10);
  expect(it.isThere(10)).toBe(false);
  answer({ id: last().id, messages: [message("/fast", 9)] });
  answer({ id: last().id, done: true });
  expect(it.isThere(10)).toBe(true);
});

test("a seek to what is not there cancels what is on its way", () => {
  const { loader: it, asked, answer, last, slice } = loader();
  it.setTopics(["/fast"], 0);
  const { id } = last();
  it.want(0, 0);
  expect(asked).toHaveLength(1); // it is on its way
  it.want(70, 0);
  expect(asked[1]).toEqual({ id, cancel: true });
  expect(slice()).toMatchObject({ start: 69, end: 71 });
  answer({ id, messages: [message("/fast", 0)] });
  it.want(70, 0);
  expect(asked).toHaveLength(3); // the late answer changed nothing
});

test("ten seconds ahead are enough, and the end of the bag is the end", () => {
  const { loader: it, store, asked, answer, last } = loader();
  it.setTopics(["/fast"], 95);
  for (let i = 0; i < 20; ++i) {
    answer({ id: last().id, done: true });
    it.want(95, i);
  }
  expect(store.covered.end).toBeCloseTo(100, 5);
  const count = asked.length;
  it.want(95, 99);
  expect(asked).toHaveLength(count);
});

test("after an error it tries again, a while later", () => {
  const { loader: it, asked, answer, last } = loader();
  it.setTopics(["/fast"], 0);
  answer({ id: last().id, error: "the server has gone", needsToken: false });
  expect(it.problem).toBe("the server has gone");
  it.want(0, performance.now());
  expect(asked).toHaveLength(1);
  it.want(0, performance.now() + 10_000);
  expect(asked).toHaveLength(2);
});

test("an error before the state has come begins anew", () => {
  const { loader: it, store, asked, answer, last, slice } = loader();
  it.setTopics(["/fast"], 50);
  answer({ id: last().id, messages: [message("/fast", 3)] });
  answer({ id: last().id, error: "the server has gone", needsToken: false });
  it.want(50.5, performance.now() + 10_000);
  expect(slice()).toMatchObject({ start: 49.5, state: ["/fast"] });
  expect(store.at("/fast", 50)).toBeUndefined();
  answer({ id: last().id, messages: [message("/fast", 3), message("/fast", 49.6)] });
  answer({ id: last().id, error: "the server has gone", needsToken: false });
  it.want(50.5, performance.now() + 20_000);
  expect(slice()).toMatchObject({ start: 49.6, state: [] });
  expect(asked).toHaveLength(3);
});

test("what is damaged is known by the slice that it was found in", () => {
  const { loader: it, answer, last } = loader();
  it.setTopics(["/fast"], 50);
  answer({ id: last().id, done: true, damage: ["a chunk is damaged"] });
  expect(it.damage).toEqual([{ start: 49, end: 51, what: "a chunk is damaged" }]);
});
