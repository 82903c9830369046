// What nodes said, whichever message says it: rosgraph_msgs/Log, rcl_interfaces/msg/Log and
// foxglove.Log name their fields and count their levels differently. roslib/Log is what the first
// of them was called before 2010.

import { instantText } from "../../format";
import type { Message } from "../../player/store";

export const levels = ["DEBUG", "INFO", "WARN", "ERROR", "FATAL"] as const;
export type Level = (typeof levels)[number];

export interface Line {
  /** Log time, in seconds since the start of the bag. */
  time: number;
  level: Level;
  node: string;
  text: string;
  file: string;
  /** In the file; 0: not known. */
  line: number;
  function: string;
}

const MOST_CHARACTERS = 100_000;

/** ROS 1 counts 1, 2, 4, 8, 16, ROS 2 counts 10 to 50, foxglove 1 to 5. */
export function levelOf(level: number, isFoxglove = false): Level {
  let number = level - 1;
  if (!isFoxglove) {
    const isRos2 = level >= 10 && level % 10 === 0;
    number = isRos2 ? level / 10 - 1 : Math.log2(Math.max(level, 1));
  }
  return levels[Math.max(0, Math.min(Math.floor(number), levels.length - 1))] ?? "DEBUG";
}

const known = new WeakMap<Message, Line>();

export function lineOf(message: Message): Line {
  let line = known.get(message);
  if (!line) known.set(message, (line = read(message)));
  return line;
}

function read({ time, value, error }: Message): Line {
  const fields = (typeof value === "object" && value !== null ? value : {}) as Fields;
  const text = (each: unknown) => {
    if (typeof each !== "string") return "";
    return each.length > MOST_CHARACTERS ? `${each.slice(0, MOST_CHARACTERS)}…` : each;
  };
  const isFoxglove = !("msg" in fields);
  return {
    time,
    level: error === undefined ? levelOf(Number(fields.level), isFoxglove) : "ERROR",
    node: text(fields.name),
    text: error ?? text(isFoxglove ? fields.message : fields.msg),
    file: text(fields.file),
    line: Number(fields.line) || 0,
    function: text(fields.function),
  };
}

type Fields = Record<string, unknown>;

export interface Wish {
  least: Level;
  /** "": all. */
  node: string;
  /** A text to be found, or a regular expression between slashes: "/timeout|lost/". */
  find: string;
}

/** Whether a line is wished for. Throws an Error if the regular expression is none. */
export function filterOf({ least, node, find }: Wish): (line: Line) => boolean {
  const rank = levels.indexOf(least);
  const matches = matcherOf(find);
  return (line) =>
    levels.indexOf(line.level) >= rank &&
    (node === "" || line.node === node) &&
    (!matches || matches(`${line.node} ${line.text}`));
}

function matcherOf(find: string): ((text: string) => boolean) | null {
  if (!find) return null;
  const pattern = /^\/(.+)\/$/.exec(find)?.[1];
  if (pattern === undefined) {
    const wanted = find.toLowerCase();
    return (text) => text.toLowerCase().includes(wanted);
  }
  try {
    const expression = new RegExp(pattern, "i");
    return (text) => expression.test(text);
  } catch {
    throw new Error(`${find.slice(0, 100)} is no regular expression`);
  }
}

/** The last line at or before a time; -1: all are later. */
export function indexAt(lines: Line[], time: number): number {
  let low = 0;
  let high = lines.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (lines[middle]!.time <= time) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** "driver.cpp:12, connect()"; "": not known. */
export function sourceText({ file, line, function: name }: Line): string {
  const place = file && line ? `${file}:${line}` : file;
  return [place, name].filter(Boolean).join(", ");
}

/** As `rosconsole` prints it. */
export function plainText(line: Line, origin: number): string {
  return `${instantText(origin, line.time)} [${line.level}] [${line.node}]: ${line.text}`;
}
