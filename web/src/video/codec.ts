// What the bytes of a video say about themselves: whether a message is a key frame, from which
// alone a decoder can begin, and the name of its codec as WebCodecs wants it. The program reads the
// same (src/pictures/key_frame.cpp).

export const FORMATS = ["h264", "h265", "vp9", "av1"] as const;
export type VideoFormat = (typeof FORMATS)[number];

/** ffmpeg_image_transport has named the encoder, and later ones the format. */
const NAMES: [string, VideoFormat][] = [
  ...FORMATS.map((each): [string, VideoFormat] => [each, each]),
  ["hevc", "h265"],
  ["libx264", "h264"],
  ["libx264rgb", "h264"],
  ["libopenh264", "h264"],
  ["libx265", "h265"],
  ["libvpx-vp9", "vp9"],
  ["libaom-av1", "av1"],
  ["libsvtav1", "av1"],
];

/** "h265" of "HEVC", "hevc_nvenc" and "hevc;bgr8"; null: it is not known. */
export function videoFormat(text: string): VideoFormat | null {
  const plain = text.split(/[; ,]/, 1)[0]!.toLowerCase();
  // "h264_nvenc" is an encoder of it that the machine has.
  const found = NAMES.find(([name]) => plain === name || plain.startsWith(`${name}_`));
  return found?.[1] ?? null;
}

/** The codec of a key frame; null: this is none. */
export function keyFrameCodec(format: VideoFormat, data: Uint8Array): string | null {
  switch (format) {
    case "h264":
      return h264(data);
    case "h265":
      return h265(data);
    case "vp9":
      return vp9(data);
    case "av1":
      return av1(data);
  }
}

const hex = (byte: number) => byte.toString(16).padStart(2, "0");

/** The units of Annex B, which stand behind codes 0 0 1, each with all that comes after it: where
    it ends is not looked for. */
function* units(data: Uint8Array): Generator<Uint8Array> {
  for (let i = 0; i + 3 < data.length; ++i) {
    if (data[i] !== 0 || data[i + 1] !== 0 || data[i + 2] !== 1) continue;
    yield data.subarray(i + 3);
    i += 2;
  }
}

function h264(data: Uint8Array): string | null {
  const IDR = 5;
  const PARAMETERS = 7;
  let codec: string | null = null;
  for (const unit of units(data)) {
    const type = unit[0]! & 31;
    if (type === PARAMETERS && unit.length >= 4) {
      codec = `avc1.${[...unit.subarray(1, 4)].map(hex).join("")}`;
    }
    if (type === IDR) return codec;
    if (type >= 1 && type < IDR) return null; // of another picture, which comes first
  }
  return null;
}

function h265(data: Uint8Array): string | null {
  const PARAMETERS = 33;
  let codec: string | null = null;
  for (const unit of units(data)) {
    const type = (unit[0]! >> 1) & 63;
    if (type === PARAMETERS) codec = hevcName(withoutEscapes(unit.subarray(2, 32)));
    if (type < 32) return type >= 16 && type <= 21 ? codec : null;
  }
  return null;
}

/** 0 0 3 stands for 0 0 where a code would begin otherwise. */
function withoutEscapes(unit: Uint8Array): Uint8Array {
  return unit.filter((byte, i) => byte !== 3 || i < 2 || unit[i - 1] !== 0 || unit[i - 2] !== 0);
}

/** "hev1.1.6.L93.B0" of the profile and level in the parameters (ISO/IEC 14496-15, E.3). */
function hevcName(unit: Uint8Array): string | null {
  if (unit.length < 13) return null;
  const [profile, level] = [unit[1]!, unit[12]!];
  let compatible = 0;
  for (let bit = 0; bit < 32; ++bit) {
    if (unit[2 + (bit >> 3)]! & (128 >> (bit & 7))) compatible += 2 ** bit;
  }
  const constraints = [...unit.subarray(6, 12)];
  while (constraints.length && constraints.at(-1) === 0) constraints.pop();
  const space = ["", "A", "B", "C"][profile >> 6];
  const tier = profile & 32 ? "H" : "L";
  const parts = [`${space}${profile & 31}`, compatible.toString(16), `${tier}${level}`];
  return ["hev1", ...parts, ...constraints.map((byte) => byte.toString(16))].join(".");
}

/** Bits: 1 0, the profile (the lower bit first), for profile 3 a reserved one, whether a known
    frame is shown again, and whether it depends on others. */
function vp9(data: Uint8Array): string | null {
  const first = data[0] ?? 0;
  if (first >> 6 !== 2) return null;
  const profile = ((first >> 5) & 1) | ((first >> 3) & 2);
  const shift = profile === 3 ? 1 : 0;
  const isKey = ((first >> (3 - shift)) & 1) === 0 && ((first >> (2 - shift)) & 1) === 0;
  return isKey ? `vp09.0${profile}.10.${profile >= 2 ? "10" : "08"}` : null;
}

/** A key frame comes with a sequence header. */
function av1(data: Uint8Array): string | null {
  const SEQUENCE_HEADER = 1;
  for (let at = 0; at < data.length; ) {
    const header = data[at]!;
    const type = (header >> 3) & 15;
    at += header & 4 ? 2 : 1;
    let size = data.length - at;
    if (header & 2) {
      size = 0;
      for (let shift = 0; shift < 35 && at < data.length; shift += 7) {
        const byte = data[at++]!;
        size += (byte & 127) * 2 ** shift;
        if (!(byte & 128)) break;
      }
    }
    if (type === SEQUENCE_HEADER && at < data.length) {
      return `av01.${data[at]! >> 5}.08M.08`;
    }
    at += size;
  }
  return null;
}
