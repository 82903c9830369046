import { useCallback, useEffect, useState } from "preact/hooks";

/** A function that draws the component again. */
export function useRefresh(): [number, () => void] {
  const [count, set] = useState(0);
  return [count, useCallback(() => set((before) => before + 1), [])];
}

/** Whether a media query is true now. */
export function useMedia(query: string): boolean {
  const [isTrue, set] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const media = matchMedia(query);
    const change = () => set(media.matches);
    media.addEventListener("change", change);
    return () => media.removeEventListener("change", change);
  }, [query]);
  return isTrue;
}
