// Whether the focus is where a person has put it by keys. A click leaves the focus on what was
// clicked, but Space is still to play then; `:focus-visible` does not tell: it is true after the
// next key.

let isByKeys = false;

/** True: Tab was pressed, and nothing was clicked since. */
export const isFocusByKeys = () => isByKeys;

if (typeof document !== "undefined") {
  document.addEventListener("keydown", ({ key }) => (isByKeys ||= key === "Tab"), true);
  document.addEventListener("pointerdown", () => (isByKeys = false), true);
}
