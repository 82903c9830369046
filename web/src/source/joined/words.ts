// Where bags that are shown together stand in time, and how far apart, in words.

import type { Range } from "../../player/feed";
import type { LoadedBag } from "../../player/loader";
import { shownName } from "../source";

const UNITS = [
  { seconds: 365.25 * 86_400, name: "year" },
  { seconds: 86_400, name: "day" },
  { seconds: 3600, name: "hour" },
  { seconds: 60, name: "minute" },
];
/** From so many of a unit on, it is the one that people use. */
const FROM = 1.5;

/** "2 days", "90 minutes", "3.2 s". */
export function aboutText(seconds: number): string {
  const unit = UNITS.find((each) => seconds >= FROM * each.seconds);
  if (!unit) return `${Number(seconds.toPrecision(2))} s`;
  return `${Math.round(seconds / unit.seconds)} ${unit.name}s`;
}

/** In seconds since the start of all bags. */
export interface Span extends Range {
  title: string;
}

/** Where a bag stands in time among the others; `last` is the one before it that ends last. */
export function placeText(span: Span, last: Span | undefined): string {
  if (!last) return "begins first";
  const apart = span.start - last.end;
  if (apart >= 0) return `begins ${aboutText(apart)} after the end of ${last.title}`;
  const both = Math.min(span.end, last.end) - span.start;
  return `begins within ${last.title}, ${aboutText(both)} are in both`;
}

/** Each with where it stands, the earliest first. */
export function placed(spans: Span[]): { span: Span; place: string }[] {
  let last: Span | undefined;
  return spans
    .toSorted((a, b) => a.start - b.start)
    .map((span) => {
      const place = placeText(span, last);
      if (!last || span.end > last.end) last = span;
      return { span, place };
    });
}

/** Where none of them is. */
export function gapsBetween(spans: Range[]): Range[] {
  const gaps: Range[] = [];
  let end = Infinity;
  for (const span of spans.toSorted((a, b) => a.start - b.start)) {
    if (span.start > end) gaps.push({ start: end, end: span.start });
    end = end === Infinity ? span.end : Math.max(end, span.end);
  }
  return gaps;
}

/** The bags that a bag is made of; of a bag alone, none. */
export function spansOf({ origin, together }: Pick<LoadedBag, "origin" | "together">): Span[] {
  return (together?.parts ?? []).map((part) => {
    const start = Number(part.origin - origin) / 1e9;
    return { title: shownName(part.name), start, end: start + part.length };
  });
}
