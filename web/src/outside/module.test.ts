import { describe, expect, it, vi } from "vitest";

import type { Topic } from "../api";
import type { Panel } from "../panels/panel";
import { fill, optionsOf, problemOf, textOf, type Outside } from "./module";
import type { PanelModule } from "./panel";

const topic: Topic = { topic: "/a", type: "b/C", messages: 1, latched: 0 };
const place = { panel: "gauge", topic: "/a", fields: [], settings: {} };

function panelOf(change: object): { panel: Panel; outside: Outside } {
  const module = { version: 1, title: "Gauge", shows: () => 1, mount: () => {}, ...change };
  const outside: Outside = { name: "gauge", problem: "", module: module as never as PanelModule };
  const panel: Panel = { name: "gauge", title: "gauge", shows: () => 0, View: () => null };
  fill(panel, outside);
  return { panel, outside };
}

describe("a module as a panel", () => {
  it("is one if it has the version and the functions", () => {
    const module = { version: 1, title: "A", shows() {}, mount() {} };
    expect(problemOf(module)).toBe("");
    expect(problemOf(undefined)).toContain("no default export");
    expect(problemOf({ ...module, version: 2 })).toContain("for version 2 of panels");
    expect(problemOf({ ...module, version: undefined })).toContain("version undefined");
    expect(problemOf({ ...module, title: 3 })).toContain("no title");
    expect(problemOf({ ...module, shows: 1 })).toContain("shows()");
    expect(problemOf({ ...module, mount: null })).toContain("mount()");
  });

  it("shows a topic between 0 and 1", () => {
    const fit = (shows: unknown) => panelOf({ shows: () => shows }).panel.shows(topic);
    expect([0.5, 7, -1, NaN, "x", undefined].map(fit)).toEqual([0.5, 1, 0, 0, 0, 0]);
  });

  it("has a name of the page's, whatever it says", () => {
    const { panel } = panelOf({ take: () => ({ panel: "plot", topic: "/b", fields: [1, "x"] }) });
    const taken = { panel: "gauge", topic: "/b", fields: ["x"], settings: {} };
    expect(panel.take!(place, topic)).toEqual(taken);
    expect(panelOf({ take: () => 3 }).panel.take!(place, topic)).toBeUndefined();
    expect(panelOf({ fields: () => "x" }).panel.fields!(topic, [])).toEqual([]);
  });

  it("that throws says why, and is not called again", () => {
    const said = vi.spyOn(console, "error").mockImplementation(() => {});
    const shows = vi.fn(() => {
      throw new Error("no such thing");
    });
    const { panel, outside } = panelOf({ shows });
    expect([panel.shows(topic), panel.shows(topic)]).toEqual([0, 0]);
    expect(shows).toHaveBeenCalledTimes(1);
    expect(outside.problem).toBe("it failed: no such thing");
    expect(said).toHaveBeenCalledTimes(1);
    said.mockRestore();
  });

  it("says of all that is thrown what it is, in short", () => {
    expect(textOf(new Error("x".repeat(1000)))).toHaveLength(202);
    expect(textOf(new TypeError())).toBe("TypeError");
    expect(textOf({ toString: null })).toBe("something without a text");
  });

  it("has the options that have a name and a title", () => {
    const option = { name: "a", title: "A", values: ["x", 1, "y"] };
    const options = [option, null, { name: 1, title: "B" }, { name: "c", title: "C" }];
    const { outside } = panelOf({ options });
    expect(optionsOf(outside.module!)).toEqual([
      { name: "a", title: "A", values: ["x", "y"] },
      { name: "c", title: "C" },
    ]);
    expect(optionsOf(panelOf({ options: "all" }).outside.module!)).toEqual([]);
  });
});
