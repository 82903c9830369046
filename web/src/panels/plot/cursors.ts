// What moves over the curves in each frame: lines at the instant and at the time under the pointer,
// or a point on each curve of a field against another one. They are elements, so that the curves,
// which cost more than all else in a frame where the processor draws, are not drawn again for them.

import { AROUND, mappingOf, type MappingOf } from "./draw";

export interface Marks {
  /** Vertical lines: the instant, and where the pointer is. */
  instant: number | null;
  hover: number | null;
  points: { x: number; y: number; colour: string }[];
}

export class Cursors {
  private readonly hover: HTMLElement;
  private readonly instant: HTMLElement;
  private readonly points: HTMLElement[] = [];

  constructor(private readonly host: HTMLElement) {
    this.hover = this.add("pointer");
    this.instant = this.add("instant");
  }

  private add(kind: string): HTMLElement {
    const element = document.createElement("i");
    element.className = kind;
    return this.host.appendChild(element);
  }

  place(area: MappingOf, { instant, hover, points }: Marks): void {
    const { toX, toY } = mappingOf(area);
    const vertical = (element: HTMLElement, time: number | null) => {
      if (time === null) return hide(element, true);
      moveTo(element, Math.round(toX(time)), AROUND.top, area);
    };
    vertical(this.hover, hover);
    vertical(this.instant, instant);
    while (this.points.length < points.length) this.points.push(this.add("point"));
    this.points.forEach((element, i) => {
      const point = points[i];
      if (!point) return hide(element, true);
      if (element.style.background !== point.colour) element.style.background = point.colour;
      moveTo(element, toX(point.x), toY(point.y), area);
    });
  }

  remove(): void {
    for (const element of [this.hover, this.instant, ...this.points]) element.remove();
  }
}

function hide(element: HTMLElement, isHidden: boolean): void {
  if (element.hidden !== isHidden) element.hidden = isHidden;
}

/** Beyond the axes nothing is shown. */
function moveTo(element: HTMLElement, x: number, y: number, { width, height }: MappingOf): void {
  const isAcross = x >= AROUND.left - 1 && x <= width - AROUND.right;
  const isUp = y >= AROUND.top && y <= height - AROUND.bottom;
  hide(element, !isAcross || !isUp);
  element.style.transform = `translate(${x}px, ${y}px)`;
}
