// Reads and decodes slices beside the page, so that the page does not stop for it.

import { TokenNeeded } from "../api";
import { decodeMs, ownBuffers, readSlice, type Slice } from "./slice";
import type { Message } from "./store";

export type ToWorker = { id: number; read: Slice } | { id: number; cancel: true };
export type FromWorker =
  /** `decodeMs`: what decoding took of all messages until now. */
  | { id: number; messages: Message[]; decodeMs?: number }
  | { id: number; done: true; damage?: string[] }
  | { id: number; error: string; needsToken: boolean };

const running = new Map<number, AbortController>();
const tell = (answer: FromWorker, owned: ArrayBuffer[] = []) => self.postMessage(answer, owned);

self.onmessage = async ({ data }: MessageEvent<ToWorker>) => {
  const { id } = data;
  if ("cancel" in data) {
    running.get(id)?.abort();
    return;
  }
  const controller = new AbortController();
  running.set(id, controller);
  const give = (messages: Message[]) =>
    tell({ id, messages, decodeMs: decodeMs() }, ownBuffers(messages));
  try {
    const damage = await readSlice(data.read, give, controller.signal);
    tell({ id, done: true, damage });
  } catch (error) {
    if (!controller.signal.aborted) {
      const text = error instanceof Error ? error.message : String(error);
      tell({ id, error: text, needsToken: error instanceof TokenNeeded });
    }
  } finally {
    running.delete(id);
  }
};
