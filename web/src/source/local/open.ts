// Which kind of file it is, by its first bytes, and what to do about those that the page cannot
// read: the program reads them all.

import { type IndexedFile, NotHere } from "./indexed";
import { openMcap } from "./mcap";
import { openRosbag } from "./rosbag";

const MCAP = "\x89MCAP0\r\n";
const ROSBAG = "#ROSBAG V2.0";
const OLD_ROSBAG = /^#ROS(BAG|RECORD|LOG)/;
const SQLITE = "SQLite format 3";

export async function openBag(file: File): Promise<IndexedFile> {
  const bytes = new Uint8Array(await file.slice(0, 16).arrayBuffer());
  const first = String.fromCharCode(...bytes);
  try {
    if (first.startsWith(MCAP)) return await openMcap(file);
    if (first.startsWith(ROSBAG)) return await openRosbag(file);
  } catch (error) {
    if (error instanceof NotHere) throw new Error(`${file.name} ${error.message}. ${advice(file)}`);
    throw error;
  }
  throw new Error(`${file.name} ${what(first, file.size)}. ${advice(file)}`);
}

function what(first: string, size: number): string {
  if (size === 0) return "is empty";
  if (first.startsWith(SQLITE)) return "is a bag in SQLite, which the page does not read by itself";
  if (OLD_ROSBAG.test(first)) return "is a bag of an older version of ROS 1";
  return "is no bag that the page reads by itself: it reads MCAP and ROS 1 (V2.0)";
}

/** What to type; a name with spaces or quotes is one word of a shell all the same. */
function advice({ name }: File): string {
  const word = /^[\w.,:+@%/-]+$/.test(name) ? name : `'${name.replaceAll("'", "'\\''")}'`;
  return `The program opens bags of all kinds: kitbag view ${word}`;
}
