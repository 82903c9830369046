// The part of the scene that is there at once: a canvas, what is written beside it, and pointers
// and keys. What draws is loaded when the first scene is opened, since it is large.

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

import { numberText } from "../../format";
import type { PanelProps } from "../panel";
import { tableOf } from "../scales";
import { colourText, type Colour, type Legend } from "./colours";
import { nextFollow } from "./follow";
import type { Picked, Report, SceneView as Drawn } from "./scene";
import "./view.css";

const KEEP_MS = 300; // after the eye has moved, until the URL has it
const CLICK = 4; // pixels that a pointer may move in a click

export function SceneView(props: PanelProps) {
  const { topics, feed, place } = props;
  const canvas = useRef<HTMLCanvasElement>(null);
  const scene = useRef<Drawn | null>(null);
  const latest = useRef(props);
  latest.current = props;
  const [problem, setProblem] = useState("");
  const [isReady, setReady] = useState(false);
  const [report, setReport] = useState<Report | null>(null);
  const [picked, setPicked] = useState<Picked | null>(null);
  const choose = (change: Record<string, string>) => {
    const { set, place: now } = latest.current;
    const settings = Object.entries({ ...now.settings, ...change });
    set({ settings: Object.fromEntries(settings.filter(([, value]) => value !== "")) });
  };

  useEffect(() => {
    let isGone = false;
    const ends: (() => void)[] = [];
    const start = async () => {
      const context = contextOf(canvas.current!);
      const { SceneView: Made } = await import("./scene");
      if (isGone) return;
      const { place: now } = latest.current;
      const made = new Made(canvas.current!, context, feed, topics, now, setReport);
      scene.current = made;
      ends.push(() => made.dispose());
      ends.push(keepLook(made));
      ends.push(keepSize(canvas.current!, made));
      ends.push(feed.onFrame(() => made.update()));
      setReady(true);
    };
    start().catch((error: Error) => isGone || setProblem(error.message));
    return () => {
      isGone = true;
      scene.current = null;
      for (const end of ends.reverse()) end();
    };
  }, [feed, topics]);

  // Before anything is drawn again: the scene does what the button says, also on a busy machine.
  useLayoutEffect(() => scene.current?.setPlace(place), [place]);

  useEffect(() => {
    if (!isReady) return;
    let timer = 0;
    const moved = () => {
      clearTimeout(timer);
      timer = window.setTimeout(() => choose({ eye: scene.current?.eyeText ?? "" }), KEEP_MS);
    };
    const clicked = (x: number, y: number) => setPicked(scene.current!.pick(x, y));
    const end = listen(canvas.current!, scene.current!, moved, clicked);
    const press = (event: KeyboardEvent) => {
      const { target } = event;
      const isTyped = target instanceof HTMLElement && /INPUT|SELECT|TEXTAREA/.test(target.tagName);
      if (event.key !== "f" || isTyped || event.ctrlKey || event.metaKey || event.altKey) return;
      choose({ follow: nextFollow(latest.current.place.settings.follow) });
    };
    addEventListener("keydown", press);
    return () => {
      clearTimeout(timer);
      end();
      removeEventListener("keydown", press);
    };
  }, [isReady]);

  const { follow } = place.settings;
  const isEmpty =
    report !== null && report.shown.length + report.frames + report.problems.length === 0;
  return (
    <div
      class="scene"
      data-fixed={report?.fixed}
      data-points={report?.points}
      data-shown={report?.shown.join(" ")}
      data-followed={report?.followed}
    >
      <canvas
        ref={canvas}
        tabIndex={0}
        hidden={problem !== ""}
        role="application"
        aria-label="3D scene. W A S D turn it, with Shift they move it; Q and E zoom, R shows all"
      />
      {problem && <p class="missing">{problem}</p>}
      {!problem && !isReady && <p class="missing">Loading …</p>}
      {isReady && (
        <div class="scene-bar">
          <span class="fixed" title="The fixed frame">
            {report?.fixed.slice(0, 60)}
          </span>
          <button
            class={follow ? "on" : ""}
            aria-pressed={Boolean(follow)}
            title="Follow the robot: its position, then its heading too (F)"
            onClick={() => choose({ follow: nextFollow(follow) })}
          >
            {follow === "heading" ? "Following heading" : follow ? "Following" : "Follow"}
          </button>
          <button
            title="Show all (R)"
            onClick={() => {
              scene.current!.reset();
              choose({ eye: "" });
            }}
          >
            Show all
          </button>
        </div>
      )}
      {report && <Notes report={report} isEmpty={isEmpty && !feed.isLoading} />}
      {report && report.legends.length > 0 && (
        <ul class="scene-legends" aria-label="Colours">
          {report.legends.slice(0, 4).map((legend) => (
            <LegendRow key={legend.topic} {...legend} />
          ))}
        </ul>
      )}
      {picked && (
        <p class="scene-picked" role="status">
          <b>{picked.topic}</b> in <b>{picked.frame.slice(0, 80)}</b>{" "}
          {picked.at.map((each) => numberText(Number(each.toFixed(3)))).join(", ")} m
        </p>
      )}
    </div>
  );
}

/** Where the processor draws for lack of a graphics card, edges are not smoothed. */
function contextOf(canvas: HTMLCanvasElement): WebGL2RenderingContext {
  const probe = document.createElement("canvas").getContext("webgl2");
  const names = probe?.getExtension("WEBGL_debug_renderer_info");
  const renderer = names ? String(probe!.getParameter(names.UNMASKED_RENDERER_WEBGL)) : "";
  probe?.getExtension("WEBGL_lose_context")?.loseContext();
  const antialias = !/swiftshader|llvmpipe|softpipe|basic render/i.test(renderer);
  const context = canvas.getContext("webgl2", { antialias });
  if (!context) throw new Error("This browser has no WebGL 2, which 3D needs");
  return context;
}

const MOST_NOTES = 6;

function Notes({ report, isEmpty }: { report: Report; isEmpty: boolean }) {
  const lines = [
    ...report.problems.map(({ topic, why }) => ({ topic, text: why, kind: "problem" })),
    ...report.ages.map(({ topic, seconds }) => ({
      topic, text: `${numberText(seconds)} s old`, kind: "old",
    })),
    ...report.notes.map((text) => ({ topic: "", text, kind: "note" })),
  ];
  if (isEmpty) lines.push({ topic: "", text: "Nothing to show at this time", kind: "note" });
  if (!lines.length) return null;
  const more = lines.length - MOST_NOTES;
  return (
    <ul class="scene-notes">
      {lines.slice(0, MOST_NOTES).map(({ topic, text, kind }, i) => (
        <li key={i} data-kind={kind} data-topic={topic}>
          {topic && <b>{topic.slice(0, 80)}</b>} {text.slice(0, 300)}
        </li>
      ))}
      {more > 0 && <li>and {more} more</li>}
    </ul>
  );
}

function LegendRow({ topic, field, scale, min, max }: Legend & { topic: string }) {
  const strip = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const context = strip.current!.getContext("2d")!;
    const table = tableOf(scale);
    for (let x = 0; x < strip.current!.width; ++x) {
      const at = Math.floor((x * 255) / (strip.current!.width - 1)) * 3;
      context.fillStyle = colourText([table[at]!, table[at + 1]!, table[at + 2]!] as Colour);
      context.fillRect(x, 0, 1, 8);
    }
  }, [scale]);
  const text = (value: number) => String(Number(value.toPrecision(3)));
  return (
    <li>
      <span title={topic}>
        {topic} {field}
      </span>
      <i>{text(min)}</i>
      <canvas ref={strip} width={64} height={8} aria-hidden="true" />
      <i>{text(max)}</i>
    </li>
  );
}

/** The colours of the page, now and when the system changes them. */
function keepLook(scene: Drawn): () => void {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const read = () => {
    const style = getComputedStyle(document.documentElement);
    const get = (name: string) => style.getPropertyValue(name).trim();
    const look = { background: get("--page"), line: get("--line"), text: get("--text") };
    scene.setLook(look, dark.matches);
  };
  read();
  dark.addEventListener("change", read);
  return () => dark.removeEventListener("change", read);
}

function keepSize(canvas: HTMLCanvasElement, scene: Drawn): () => void {
  const observer = new ResizeObserver(() => scene.resize());
  observer.observe(canvas);
  scene.resize();
  return () => observer.disconnect();
}

const TURN = Math.PI; // of a drag as long as the canvas is high
const KEY_TURN = 0.1;
const KEY_PAN = 0.05;
const KEY_ZOOM = 1.15;

/** Pointers, wheel and keys of the canvas. Returns what ends it. */
function listen(
  canvas: HTMLCanvasElement,
  scene: Drawn,
  moved: () => void,
  clicked: (x: number, y: number) => void,
): () => void {
  const pointers = new Map<number, { x: number; y: number }>();
  let way = 0; // since the pointer went down
  const spread = () => {
    const [a, b] = [...pointers.values()];
    return Math.hypot(a!.x - b!.x, a!.y - b!.y) || 1;
  };
  const end = new AbortController();
  const on = <K extends keyof HTMLElementEventMap>(
    type: K,
    does: (event: HTMLElementEventMap[K]) => void,
  ) => canvas.addEventListener(type, does, { signal: end.signal, passive: false });

  on("pointerdown", (event) => {
    if (!pointers.size) way = 0;
    pointers.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
    canvas.setPointerCapture(event.pointerId);
  });
  on("pointermove", (event) => {
    const last = pointers.get(event.pointerId);
    if (!last) return;
    const before = pointers.size === 2 ? spread() : 0;
    const height = canvas.clientHeight || 1;
    const dx = (event.offsetX - last.x) / height;
    const dy = (event.offsetY - last.y) / height;
    [last.x, last.y] = [event.offsetX, event.offsetY];
    way += (Math.abs(dx) + Math.abs(dy)) * height;
    if (pointers.size === 2) {
      scene.pan(dx / 2, -dy / 2);
      scene.zoom(before / spread());
    } else if (event.shiftKey || (event.buttons & 6) !== 0) {
      scene.pan(dx, -dy);
    } else {
      scene.orbit(dx * TURN, dy * TURN);
    }
  });
  const up = (event: PointerEvent) => {
    if (!pointers.delete(event.pointerId)) return;
    if (way > CLICK) moved();
    else if (event.type === "pointerup") clicked(event.offsetX, event.offsetY);
  };
  on("pointerup", up);
  on("pointercancel", up);
  on("contextmenu", (event) => event.preventDefault());
  on("wheel", (event) => {
    if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) return; // to another page
    event.preventDefault();
    scene.zoom(Math.exp(event.deltaY * (event.deltaMode === 1 ? 0.03 : 0.001)));
    moved();
  });
  on("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const move = (x: number, y: number) =>
      event.shiftKey
        ? scene.pan(-x * KEY_PAN, -y * KEY_PAN)
        : scene.orbit(-x * KEY_TURN, y * KEY_TURN);
    const does: Record<string, () => void> = {
      w: () => move(0, 1),
      s: () => move(0, -1),
      a: () => move(-1, 0),
      d: () => move(1, 0),
      q: () => scene.zoom(KEY_ZOOM),
      e: () => scene.zoom(1 / KEY_ZOOM),
      r: () => scene.reset(),
    };
    const doIt = does[event.key.toLowerCase()];
    if (!doIt) return;
    doIt();
    moved();
    event.preventDefault();
    event.stopPropagation();
  });
  return () => end.abort();
}
