// Reads one local file beside the page: answers about it, and slices of it.

import { decodeMs, ownBuffers, type Slice } from "../../player/slice";
import type { Message } from "../../player/store";
import type { FromWorker, ToWorker } from "../../player/worker";
import { answer } from "./answers";
import type { IndexedFile } from "./indexed";
import { openBag } from "./open";
import { SliceReader } from "./slices";
import { Times } from "./times";

/** A file to open, once; what is asked about it; or slices, as the other worker takes them. */
export type ToLocal = { open: File } | { asked: number; what: string } | ToWorker;
export type FromLocal = { asked: number; text: string } | { asked: number; error: string };

interface Opened {
  file: IndexedFile;
  times: Times;
  slices: SliceReader;
}

let opened: Promise<Opened>;
const running = new Map<number, AbortController>();
let waiting: (() => void)[] = []; // for the slices that are read

/** Plots of a long file wait for slices, which a person waits for. */
function turn(): Promise<void> | null {
  return running.size ? new Promise((go) => waiting.push(go)) : null;
}

self.onmessage = ({ data }: MessageEvent<ToLocal>) => {
  if ("open" in data) {
    opened = open(data.open);
    opened.catch(() => {}); // who asks is told
  } else if ("asked" in data) void tellAnswer(data.asked, data.what);
  else if ("cancel" in data) running.get(data.id)?.abort();
  else void tellSlice(data.id, data.read);
};

async function open(chosen: File): Promise<Opened> {
  const file = await openBag(chosen);
  const times = await Times.read(file);
  return { file, times, slices: new SliceReader(file, times) };
}

async function tellAnswer(asked: number, what: string): Promise<void> {
  const tell = (answered: FromLocal) => self.postMessage(answered);
  try {
    const { file, times } = await opened;
    tell({ asked, text: await answer(file, times, what, turn) });
  } catch (error) {
    tell({ asked, error: sentence(error) });
  }
}

async function tellSlice(id: number, slice: Slice): Promise<void> {
  const tell = (said: FromWorker, owned: ArrayBuffer[] = []) => self.postMessage(said, owned);
  const controller = new AbortController();
  running.set(id, controller);
  const give = (messages: Message[]) => {
    if (controller.signal.aborted) return;
    tell({ id, messages, decodeMs: decodeMs() }, ownBuffers(messages));
  };
  try {
    const { slices } = await opened;
    await slices.read(slice, give, controller.signal);
    if (!controller.signal.aborted) tell({ id, done: true });
  } catch (error) {
    if (!controller.signal.aborted) tell({ id, error: sentence(error), needsToken: false });
  }
  running.delete(id);
  if (running.size) return;
  for (const go of waiting) go();
  waiting = [];
}

function sentence(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
