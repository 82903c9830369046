import { expect, test } from "vitest";

import { Loader, type LoadedBag } from "./loader";
import { Store } from "./store";
import type { FromWorker, ToWorker } from "./worker";

const topic = (name: string, rate: number) => ({
  topic: name,
  type: "a/B",
  messages: 9,
  rate_hz: rate,
  latched: 0,
});
const bag: LoadedBag = {
  name: "a.bag",
  origin: 0n,
  length: 100,
  topics: [topic("/fast", 10), topic("/slow", 0.5)],
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
    const { topics, start, end } = message.read;
    return { topics, start, end };
  };
  return { loader: made, store, asked, answer, last, slice };
}

test("first the state of slow topics, then the first second, then what is ahead", () => {
  const { loader: it, store, answer, last, slice } = loader();
  it.setTopics(["/slow", "/fast"], 50);
  expect(slice()).toEqual({ topics: ["/slow"], start: 19, end: 49 });
  answer({ id: last().id, done: true });
  expect(slice()).toEqual({ topics: ["/fast", "/slow"], start: 49, end: 51 });
  answer({ id: last().id, done: true });
  expect(store.covered).toEqual({ start: 49, end: 51 });
  it.want(50, 0);
  expect(slice()).toMatchObject({ start: 51, end: 53 });
});

test("what has come covers the time up to the last message", () => {
  const { loader: it, store, answer, last } = loader();
  it.setTopics(["/fast"], 0);
  const message = { topic: "/fast", time: 0.4, value: 1, bytes: 1 };
  answer({ id: last().id, messages: [message] });
  expect(store.covered.end).toBe(0.4);
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
  answer({ id, messages: [{ topic: "/fast", time: 0, value: 0, bytes: 1 }] });
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
