// @ts-check
// How full the battery is: a panel outside the page, in plain JavaScript.
//
//     kitbag serve /data/bags --panels examples/panel
//
// docs/adding-a-panel.md says what it gets. What comes from a bag may be missing or NaN, and is
// shown as text.

/** @import { PanelModule, PanelHost } from "../../../web/src/outside/panel" */

/** What a person can choose to see: a field of the message, its unit and its digits. */
const CHARGE = { field: "percentage", unit: "%", factor: 100, digits: 1 };
const SHOWN = new Map([
  ["charge", CHARGE],
  ["voltage", { field: "voltage", unit: "V", factor: 1, digits: 2 }],
  ["current", { field: "current", unit: "A", factor: 1, digits: 2 }],
]);
/** Below this part of the charge, the bar warns. */
const LOW = 0.2;

const styles = `
  .battery {
    display: grid;
    align-content: center;
    gap: var(--grid);
    height: 100%;
    padding: calc(2 * var(--grid));
    box-sizing: border-box;
  }
  .number {
    font: 600 clamp(24px, 18cqw, 72px) / 1.1 var(--font-data);
    font-variant-numeric: tabular-nums;
    text-align: center;
  }
  .panel { container-type: inline-size; }
  .bar { height: 12px; border-radius: var(--corner); background: var(--raised); overflow: hidden; }
  .charge { height: 100%; background: var(--accent); }
  .low .charge { background: var(--warn); }
`;

/** A field of a message whose shape nobody has promised; undefined: it is no number.
 * @param {unknown} value
 * @param {string} field
 */
function numberIn(value, field) {
  const found = /** @type {any} */ (value)?.[field];
  return typeof found === "number" && Number.isFinite(found) ? found : undefined;
}

/** @param {HTMLElement} parent @param {string} name */
function child(parent, name) {
  const element = document.createElement("div");
  element.className = name;
  parent.append(element);
  return element;
}

/** @type {PanelModule} */
export default {
  version: 1,
  title: "Battery",
  shows: (topic) => (/(^|[/.])BatteryState$/.test(topic.type) ? 1 : 0),
  options: [{ name: "number", title: "Number", values: [...SHOWN.keys()] }],
  styles,

  mount(element, panel) {
    const box = child(element, "battery");
    const text = child(box, "number");
    const bar = child(box, "bar");
    const charge = child(bar, "charge");
    bar.setAttribute("role", "meter");
    bar.setAttribute("aria-label", "Charge");
    bar.setAttribute("aria-valuemin", "0");
    bar.setAttribute("aria-valuemax", "100");
    /** @type {unknown[]} */
    let drawn = [];

    return {
      draw() {
        const message = panel.feed.at(panel.topic.topic);
        const number = panel.place.settings.number ?? "charge";
        if (drawn[0] === message && drawn[1] === number) return;
        drawn = [message, number];

        const { field, unit, factor, digits } = SHOWN.get(number) ?? CHARGE;
        const shown = numberIn(message?.value, field);
        text.textContent =
          shown === undefined ? "unknown" : `${(shown * factor).toFixed(digits)} ${unit}`;

        const part = numberIn(message?.value, "percentage");
        bar.hidden = part === undefined;
        if (part === undefined) return;
        const full = Math.min(1, Math.max(0, part));
        charge.style.width = `${full * 100}%`;
        bar.setAttribute("aria-valuenow", String(Math.round(full * 100)));
        box.classList.toggle("low", full < LOW);
      },
    };
  },
};
