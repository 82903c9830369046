// What a message is as a frame of a video: one place for all types of messages that hold one, so
// that whoever decodes, seeks or holds a video knows nothing of types.
//
//   CompressedVideo   format   h264, h265, hevc, vp9, av1
//   FFMPEGPacket      encoding the same, or an encoder of libav, such as "libx264;yuv420p;bgr8"
//   CompressedImage   format   as CompressedVideo; any other format is a picture

import type { Message } from "../player/store";
import { FORMATS, keyFrameCodec, videoFormat, type VideoFormat } from "./codec";
import { isVideoType, lastWord, mayBeVideo, PACKET } from "./types";

export interface Frame {
  format: VideoFormat;
  /** H.264 and H.265: units of Annex B. */
  data: Uint8Array<ArrayBuffer>;
  /** Of a key frame, from which alone a decoder can begin: its codec as WebCodecs names it. null:
      this is a change to the frames before. */
  codec: string | null;
  /** In pixels, if the message says it. */
  size?: { width: number; height: number };
}

/** Larger ones are not believed. */
const MOST_PIXELS = 1 << 14;

type Known = Frame | null | Error;
const frames = new WeakMap<Message, Known>();

/** The frame in a message of a type; null: it is a picture, or nothing of a camera. Throws what
    keeps a frame from being decoded, in words for the panel. */
export function frameOf(type: string, message: Message): Frame | null {
  let known = frames.get(message);
  if (known === undefined) {
    known = readFrame(type, message);
    frames.set(message, known);
  }
  if (known instanceof Error) throw known;
  return known;
}

/** A message of a video, even one that cannot be decoded. */
export function isFrame(type: string, message: Message): boolean {
  try {
    return frameOf(type, message) !== null;
  } catch {
    return true;
  }
}

/** Where one has to begin to decode messages[at]: at the last key frame or picture up to it. -1:
    there is none, among the last `most`. */
export function beginOf(
  type: string,
  messages: readonly Message[],
  at: number,
  most = Infinity,
): number {
  for (let i = at; i >= 0 && at - i < most; --i) if (isBegin(type, messages[i]!)) return i;
  return -1;
}

/** False too for what no decoder knows. */
export function isBegin(type: string, message: Message): boolean {
  try {
    const frame = frameOf(type, message);
    return frame === null || frame.codec !== null;
  } catch {
    return false;
  }
}

function readFrame(type: string, message: Message): Known {
  if (!mayBeVideo(type)) return null;
  const named = lastWord(type) === PACKET ? "encoding" : "format";
  const fields = (message.value ?? {}) as Record<string, unknown>;
  const { [named]: text, data } = fields;
  const format = typeof text === "string" ? videoFormat(text) : null;
  if (!format && !isVideoType(type)) return null;
  if (typeof text !== "string" || !(data instanceof Uint8Array)) {
    return new Error(`The message has no frame of a video, which has the fields ${named} and data`);
  }
  if (!format) {
    const known = FORMATS.join(", ");
    return new Error(`Video in the format "${text.slice(0, 100)}" cannot be shown, only ${known}`);
  }
  const bytes = data as Uint8Array<ArrayBuffer>;
  return { format, data: bytes, codec: keyFrameCodec(format, bytes), ...sizeIn(fields) };
}

function sizeIn({ width, height }: Record<string, unknown>): Pick<Frame, "size"> {
  const isSize = (value: unknown): value is number =>
    typeof value === "number" && value > 0 && value <= MOST_PIXELS;
  return isSize(width) && isSize(height) ? { size: { width, height } } : {};
}
