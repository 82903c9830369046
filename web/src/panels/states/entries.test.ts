import { expect, test } from "vitest";

import type { StateField } from "../../player/state_fields";
import { entriesOf, topicsOf, usualFields, withEntry } from "./entries";

const field = (path: string, kind: StateField["kind"], count = 0): StateField => ({
  path,
  kind,
  constants: Array.from({ length: count }, (_, value) => ({ name: `C${value}`, value })),
});
const fields = [
  field("header.seq", "integer"),
  field("header.frame_id", "text"),
  field("status", "integer", 3),
  field("present", "flag"),
  field("serial", "text"),
];
const place = { panel: "states", topic: "/a", fields: [] as string[], settings: {} };

test("fields whose values have names come first", () => {
  expect(usualFields(fields).map((each) => each.path)).toEqual(["status", "present"]);
  const plain = fields.filter((each) => each.kind === "text");
  expect(usualFields(plain).map((each) => each.path)).toEqual(["serial"]);
});

test("rows of several topics", () => {
  const dropped = withEntry(place, { topic: "/b c", path: "mode" });
  expect(dropped.fields).toEqual(["/a ", "/b c mode"]);
  expect(topicsOf(dropped)).toEqual(["/a", "/b c"]);
  expect(entriesOf(dropped, (topic) => (topic === "/a" ? fields : []))).toEqual([
    { topic: "/a", path: "status" },
    { topic: "/a", path: "present" },
    { topic: "/b c", path: "mode" },
  ]);
  expect(withEntry(dropped, { topic: "/b c", path: "mode" })).toBe(dropped);
  expect(withEntry(place, { topic: "/a", path: "" })).toBe(place);
  expect(withEntry({ ...place, topic: "" }, { topic: "/b", path: "x" })).toEqual({
    ...place,
    topic: "/b",
    fields: ["x"],
  });
});
