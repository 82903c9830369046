// A video by the decoder of the browser (WebCodecs). Each frame but a key frame needs those before
// it, so a decoder gets every message from the last key frame on. While a bag plays, that is the
// next message; after a seek, it is all from the last key frame before the instant, of which only
// the last one is shown.

import type { Topic } from "../../api";
import type { Feed } from "../../player/feed";
import type { Message } from "../../player/store";
import { beginOf, frameOf, isBegin, type Frame } from "../../video/frame";

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
    private readonly topic: Topic,
    private readonly give: (frame: VideoFrame, time: number) => void,
    private readonly tell: (why: string) => void,
    /** The browser has no decoder for this video. */
    private readonly refuse: (why: string) => void,
  ) {}

  /** Called in each frame of the page, with the message at its instant, which is a frame. */
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
    const { topic, type } = this.topic;
    const held = this.feed.between(topic, this.last.time - 1e-9, message.time);
    const at = held.indexOf(this.last);
    if (at < 0) return null;
    const next = held.slice(at + 1);
    if (next.some((each) => !frameOf(type, each))) return null; // a picture: the stream ended
    // From a key frame on, if there is one: what is before it need not be decoded.
    return next.length > 2 && next.slice(1).some((each) => isBegin(type, each)) ? null : next;
  }

  private sinceKeyFrame(message: Message): Message[] {
    const { topic, type } = this.topic;
    frameOf(type, message); // says why it is none
    const held = this.feed.between(topic, -Infinity, message.time);
    const begin = beginOf(type, held, held.length - 1);
    const frame = begin < 0 ? null : frameOf(type, held[begin]!);
    if (!frame?.codec) throw new Error(withoutKeyFrame(message, held[0]));
    this.begin(frame, frame.codec);
    this.from = stampOf(message);
    return held.slice(begin);
  }

  private begin({ format, size }: Frame, codec: string): void {
    this.close();
    this.got = -1;
    const pixels = size && { codedWidth: size.width, codedHeight: size.height };
    const config = { codec, optimizeForLatency: true, ...pixels };
    const reason = `This browser has no decoder for ${format} (${codec})`;
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
          if (!isKnown) this.refuse(reason);
        });
      },
    });
    this.decoder = decoder;
    try {
      decoder.configure(config);
    } catch {
      this.refuse(reason);
      throw new Error(reason);
    }
  }

  private decode(message: Message): void {
    if (this.decoder?.state !== "configured") return;
    this.last = message;
    const { codec, data } = frameOf(this.topic.type, message)!;
    const type = codec ? "key" : "delta";
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
