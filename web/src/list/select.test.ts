import { expect, test } from "vitest";

import { chosenTo, withToggled } from "./select";

const ORDER = ["a", "b", "c", "d"];

test("a row is selected, and is no longer", () => {
  const one = withToggled(new Set(), "b");
  expect([...one]).toEqual(["b"]);
  expect([...withToggled(one, "b")]).toEqual([]);
});

test("a range goes either way, and adds to what is selected", () => {
  expect([...chosenTo(new Set(["a"]), ORDER, "b", "d")]).toEqual(["a", "b", "c", "d"]);
  expect([...chosenTo(new Set(["d"]), ORDER, "c", "b")]).toEqual(["d", "b", "c"]);
});

test("where the range began is no longer shown: only the row itself", () => {
  expect([...chosenTo(new Set(), ORDER, "gone", "c")]).toEqual(["c"]);
  expect([...chosenTo(new Set(["a"]), ORDER, "a", "gone")]).toEqual(["a"]);
});
