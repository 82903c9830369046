// The player as a panel sees it that may be hidden, as a tab behind another one is: while it is,
// it gets no frames.

import type { Feed } from "../player/feed";

export function feedWhile(feed: Feed, isVisible: () => boolean): Feed {
  const onFrame: Feed["onFrame"] = (draw) => feed.onFrame(() => isVisible() && draw());
  const methods = new Map<string | symbol, unknown>([["onFrame", onFrame]]);
  return new Proxy(feed, {
    get(target, name) {
      const known = methods.get(name);
      if (known) return known;
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      const method: unknown = value.bind(target);
      methods.set(name, method);
      return method;
    },
  });
}
