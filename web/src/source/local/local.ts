// A file of this machine as a bag. A worker reads it, by ranges, so it may be larger than the
// memory; nothing of it leaves the page.

import type { SliceWorker } from "../../player/loader";
import type { FromWorker, ToWorker } from "../../player/worker";
import { localName, setLocal, type BagSource, type Slices } from "../source";
import type { FromLocal, ToLocal } from "./worker";

interface Waiting {
  take(text: string): void;
  refuse(error: Error): void;
}

class LocalSource implements BagSource {
  private readonly worker = new Worker(new URL("./worker.ts", import.meta.url), {
    type: "module",
  });
  private readonly waiting = new Map<number, Waiting>();
  private last = 0;
  private reader: LocalSlices | null = null;

  constructor(file: File) {
    this.worker.onmessage = ({ data }: MessageEvent<FromLocal | FromWorker>) => {
      if (!("asked" in data)) {
        this.reader?.onmessage?.(new MessageEvent("message", { data }));
        return;
      }
      const waiting = this.waiting.get(data.asked);
      this.waiting.delete(data.asked);
      if ("text" in data) waiting?.take(data.text);
      else waiting?.refuse(new Error(data.error));
    };
    this.tell({ open: file });
  }

  ask(what: string): Promise<Response> {
    const asked = ++this.last;
    const text = new Promise<string>((take, refuse) => this.waiting.set(asked, { take, refuse }));
    this.tell({ asked, what });
    return text.then((json) => new Response(json));
  }

  /** Whoever plays the file last has its slices. */
  slices(): Slices {
    this.reader = new LocalSlices((message) => this.tell(message));
    return this.reader;
  }

  close(): void {
    this.worker.terminate();
  }

  private tell(message: ToLocal): void {
    this.worker.postMessage(message);
  }
}

class LocalSlices implements Slices {
  onmessage: SliceWorker["onmessage"] = null;
  private id = 0;

  constructor(private readonly tell: (message: ToWorker) => void) {}

  postMessage(message: ToWorker): void {
    this.id = message.id;
    this.tell(message);
  }

  /** The worker goes on: it has the file open. */
  terminate(): void {
    this.onmessage = null;
    this.tell({ id: this.id, cancel: true });
  }
}

let current: LocalSource | null = null;

/** Makes a file the local bag of the page; returns the bag's name. */
export function openLocal(file: File): string {
  current?.close();
  current = new LocalSource(file);
  const name = localName(file.name);
  setLocal(name, current);
  return name;
}
