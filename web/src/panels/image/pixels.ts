// The raw encodings of sensor_msgs/Image as the pixels of a canvas.

export interface RawImage {
  width: number;
  height: number;
  encoding: string;
  step: number;
  data: Uint8Array;
}

/** Bytes of a pixel, and where red, green, blue and alpha (-1: none) are in them. */
const layouts: Record<string, [number, number, number, number, number]> = {
  rgb8: [3, 0, 1, 2, -1],
  bgr8: [3, 2, 1, 0, -1],
  rgba8: [4, 0, 1, 2, 3],
  bgra8: [4, 2, 1, 0, 3],
  mono8: [1, 0, 0, 0, -1],
  "8UC1": [1, 0, 0, 0, -1],
  "8UC3": [3, 2, 1, 0, -1],
};

/** RGBA of an image. Throws an Error that says why it cannot be shown. */
export function pixelsOf(image: RawImage): Uint8ClampedArray<ArrayBuffer> {
  const { width, height, encoding, step, data } = image;
  const layout = layouts[encoding];
  if (!layout) throw new Error(`Images in the encoding "${encoding}" cannot be shown`);
  const [size, red, green, blue, alpha] = layout;
  if (step < width * size || data.length < (height - 1) * step + width * size) {
    throw new Error(`The image has ${data.length} bytes, too few for ${width} × ${height}`);
  }
  const pixels = new Uint8ClampedArray(width * height * 4);
  let to = 0;
  for (let y = 0; y < height; ++y) {
    let from = y * step;
    for (let x = 0; x < width; ++x, from += size, to += 4) {
      pixels[to] = data[from + red]!;
      pixels[to + 1] = data[from + green]!;
      pixels[to + 2] = data[from + blue]!;
      pixels[to + 3] = alpha < 0 ? 255 : data[from + alpha]!;
    }
  }
  return pixels;
}
