import { useEffect, useRef, useState } from "preact/hooks";

import type { Message } from "../../player/store";
import { Age, Missing, isStale } from "../shared";
import type { PanelProps } from "../panel";
import { pixelsOf, type RawImage } from "./pixels";

interface Compressed {
  format: string;
  data: Uint8Array<ArrayBuffer>;
}

export function ImageView({ topic, feed }: PanelProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [shown, setShown] = useState<Message | undefined>();
  const [problem, setProblem] = useState("");
  const [stale, setStale] = useState(false);
  useEffect(() => {
    let last: Message | undefined;
    return feed.onFrame(() => {
      const message = feed.at(topic.topic);
      setStale(isStale({ topic, feed, message }));
      if (message === last) return;
      last = message;
      setShown(message);
      if (!message || message.error) return;
      const isCurrent = () => last === message;
      draw(canvas.current!, message.value, isCurrent).then(
        () => isCurrent() && setProblem(""),
        (error: Error) => isCurrent() && setProblem(error.message),
      );
    });
  }, [feed, topic]);
  const isMissing = !shown || shown.error !== undefined;
  return (
    <div class="image" data-time={shown?.time}>
      <canvas
        ref={canvas}
        hidden={isMissing || problem !== ""}
        class={stale ? "stale" : ""}
        role="img"
        aria-label={`Picture of ${topic.topic}`}
      />
      {isMissing && <Missing topic={topic} feed={feed} message={shown} />}
      {!isMissing && problem && <p class="missing">{problem}</p>}
      {stale && <Age topic={topic} feed={feed} message={shown} />}
    </div>
  );
}

/** What was asked for later is drawn, whatever is decoded first. */
async function draw(
  canvas: HTMLCanvasElement,
  value: unknown,
  isCurrent: () => boolean,
): Promise<void> {
  if (typeof value === "object" && value !== null && "encoding" in value) {
    const raw = value as RawImage;
    const pixels = new ImageData(pixelsOf(raw), raw.width, raw.height);
    resize(canvas, raw.width, raw.height);
    canvas.getContext("2d")!.putImageData(pixels, 0, 0);
    return;
  }
  const { data, format } = value as Compressed;
  const picture = await createImageBitmap(new Blob([data])).catch(() => {
    throw new Error(`The browser cannot show this picture (${format})`);
  });
  if (isCurrent()) {
    resize(canvas, picture.width, picture.height);
    canvas.getContext("2d")!.drawImage(picture, 0, 0);
  }
  picture.close();
}

/** Setting a size clears a canvas, even if it is the same. */
function resize(canvas: HTMLCanvasElement, width: number, height: number): void {
  if (canvas.width !== width) canvas.width = width;
  if (canvas.height !== height) canvas.height = height;
}
