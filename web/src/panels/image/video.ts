// foxglove.CompressedVideo by the decoder of the browser (WebCodecs). Each frame but a key frame
// needs those before it, so a decoder gets every message from the last key frame on. While a bag
// plays, that is the next message; after a seek, it is all from the last key frame before the
// instant, of which only the last one is shown.

import type { Feed } from "../../player/feed";
import type { Message } from "../../player/store";
import { codecOf, type VideoMessage } from "./codec";

/** Calls with nothing to do until a decoder that holds a frame back is told to give it. */
const PATIENCE = 6;

export class Video {
  private decoder: VideoDecoder | null = null;
  private last: Message | undefined; // that the decoder has
  private from = 0; // frames before it are not shown, in µs
  private wanted = 0;
  private got = -1;
  private idle = 0;
  private failed: Message | undefined;

  constructor(
    private readonly feed: Feed,
    private readonly topic: string,
    private readonly give: (frame: VideoFrame, time: number) => void,
    private readonly tell: (why: string) => void,
    /** The browser has no decoder for this video. */
    private readonly refuse: (why: string) => void,
  ) {}

  /** Called in each frame of the page, with the message at its instant. */
  show(message: Message): void {
    if (message === this.failed) return;
    const stamp = stampOf(message);
    if (message === this.last) {
      this.flushIfHeldBack();
      return;
    }
    try {
      const parts = this.following(message) ?? this.sinceKeyFrame(message);
      this.wanted = stamp;
      this.idle = 0;
      for (const part of parts) this.decode(part);
    } catch (error) {
      this.fail(message, (error as Error).message);
    }
  }

  close(): void {
    if (this.decoder && this.decoder.state !== "closed") this.decoder.close();
    this.decoder = null;
    this.last = undefined;
  }

  /** What comes after the last message that the decoder has; null: it has to begin anew. */
  private following(message: Message): Message[] | null {
    if (!this.decoder || !this.last || message.time < this.last.time) return null;
    const held = this.feed.between(this.topic, this.last.time - 1e-9, message.time);
    const at = held.indexOf(this.last);
    if (at < 0) return null;
    const next = held.slice(at + 1);
    // From a key frame on, if there is one: what is before it need not be decoded.
    return next.length > 2 && next.slice(1).some((each) => codecOf(each)) ? null : next;
  }

  private sinceKeyFrame(message: Message): Message[] {
    const held = this.feed.between(this.topic, -Infinity, message.time);
    let key = held.length - 1;
    while (key >= 0 && !codecOf(held[key]!)) --key;
    if (key < 0) throw new Error(withoutKeyFrame(message, held[0]));
    this.begin(codecOf(held[key]!)!, message);
    this.from = stampOf(message);
    return held.slice(key);
  }

  private begin(codec: string, message: Message): void {
    this.close();
    this.got = -1;
    const { format } = message.value as VideoMessage;
    const config = { codec, optimizeForLatency: true };
    const decoder: VideoDecoder = new VideoDecoder({
      output: (frame) => {
        if (decoder === this.decoder && frame.timestamp >= this.from) {
          this.got = frame.timestamp;
          this.give(frame, frame.timestamp / 1e6);
        }
        frame.close();
      },
      error: (error) => {
        if (decoder !== this.decoder) return;
        this.fail(this.last, `The video cannot be decoded: ${error.message}`);
        // What the error is called depends on the browser.
        void isSupported(config).then((isKnown) => {
          if (!isKnown) this.refuse(`This browser has no decoder for ${format} (${codec})`);
        });
      },
    });
    this.decoder = decoder;
    decoder.configure(config);
  }

  private decode(message: Message): void {
    if (this.decoder?.state !== "configured") return;
    this.last = message;
    const { data } = message.value as VideoMessage;
    const type = codecOf(message) ? "key" : "delta";
    this.decoder.decode(new EncodedVideoChunk({ type, timestamp: stampOf(message), data }));
  }

  /** Some decoders wait for the next frame before they give one. Told to give all, they need a
      key frame next. */
  private flushIfHeldBack(): void {
    if (this.got >= this.wanted || this.decoder?.state !== "configured") return;
    if (this.decoder.decodeQueueSize > 0 || ++this.idle !== PATIENCE) return;
    const { decoder } = this;
    decoder.flush().then(
      () => decoder === this.decoder && this.forgetStream(),
      () => {}, // told by `error`
    );
  }

  /** The next message begins at its key frame; the one that is shown stays. */
  private forgetStream(): void {
    const shown = this.last;
    this.close();
    this.last = shown;
  }

  private fail(message: Message | undefined, why: string): void {
    this.close();
    this.failed = message;
    this.tell(why);
  }
}

function isSupported(config: VideoDecoderConfig): Promise<boolean> {
  return VideoDecoder.isConfigSupported(config).then(
    ({ supported }) => supported === true,
    () => false,
  );
}

const stampOf = (message: Message) => Math.round(message.time * 1e6);

/** Why the browser decodes no video at all; "": it does. */
export function whyNoDecoder(): string {
  if (!isSecureContext) {
    return "Browsers decode video only on pages that come by HTTPS or from 127.0.0.1";
  }
  return typeof VideoDecoder === "undefined" ? "This browser cannot decode video" : "";
}

function withoutKeyFrame(message: Message, first: Message | undefined): string {
  const seconds = message.time - (first?.time ?? message.time);
  return (
    `No key frame in the ${seconds.toFixed(1)} s before this instant that the page holds; ` +
    "the picture comes with the next one"
  );
}
