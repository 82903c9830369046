// The picture on its canvas: what was drawn last, where it is in the panel, and what is drawn over
// it. It is given messages, and it gives colours and numbers of pixels.

import { numberText } from "../../format";
import type { Calibration } from "./calibration";
import type { Scale } from "../scales";
import { coloursOf, rangeOf } from "./colours";
import { readCompressed, type Compressed } from "./compressed";
import { readImage, type Numbers, type Picture } from "./pixels";
import { fitted, kept, zoomed, type Size, type Stage } from "./stage";

export interface Look {
  map: Scale | undefined;
  low: number | undefined;
  high: number | undefined;
}

export interface Legend {
  map: Scale;
  low: number;
  high: number;
  unit: string;
}

export class PictureCanvas {
  private stage: Stage | null = null; // null: fitted
  private numbers: Numbers | null = null;
  private panel: Size = { width: 0, height: 0 };
  legend: Legend | null = null;
  calibration: Calibration | null = null;

  constructor(
    private readonly host: HTMLElement,
    readonly picture: HTMLCanvasElement,
    private readonly overlay: HTMLCanvasElement,
  ) {}

  /** A message of an image that is not a video. */
  async read(value: unknown): Promise<Picture | ImageBitmap> {
    if (typeof value === "object" && value !== null && "encoding" in value) {
      return readImage(value);
    }
    const image = (value ?? {}) as Partial<Compressed>;
    const format = typeof image.format === "string" ? image.format : "";
    const known = await readCompressed({ ...(image as Compressed), format });
    if (known) return known;
    return createImageBitmap(new Blob([image.data!])).catch(() => {
      const named = format ? ` (${format.slice(0, 100)})` : "";
      throw new Error(`The browser cannot show this picture${named}`);
    });
  }

  put(drawn: Picture | ImageBitmap | VideoFrame, look: Look): void {
    const context = this.picture.getContext("2d")!;
    this.numbers = null;
    this.legend = null;
    if ("numbers" in drawn || "colours" in drawn) {
      const pixels = "colours" in drawn ? drawn.colours : this.coloured(drawn, look);
      this.resize(drawn.width, drawn.height);
      context.putImageData(new ImageData(pixels, drawn.width, drawn.height), 0, 0);
    } else {
      const isFrame = "displayWidth" in drawn;
      const [width, height] = isFrame
        ? [drawn.displayWidth, drawn.displayHeight]
        : [drawn.width, drawn.height];
      this.resize(width, height);
      context.drawImage(drawn, 0, 0, width, height);
    }
    this.place();
  }

  private coloured(numbers: Numbers, look: Look): Uint8ClampedArray<ArrayBuffer> {
    this.numbers = numbers;
    const own = numbers.range ?? rangeOf(numbers);
    const [low, high] = [look.low ?? own[0], look.high ?? own[1]];
    const map = look.map ?? (numbers.isGrey ? "grey" : "turbo");
    const isPlain = map === "grey" && low === 0 && high === 255;
    if (!isPlain) this.legend = { map, low, high, unit: numbers.unit };
    return coloursOf(numbers, [low, high], map);
  }

  /** Setting a size clears a canvas, even if it is the same. */
  private resize(width: number, height: number): void {
    if (this.picture.width === width && this.picture.height === height) return;
    this.picture.width = width;
    this.picture.height = height;
    this.stage = null;
  }

  /** Called in each frame; does nothing if nothing has changed. */
  fitPanel(): void {
    const { clientWidth: width, clientHeight: height } = this.host;
    if (width === this.panel.width && height === this.panel.height) return;
    this.panel = { width, height };
    this.place();
  }

  private get shown(): Stage {
    return this.stage ?? fitted(this.picture, this.panel);
  }

  zoom(factor: number, x = this.panel.width / 2, y = this.panel.height / 2): void {
    const stage = zoomed(this.shown, factor, { x, y }, this.picture, this.panel);
    this.stage = stage.scale > fitted(this.picture, this.panel).scale ? stage : null;
    this.place();
  }
  move(x: number, y: number): void {
    if (!this.stage) return;
    const { left, top, scale } = this.stage;
    this.stage = kept({ left: left + x, top: top + y, scale }, this.picture, this.panel);
    this.place();
  }
  fit(): void {
    this.stage = null;
    this.place();
  }

  place(): void {
    if (this.panel.width === 0) return;
    const { left, top, scale } = this.shown;
    const { style } = this.picture;
    style.transform = `translate(${left}px, ${top}px) scale(${scale})`;
    // A finger moves the picture if it is zoomed, else the page.
    this.picture.parentElement!.style.touchAction = this.stage ? "none" : "";
    style.imageRendering = scale >= 2 ? "pixelated" : "auto";
    this.drawOver();
  }

  /** The pixel at a place of the panel, and what it is; "": there is none. */
  pixelText(panelX: number, panelY: number): string {
    const { left, top, scale } = this.shown;
    const x = Math.floor((panelX - left) / scale);
    const y = Math.floor((panelY - top) / scale);
    const { width, height } = this.picture;
    if (x < 0 || y < 0 || x >= width || y >= height) return "";
    return `${x}, ${y}: ${this.valueText(x, y)}`;
  }

  private valueText(x: number, y: number): string {
    if (this.numbers) {
      const value = this.numbers.numbers[y * this.numbers.width + x]!;
      if (value === this.numbers.none || Number.isNaN(value)) return `${value} (no value)`;
      return `${numberText(value)} ${this.numbers.unit}`.trim();
    }
    // From a copy: a canvas that is read again and again leaves the graphics card.
    const copy = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true })!;
    copy.drawImage(this.picture, -x, -y);
    const [red, green, blue, alpha] = copy.getImageData(0, 0, 1, 1).data;
    return `${red} ${green} ${blue}${alpha === 255 ? "" : ` ${alpha}`}`;
  }

  private drawOver(): void {
    const { width, height } = this.panel;
    const density = devicePixelRatio;
    this.overlay.width = Math.round(width * density);
    this.overlay.height = Math.round(height * density);
    const { calibration } = this;
    if (!calibration || !calibration.width || !calibration.height) return;
    const context = this.overlay.getContext("2d")!;
    const { left, top, scale } = this.shown;
    // The camera info may be of the whole sensor, the picture smaller.
    const across = (scale * this.picture.width) / calibration.width;
    const down = (scale * this.picture.height) / calibration.height;
    context.setTransform(density, 0, 0, density, left * density, top * density);
    const style = getComputedStyle(this.host);
    const stroke = (path: Path2D, colour: string, dashes: number[]) => {
      context.setLineDash(dashes);
      context.lineWidth = 4;
      context.strokeStyle = style.getPropertyValue("--surface");
      context.stroke(path);
      context.lineWidth = 2;
      context.strokeStyle = style.getPropertyValue(colour);
      context.stroke(path);
    };
    const border = new Path2D();
    border.rect(0.5, 0.5, calibration.width * across - 1, calibration.height * down - 1);
    stroke(border, "--accent", []);
    if (calibration.roi) {
      const [x, y, w, h] = calibration.roi;
      const part = new Path2D();
      part.rect(x * across, y * down, w * across, h * down);
      stroke(part, "--series-2", [6, 4]);
    }
    const [x, y] = [calibration.cx * across, calibration.cy * down];
    const cross = new Path2D();
    cross.moveTo(x - 12, y);
    cross.lineTo(x + 12, y);
    cross.moveTo(x, y - 12);
    cross.lineTo(x, y + 12);
    cross.addPath(circle(x, y, 6));
    stroke(cross, "--series-2", []);
  }

  png(): Promise<Blob | null> {
    return new Promise((resolve) => this.picture.toBlob(resolve, "image/png"));
  }
}

function circle(x: number, y: number, radius: number): Path2D {
  const path = new Path2D();
  path.arc(x, y, radius, 0, 2 * Math.PI);
  return path;
}
