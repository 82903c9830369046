// Numbers and times for people.

export function sizeText(bytes: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let unit = 0;
  while (bytes >= 1024 && unit + 1 < units.length) {
    bytes /= 1024;
    ++unit;
  }
  return `${unit === 0 ? bytes : bytes.toFixed(bytes < 10 ? 1 : 0)} ${units[unit]}`;
}

const two = (value: number) => String(value).padStart(2, "0");

/** "2:05.250", "1:00:00.000": seconds as a player shows them. */
export function lengthText(seconds: number, digits = 3): string {
  const scale = 10 ** digits;
  const total = Math.round(Math.abs(seconds) * scale);
  const whole = Math.floor(total / scale);
  const fraction = digits ? `.${String(total % scale).padStart(digits, "0")}` : "";
  const hours = Math.floor(whole / 3600);
  const minutes = Math.floor(whole / 60) % 60;
  const start = hours ? `${hours}:${two(minutes)}` : String(minutes);
  return `${seconds < 0 && total > 0 ? "−" : ""}${start}:${two(whole % 60)}${fraction}`;
}

/** How times are shown: of the place where the page is, of UTC, or since the start of the bag. */
export type TimeStyle = "local" | "utc" | "start";

const STYLE_KEY = "kitbag.times";
let style = readStyle();

/** A browser may keep nothing; then each page begins with local times. */
function readStyle(): TimeStyle {
  try {
    const kept = localStorage.getItem(STYLE_KEY);
    return kept === "utc" || kept === "start" ? kept : "local";
  } catch {
    return "local";
  }
}

export const timeStyle = () => style;

export function setTimeStyle(next: TimeStyle): void {
  style = next;
  try {
    localStorage.setItem(STYLE_KEY, next);
  } catch {
    // It is not remembered.
  }
}

/** An instant as a person has chosen to see it: `time` is in seconds since the start of a bag, and
    `origin` that start, in seconds since 1970. */
export function instantText(origin: number, time: number, digits = 3): string {
  return style === "start" ? lengthText(time, digits) : clockText(origin + time, digits);
}

const DAY = 86_400;
/** What lasts longer than this many days may have a date twice. */
const YEAR = 300;

/** An instant of something so long, in seconds: of more than a day, "01-31 14:31:07.250", of years
    with the year before it. */
export function momentText(origin: number, time: number, length: number, digits = 3): string {
  const text = instantText(origin, time, digits);
  if (length <= DAY || style === "start") return text;
  return `${dayText(origin + time).slice(length > YEAR * DAY ? 0 : 5)} ${text}`;
}

/** "2023-01-31" of seconds since 1970, in local time or UTC. */
function dayText(seconds: number): string {
  const date = new Date(seconds * 1000);
  const isUtc = style === "utc";
  const year = isUtc ? date.getUTCFullYear() : date.getFullYear();
  const month = isUtc ? date.getUTCMonth() : date.getMonth();
  return `${year}-${two(month + 1)}-${two(isUtc ? date.getUTCDate() : date.getDate())}`;
}

/** "14:31:07.250" of seconds since 1970, in local time or UTC. */
export function clockText(seconds: number, digits = 3): string {
  const scale = 10 ** digits;
  const total = Math.floor(seconds * scale + 1e-3);
  const date = new Date((total / scale) * 1000);
  const isUtc = style === "utc";
  const hours = isUtc ? date.getUTCHours() : date.getHours();
  const minutes = isUtc ? date.getUTCMinutes() : date.getMinutes();
  const whole = `${two(hours)}:${two(minutes)}:${two(date.getSeconds())}`;
  const fraction = ((total % scale) + scale) % scale;
  return digits ? `${whole}.${String(fraction).padStart(digits, "0")}` : whole;
}

/** "2023-10-31 14:30:00", local time. */
export function dateText(seconds: number): string {
  const date = new Date(seconds * 1000);
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

export function rateText(hz: number | undefined): string {
  if (!hz) return "";
  return `${hz >= 10 ? hz.toFixed(0) : hz.toPrecision(2)} Hz`;
}

/** A number with about seven significant digits, without a tail of zeros. */
export function numberText(value: number): string {
  if (!Number.isFinite(value) || Number.isInteger(value)) return String(value);
  return String(Number(value.toPrecision(7)));
}

export const countText = (count: number) => count.toLocaleString("en-US");
