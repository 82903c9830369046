import { expect, test } from "vitest";

import { commandsIn, type RecorderState } from "./recorder";

const state = (name: RecorderState["state"], held = 0): RecorderState => ({
  state: name,
  seconds: 0,
  messages: 0,
  held_bytes: held,
});

test("what can be told to a recorder depends on its state", () => {
  expect(commandsIn(state("recording"))).toEqual(["pause", "split", "stop"]);
  expect(commandsIn(state("paused"))).toEqual(["resume", "stop"]);
  expect(commandsIn(state("stopped"))).toEqual(["start"]);
  expect(commandsIn(state("waiting"))).toEqual(["stop"]);
});

test("a snapshot needs messages that are held", () => {
  expect(commandsIn(state("recording", 9))).toContain("snapshot");
});
