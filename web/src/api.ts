// Requests to the server that the page came from. Nothing else is ever asked. What is about a file
// of this machine, or about several bags together, is answered in the page.

import { answererOf } from "./source/source";

/** The server wants a token before it answers. */
export class TokenNeeded extends Error {}

export interface Bag {
  filename: string;
  size_bytes: number;
  end: string;
  start_time?: number;
  end_time?: number;
  duration?: number;
  messages?: number;
  topics?: number;
  recording?: boolean;
  damaged?: boolean;
  error?: string;
  /** Only of a bag of a catalog. */
  tags?: Record<string, string>;
  note?: string;
  /** Messages in each part of the bag. */
  density?: number[];
  topic_list?: BriefTopic[];
}

export type BriefTopic = Pick<Topic, "topic" | "type" | "messages">;

export interface Topic {
  topic: string;
  type: string;
  messages: number;
  rate_hz?: number;
  latched: number;
}

export interface Schema {
  name: string;
  language: string;
  text?: string;
  /** In place of the text, where it is none. */
  data_base64?: string;
  topics: string[];
}

export interface TimelineTopic {
  topic: string;
  messages: number;
  counts: number[];
  /** Only topics with more than two messages have a period and gaps. */
  median_period?: number;
  gaps?: { start_time: number; end_time: number }[];
  has_more_gaps?: boolean;
  /** Of log times behind the stamps in headers, in seconds; only where it was asked for. */
  delay?: { least: number; median: number; most: number };
  /** Sequence numbers that no message has. */
  missing?: number;
}

export interface Timeline {
  start_time: number;
  bucket_duration: number;
  topics: TimelineTopic[];
  damage?: string[];
  /** Of several bags together: each of them by itself, in parts of its own. */
  pieces?: Timeline[];
}

export interface Series {
  topic: string;
  field: string;
  count: number[];
  min: (number | null)[];
  max: (number | null)[];
  mean: (number | null)[];
  last?: (number | null)[];
}

export interface SeriesAnswer {
  start_time: number;
  bucket_duration: number;
  buckets: number;
  series: Series[];
}

export function ask(path: string, signal?: AbortSignal): Promise<Response> {
  const own = answererOf(path);
  return own ? own.source.ask(own.what, signal) : request(path, signal ? { signal } : {});
}

/** Sends JSON. `etag`: the state that it is to replace; else it is added. */
export function send(path: string, body: string, etag?: string): Promise<Response> {
  const own = answererOf(path);
  if (own) return own.source.send(own.what, body, etag);
  const headers = {
    "Content-Type": "application/json",
    ...(etag !== undefined && { "If-Match": etag }),
  };
  return request(path, { method: "POST", body, headers });
}

let underWay = 0;

/** How many requests of this thread have not been answered. */
export const requestsUnderWay = () => underWay;

async function request(path: string, options: RequestInit): Promise<Response> {
  // The header keeps the browser from asking for a password by itself.
  const headers = { ...options.headers, "X-Requested-With": "kitbag" };
  ++underWay;
  const response = await fetch(path, { ...options, headers })
    .catch((error: Error) => {
      // Browsers have words of their own for it: "Failed to fetch".
      throw error.name === "AbortError" ? error : new Error("the server does not answer");
    })
    .finally(() => --underWay);
  if (response.status === 401) throw new TokenNeeded("a token is needed");
  if (!response.ok) throw new Error(await whyRefused(response));
  return response;
}

async function whyRefused(response: Response): Promise<string> {
  try {
    const { error } = (await response.json()) as { error?: string };
    if (error) return error;
  } catch {
    // A proxy's page, not an answer of the server.
  }
  return `the server answers ${response.status}`;
}

export async function askJson<T>(path: string, signal?: AbortSignal): Promise<T> {
  return (await (await ask(path, signal)).json()) as T;
}

/** The path of what the server has about a bag: bagPath("a b.bag", "topics"). */
export function bagPath(bag: string, what: string): string {
  return `/bags/${encodeURIComponent(bag)}/${what}`;
}

/** A topic as what selects topics takes it: a glob that only its name matches. In lists that the
    server takes, a comma of its own has no other form than any character. */
export function topicPattern(topic: string, isInList = true): string {
  const pattern = topic.replace(/[*?[\]\\,]/g, "\\$&");
  return isInList ? pattern.replaceAll("\\,", "?") : pattern;
}

/** Whether the token is right; if it is, the server sets a cookie that scripts cannot read. */
export async function giveToken(token: string): Promise<boolean> {
  try {
    await ask(`/bags/?token=${encodeURIComponent(token)}`);
    return true;
  } catch (error) {
    if (error instanceof TokenNeeded) return false;
    throw error;
  }
}
