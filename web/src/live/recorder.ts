// The recorder of the server (docs/serving.md#recording---record), where it has one.

import { ask, askJson, TokenNeeded } from "../api";

export interface RecorderState {
  state: "recording" | "paused" | "waiting" | "stopped";
  reason?: string;
  file?: string;
  seconds: number;
  messages: number;
  held_bytes: number;
}

export type Command = "start" | "stop" | "pause" | "resume" | "split" | "snapshot";

export const titles: Record<Command, string> = {
  start: "Start",
  stop: "Stop",
  pause: "Pause",
  resume: "Resume",
  split: "Split",
  snapshot: "Snapshot",
};

/** What can be told to a recorder in a state; messages are held for snapshots alone. */
export function commandsIn({ state, held_bytes }: RecorderState): Command[] {
  const snapshot: Command[] = held_bytes > 0 ? ["snapshot"] : [];
  switch (state) {
    case "recording":
      return ["pause", "split", ...snapshot, "stop"];
    case "paused":
      return ["resume", ...snapshot, "stop"];
    case "waiting":
      return ["stop"];
    case "stopped":
      return ["start", ...snapshot];
  }
}

let known: Promise<boolean> | null = null;

/** Whether the server has a recorder. A server without one says so by an error, which browsers
    report as one of the page, so the metrics are asked instead, once. */
export function hasRecorder(): Promise<boolean> {
  known ??= ask("/metrics")
    .then((response) => response.text())
    .then((text) => /^kitbag_recorder_/m.test(text))
    .catch(() => {
      known = null;
      return false;
    });
  return known;
}

export const askRecorder = () => askJson<RecorderState>("/api/recorder");

/** Throws the server's sentence, for example that it takes no commands without a token. */
export async function tell(command: Command): Promise<RecorderState> {
  const headers = { "X-Requested-With": "kitbag", "Content-Type": "application/json" };
  const response = await fetch(`/api/recorder/${command}`, { method: "POST", headers });
  if (response.status === 401) throw new TokenNeeded("a token is needed");
  const answer = (await response.json()) as RecorderState & { error?: string };
  if (response.status === 403) throw new Forbidden(answer.error);
  if (!response.ok) throw new Error(answer.error);
  return answer;
}

/** The server takes no commands of this page. */
export class Forbidden extends Error {}
