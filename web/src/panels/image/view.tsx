import { useEffect, useRef, useState } from "preact/hooks";

import { numberText } from "../../format";
import type { FramePicture } from "../../player/feed";
import type { Message } from "../../player/store";
import { isFrame } from "../../video/frame";
import { Age, Missing, isStale } from "../shared";
import type { PanelProps } from "../panel";
import { calibrationOf, calibrationText, infoTopic } from "./calibration";
import { PictureCanvas, type Legend, type Look } from "./canvas";
import { scales, tableOf, type Scale } from "../scales";
import type { Picture } from "./pixels";
import { ServerVideo } from "./server_video";
import { Video, whyNoDecoder } from "./video";
import "./view.css";

export function ImageView(props: PanelProps) {
  const { topic, feed, place } = props;
  const host = useRef<HTMLDivElement>(null);
  const screen = useRef<Screen | null>(null);
  const pixel = useRef<HTMLOutputElement>(null);
  const [shown, setShown] = useState<Message | undefined>();
  const [problem, setProblem] = useState("");
  const [stale, setStale] = useState(false);
  const [legend, setLegend] = useState<Legend | null>(null);
  const [info, setInfo] = useState("");
  const [source, setSource] = useState("");
  useEffect(() => {
    const told = { setProblem, setLegend, setInfo, setSource };
    const made = new Screen(host.current!, pixel.current!, props, told);
    screen.current = made;
    const end = feed.onFrame(() => {
      const message = feed.at(topic.topic);
      setStale(isStale({ topic, feed, message }));
      setShown(message);
      made.frame(message);
    });
    return () => {
      end();
      made.end();
    };
  }, [feed, topic]);
  useEffect(() => screen.current?.choose(place.settings), [place.settings]);
  const isMissing = !shown || shown.error !== undefined;
  return (
    <div class="image" ref={host}>
      <div class={isMissing || problem ? "stage none" : stale ? "stage stale" : "stage"}>
        <canvas class="picture" role="img" aria-label={`Picture of ${topic.topic}`} />
        <canvas class="over" aria-hidden="true" />
      </div>
      {isMissing && <Missing topic={topic} feed={feed} message={shown} />}
      {!isMissing && problem && <p class="missing">{problem}</p>}
      {stale && <Age topic={topic} feed={feed} message={shown} />}
      <div class="notes">
        <output ref={pixel} class="note" aria-label="Pixel under the pointer" />
        {source && !problem && !isMissing && <span class="note source">{source}</span>}
        {info && <span class="note info">{info}</span>}
        {legend && !problem && !isMissing && <Scale legend={legend} />}
      </div>
      <div class="buttons">
        <button title="Smaller" aria-label="Smaller" onClick={() => screen.current?.zoom(1 / 1.5)}>
          −
        </button>
        <button title="Larger" aria-label="Larger" onClick={() => screen.current?.zoom(1.5)}>
          +
        </button>
        <button title="The whole picture" onClick={() => screen.current?.zoom(0)}>
          Fit
        </button>
        <button
          title="Download the picture as a PNG file"
          disabled={isMissing || problem !== ""}
          onClick={() => void screen.current?.download()}
        >
          PNG
        </button>
      </div>
    </div>
  );
}

function Scale({ legend: { map, low, high, unit } }: { legend: Legend }) {
  const bar = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const pixels = new ImageData(256, 1);
    const table = tableOf(map);
    for (let i = 0; i < 256; ++i) {
      pixels.data.set([table[i * 3]!, table[i * 3 + 1]!, table[i * 3 + 2]!, 255], i * 4);
    }
    bar.current!.getContext("2d")!.putImageData(pixels, 0, 0);
  }, [map]);
  return (
    <span class="note scale">
      {numberText(low)}
      <canvas ref={bar} width={256} height={1} role="img" aria-label={`Colours: ${map}`} />
      {numberText(high)} {unit}
    </span>
  );
}

interface Told {
  setProblem(problem: string): void;
  setLegend(legend: Legend | null): void;
  setInfo(info: string): void;
  /** Who decodes, if it is not the browser, and why. */
  setSource(source: string): void;
}

const PIXELS_PER_LINE = 16; // of a wheel

/** One picture on the screen: it follows the messages, the pointer and the settings. */
class Screen {
  private readonly canvas: PictureCanvas;
  private decoder: Video | ServerVideo | null = null; // of the frames so far
  private readonly gone = new AbortController();
  private last: Message | undefined; // that is to be shown
  private isVideo = false; // it is a frame of a video
  private busy = false;
  private waiting: Message | undefined;
  private drawn: Picture | null = null;
  private look: Look = { map: undefined, low: undefined, high: undefined };
  private infoFrom = "";
  private infoShown: Message | undefined;
  private pointer: { x: number; y: number } | null = null;

  constructor(
    private readonly host: HTMLElement,
    private readonly pixel: HTMLOutputElement,
    private readonly props: PanelProps,
    private readonly told: Told,
  ) {
    const { place } = props;
    const [picture, over] = host.querySelectorAll("canvas");
    this.canvas = new PictureCanvas(host, picture!, over!);
    this.choose(place.settings);
    this.listen();
  }

  /** Made for the first frame. */
  private get video(): Video | ServerVideo {
    return (this.decoder ??= this.browserVideo());
  }

  private browserVideo(): Video | ServerVideo {
    const why = whyNoDecoder();
    if (why) return this.serverVideo(why);
    const { feed, topic } = this.props;
    const give = (frame: VideoFrame, time: number) => {
      if (this.isVideo) this.put(frame, time);
    };
    // From then on the server decodes the video, since the browser does not.
    const refuse = (reason: string) => (this.decoder = this.serverVideo(reason));
    return new Video(feed, topic, give, (problem) => this.tellOfVideo(problem), refuse);
  }

  private serverVideo(why: string): ServerVideo {
    const { feed, topic } = this.props;
    const give = ({ picture, time }: FramePicture) => {
      if (!this.isVideo) return;
      this.put(picture, time);
      this.told.setSource(`Decoded by the server. ${why}.`);
    };
    return new ServerVideo(feed, topic, why, give, (problem) => this.tellOfVideo(problem));
  }

  private tellOfVideo(problem: string): void {
    if (this.isVideo) this.tell(problem);
  }
  private tell(problem: string): void {
    delete this.host.dataset.time;
    this.told.setProblem(problem);
  }

  end(): void {
    this.gone.abort();
    this.decoder?.close();
  }

  choose(settings: Record<string, string>): void {
    const number = (text: string | undefined) => {
      const value = Number(text || NaN);
      return Number.isFinite(value) ? value : undefined;
    };
    const map = scales.find((each): each is Scale => each === settings.map);
    this.look = { map, low: number(settings.low), high: number(settings.high) };
    const { place, topics } = this.props;
    this.infoFrom = settings.info === "on" ? infoTopic(place.topic, topics) : "";
    if (this.drawn) this.draw(this.drawn);
  }

  frame(message: Message | undefined): void {
    this.canvas.fitPanel();
    this.showInfo();
    const isNew = message !== this.last;
    if (isNew) this.begin(message);
    if (message && this.isVideo) this.video.show(message); // in each frame of the page
    else if (!isNew) return;
    else if (!message || message.error) delete this.host.dataset.time;
    else if (this.busy) this.waiting = message;
    else void this.show(message);
  }

  private begin(message: Message | undefined): void {
    this.last = message;
    this.waiting = undefined;
    const { type } = this.props.topic;
    const isVideo = message !== undefined && !message.error && isFrame(type, message);
    if (this.isVideo && !isVideo) this.told.setSource("");
    this.isVideo = isVideo;
  }

  /** While a picture is decoded, only the newest message waits, so that there is one to see even if
      they come faster than they can be decoded. */
  private async show(message: Message): Promise<void> {
    this.busy = true;
    let next: Message | undefined = message;
    while (next && !this.gone.signal.aborted) {
      this.waiting = undefined;
      try {
        const picture = await this.canvas.read(next.value);
        if (!this.isVideo) this.put(picture, next.time);
        if (picture instanceof ImageBitmap) picture.close();
      } catch (error) {
        if (!this.isVideo) this.tell((error as Error).message);
      }
      next = this.waiting;
    }
    this.busy = false;
  }

  private put(drawn: Picture | ImageBitmap | VideoFrame, time: number): void {
    this.drawn = "colours" in drawn || "numbers" in drawn ? drawn : null;
    this.draw(drawn);
    this.told.setProblem("");
    this.host.dataset.time = String(time);
  }

  private draw(drawn: Picture | ImageBitmap | VideoFrame): void {
    this.canvas.put(drawn, this.look);
    const { legend } = this.canvas;
    this.told.setLegend(legend);
    this.showPixel();
  }

  private showInfo(): void {
    const message = this.infoFrom ? this.props.feed.at(this.infoFrom) : undefined;
    if (message === this.infoShown) return;
    this.infoShown = message;
    this.canvas.calibration = calibrationOf(message?.value);
    const { calibration } = this.canvas;
    this.told.setInfo(calibration ? calibrationText(calibration) : "");
    this.canvas.place();
  }

  /** 0: the whole picture. */
  zoom(factor: number): void {
    if (factor === 0) this.canvas.fit();
    else this.canvas.zoom(factor);
  }

  async download(): Promise<void> {
    const blob = await this.canvas.png();
    if (!blob) return;
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    const name = this.props.topic.topic.replace(/[^\w.-]+/g, "_").replace(/^_/, "");
    link.download = `${name}_${Number(this.host.dataset.time).toFixed(3)}.png`;
    link.click();
    URL.revokeObjectURL(link.href);
  }

  private listen(): void {
    const { signal } = this.gone;
    const { host, canvas } = this;
    const at = (event: MouseEvent) => {
      const box = host.getBoundingClientRect();
      return { x: event.clientX - box.left, y: event.clientY - box.top };
    };
    const wheel = (event: WheelEvent) => {
      if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) return; // to another page
      event.preventDefault();
      const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? PIXELS_PER_LINE : 1;
      const { x, y } = at(event);
      canvas.zoom(Math.exp((-event.deltaY * lines) / 300), x, y);
      this.showPixel();
    };
    const move = (event: PointerEvent) => {
      if (event.buttons === 1) canvas.move(event.movementX, event.movementY);
      this.pointer = at(event);
      this.showPixel();
    };
    const stage = host.querySelector<HTMLElement>(".stage")!;
    stage.addEventListener("wheel", wheel, { signal, passive: false });
    stage.addEventListener("pointermove", move, { signal });
    stage.addEventListener("pointerleave", () => this.forgetPointer(), { signal });
    stage.addEventListener("dblclick", () => canvas.fit(), { signal });
  }

  private forgetPointer(): void {
    this.pointer = null;
    this.pixel.textContent = "";
  }

  private showPixel(): void {
    if (this.pointer) {
      this.pixel.textContent = this.canvas.pixelText(this.pointer.x, this.pointer.y);
    }
  }
}
