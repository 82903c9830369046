// A file of this machine as a bag. A worker reads it, by ranges, so it may be larger than the
// memory; nothing of it leaves the page.

import type { SliceWorker } from "../../player/loader";
import type { FromWorker, ToWorker } from "../../player/worker";
import {
  isLocal,
  localName,
  setSource,
  sourceInPage,
  type BagSource,
  type Slices,
} from "../source";
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

  send(): Promise<Response> {
    return Promise.reject(new Error("a file that is not on the server takes nothing"));
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

const opened = new Map<string, LocalSource>();

/** Files of one name, which are of different folders, with names that tell them apart. */
export function withOwnNames(files: File[]): File[] {
  const names = new Set<string>();
  return files.map((file) => {
    let { name } = file;
    for (let i = 2; names.has(name); ++i) name = file.name.replace(/(\.[^.]*)?$/, ` (${i})$1`);
    names.add(name);
    return name === file.name ? file : new File([file], name);
  });
}

/** Makes a file a bag of the page; returns the bag's name. Another file of this name is closed. */
export function openLocal(file: File): string {
  const name = localName(file.name);
  const source = new LocalSource(file);
  opened.get(name)?.close();
  opened.set(name, source);
  setSource(name, source);
  return name;
}

/** Closes all files but those of some bags. */
export function closeLocals(except: string[]): void {
  for (const [name, source] of opened) {
    if (except.includes(name)) continue;
    source.close();
    opened.delete(name);
    setSource(name, null);
  }
}

/** The file among these bags that has to be chosen before they can be shown; null: none. */
export function missingLocal(names: string[]): string | null {
  return names.find((name) => isLocal(name) && !sourceInPage(name)) ?? null;
}
