import { expect, test } from "vitest";

import type { StateField } from "../../player/state_fields";
import { colourOf, nameOf } from "./labels";

const status: StateField = {
  path: "status",
  kind: "integer",
  constants: [
    { name: "PENDING", value: 0 },
    { name: "ACTIVE", value: 5 },
  ],
};
const flag: StateField = { path: "present", kind: "flag", constants: [] };

test("names", () => {
  expect(nameOf(status, 5)).toBe("ACTIVE");
  expect(nameOf(status, 7)).toBe("7");
  expect(nameOf(status, null)).toBe("several");
  expect(nameOf(flag, 0)).toBe("false");
  expect(nameOf(undefined, "a\n<b>")).toBe("a <b>");
  expect(nameOf(undefined, "")).toBe("(empty)");
  expect(nameOf(status, undefined)).toBe("–");
});

test("colours stay the same, and are those of neighbours never", () => {
  expect(colourOf(flag, 0)).toBe(0);
  expect(colourOf(flag, 1)).toBe(1);
  expect(colourOf(status, 5)).toBe(1);
  expect(colourOf(status, -3)).toBe(3);
  expect(colourOf(undefined, Infinity)).toBe(0);
  expect(colourOf(undefined, "idle")).toBe(colourOf(undefined, "idle"));
});
