import { useEffect, useRef, useState } from "preact/hooks";
import uPlot from "uplot";

import "uplot/dist/uPlot.min.css";
import { lengthText, numberText } from "../../format";
import { numberAt } from "../../decode/type";
import type { Message } from "../../player/store";
import type { PanelProps } from "../panel";
import { exactColumns, seriesColumns, type Columns } from "./data";

const COLOURS = 7; // --series-1 to --series-7
const PIXELS_PER_PART = 2;
/** Between ticks, in seconds: what people divide minutes and hours by. */
const STEPS = [
  ...[0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30],
  ...[60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 21600, 43200, 86400],
];

export function PlotView({ topic, place, numeric, feed, set }: PanelProps) {
  const { fields } = place;
  const host = useRef<HTMLDivElement>(null);
  const [problem, setProblem] = useState("");
  const [values, setValues] = useState<(number | null)[]>([]);
  const shown = fields.join(",");
  useEffect(() => {
    setProblem("");
    if (!fields.length) return;
    return new Drawing(host.current!, topic.topic, fields, feed, setProblem, setValues).begin();
  }, [feed, topic.topic, shown]);
  const left = numeric.filter((each) => !fields.includes(each));
  return (
    <div class="plot">
      <div class="tools legend">
        {fields.map((field, i) => (
          <button
            key={field}
            class="series"
            title={`${field}: remove from the plot`}
            data-field={field}
            onClick={() => set({ fields: fields.filter((each) => each !== field) })}
          >
            <i style={{ background: `var(--series-${(i % COLOURS) + 1})` }} />
            <span>{shortName(field)}</span>
            <b>{values[i] == null ? "–" : numberText(values[i])}</b>
          </button>
        ))}
        {left.length > 0 && (
          <select
            aria-label="Add a field"
            value=""
            onChange={(event) => set({ fields: [...fields, event.currentTarget.value] })}
          >
            <option value="">+ field</option>
            {left.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        )}
      </div>
      {!numeric.length && <p class="missing">Messages of this type have no numbers to plot</p>}
      {problem && <p class="missing">{problem}</p>}
      <div class="canvas" ref={host} />
    </div>
  );
}

/** One plot on the screen: it follows the clock and the part of the bag that the timeline shows. */
class Drawing {
  private plot: uPlot | undefined;
  private asked = "";
  private drawn = "";
  private message: Message | undefined;
  private size = { width: 0, height: 0 };

  constructor(
    private readonly host: HTMLElement,
    private readonly topic: string,
    private readonly fields: string[],
    private readonly feed: PanelProps["feed"],
    private readonly setProblem: (problem: string) => void,
    private readonly setValues: (values: (number | null)[]) => void,
  ) {}

  begin(): () => void {
    this.make();
    const scheme = matchMedia("(prefers-color-scheme: dark)");
    const again = () => this.make();
    scheme.addEventListener("change", again);
    const end = this.feed.onFrame(() => this.frame());
    return () => {
      end();
      scheme.removeEventListener("change", again);
      this.plot?.destroy();
    };
  }

  /** uPlot has its colours when it is made. */
  private make(): void {
    const data = this.plot?.data;
    this.plot?.destroy();
    const style = getComputedStyle(document.documentElement);
    const colour = (name: string) => style.getPropertyValue(name).trim();
    const axis = {
      stroke: colour("--text-quiet"),
      font: `11px ${colour("--font-text")}`,
      grid: { stroke: colour("--line"), width: 1 },
      ticks: { show: false },
    };
    const series: uPlot.Series[] = [{}];
    const bands: uPlot.Band[] = [];
    this.fields.forEach((_, i) => {
      const stroke = colour(`--series-${(i % COLOURS) + 1}`);
      series.push({ stroke, width: 1.5, points: { show: false }, spanGaps: true });
      series.push({ stroke: "transparent", points: { show: false }, spanGaps: true });
      series.push({ stroke: "transparent", points: { show: false }, spanGaps: true });
      bands.push({ series: [3 + 3 * i, 2 + 3 * i], fill: `${stroke}40` });
    });
    this.plot = new uPlot(
      {
        width: Math.max(this.size.width, 10),
        height: Math.max(this.size.height, 10),
        legend: { show: false },
        cursor: { show: false },
        padding: [8, 8, 0, 0],
        scales: { x: { time: false, auto: false, range: () => this.range() } },
        axes: [
          {
            ...axis,
            size: 24,
            incrs: STEPS,
            values: (_, at) => at.map((each) => lengthText(each, digits(at))),
          },
          { ...axis, size: 48, values: (_, at) => at.map(numberText) },
        ],
        series,
        bands,
        hooks: { draw: [(plot) => this.drawCursor(plot, colour("--accent"))] },
      },
      data ?? ([[], ...this.fields.flatMap(() => [[], [], []])] as uPlot.AlignedData),
      this.host,
    );
    this.host.onclick = (event) => {
      const over = this.plot!.over.getBoundingClientRect();
      this.feed.seek(this.plot!.posToVal(event.clientX - over.left, "x"));
    };
  }

  private range(): [number, number] {
    return [this.feed.view.start, this.feed.view.end];
  }

  private drawCursor(plot: uPlot, colour: string): void {
    const x = Math.round(plot.valToPos(this.feed.time, "x", true)) + 0.5;
    const { left, top, width, height } = plot.bbox;
    if (x < left || x > left + width) return;
    plot.ctx.fillStyle = colour;
    plot.ctx.fillRect(x - 0.5, top, Math.max(1, devicePixelRatio), height);
  }

  private frame(): void {
    const { clientWidth: width, clientHeight: height } = this.host;
    if (width === 0 || height === 0) return;
    if (width !== this.size.width || height !== this.size.height) {
      this.size = { width, height };
      this.plot!.setSize(this.size);
    }
    this.load(width);
    const message = this.feed.at(this.topic);
    if (message !== this.message) {
      this.message = message;
      this.setValues(this.fields.map((field) => numberAt(message?.value, field)));
    }
    const now = `${this.feed.time} ${this.feed.view.start} ${this.feed.view.end}`;
    if (now === this.drawn) return;
    this.drawn = now;
    this.plot!.setScale("x", { min: this.feed.view.start, max: this.feed.view.end });
  }

  private load(width: number): void {
    const { view, covered } = this.feed;
    const isHeld = view.start >= covered.start && view.end <= covered.end;
    const key = `${view.start} ${view.end} ${width} ${isHeld ? covered.end : "series"}`;
    if (key === this.asked) return;
    this.asked = key;
    const exact = exactColumns(this.feed, this.topic, this.fields, view);
    if (exact) {
      this.set(exact, "points");
      return;
    }
    const range = { ...view };
    const parts = Math.max(10, Math.floor(width / PIXELS_PER_PART));
    this.feed.series(this.topic, this.fields, range, parts).then(
      (answer) => {
        if (this.asked !== key) return;
        this.set(seriesColumns(answer, this.fields, this.feed.origin), "series");
        this.setProblem("");
      },
      (error: Error) => this.asked === key && this.setProblem(error.message),
    );
  }

  private set(columns: Columns, kind: string): void {
    this.host.dataset.kind = kind;
    this.host.dataset.points = String(columns[0].length);
    this.plot!.setData(columns as uPlot.AlignedData, true);
    this.drawn = "";
  }
}

/** "position.x" of "pose.pose.position.x". */
function shortName(field: string): string {
  return field.split(".").slice(-2).join(".");
}

/** Decimals that tell ticks apart. */
function digits(ticks: number[]): number {
  const step = (ticks[1] ?? 1) - (ticks[0] ?? 0);
  return step >= 1 ? 0 : Math.min(3, Math.ceil(-Math.log10(step)));
}
