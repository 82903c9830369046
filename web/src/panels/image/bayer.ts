// The mosaic of a colour camera, whose pixels have one colour each, as colours: each pixel takes
// what it lacks as the mean of its neighbours (bilinear). At the border the neighbour on the other
// side is taken, which has the same colour.

const RED = 0;
const GREEN = 1;

/** RGBA of a mosaic; `pattern` is the first two rows of two: "rggb". */
export function bayerPixels(
  raw: Uint8Array,
  width: number,
  height: number,
  pattern: string,
): Uint8ClampedArray<ArrayBuffer> {
  const colours = [...pattern].map((each) => "rgb".indexOf(each));
  const pixels = new Uint8ClampedArray(width * height * 4);
  for (let y = 0, to = 0; y < height; ++y) {
    const row = y * width;
    const up = inside(y - 1, y + 1, height) * width;
    const down = inside(y + 1, y - 1, height) * width;
    for (let x = 0; x < width; ++x, to += 4) {
      const left = inside(x - 1, x + 1, width);
      const right = inside(x + 1, x - 1, width);
      const own = colours[(y & 1) * 2 + (x & 1)]!;
      const sides = (raw[row + left]! + raw[row + right]!) / 2;
      const above = (raw[up + x]! + raw[down + x]!) / 2;
      if (own === GREEN) {
        const beside = colours[(y & 1) * 2 + ((x + 1) & 1)]!;
        pixels[to] = beside === RED ? sides : above;
        pixels[to + 1] = raw[row + x]!;
        pixels[to + 2] = beside === RED ? above : sides;
      } else {
        const corners =
          (raw[up + left]! + raw[up + right]! + raw[down + left]! + raw[down + right]!) / 4;
        pixels[to] = own === RED ? raw[row + x]! : corners;
        pixels[to + 1] = (sides + above) / 2;
        pixels[to + 2] = own === RED ? corners : raw[row + x]!;
      }
      pixels[to + 3] = 255;
    }
  }
  return pixels;
}

function inside(at: number, mirrored: number, count: number): number {
  if (at >= 0 && at < count) return at;
  return mirrored >= 0 && mirrored < count ? mirrored : 0;
}
