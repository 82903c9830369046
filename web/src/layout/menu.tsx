// A button that opens something small below it. Escape, a click elsewhere and leaving it by Tab
// close it.

import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

interface Props {
  label: string;
  /** What the button shows. */
  face: ComponentChildren;
  children: (close: () => void) => ComponentChildren;
}

export function Menu({ label, face, children }: Props) {
  const [isOpen, setOpen] = useState(false);
  const whole = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const close = () => {
    setOpen(false);
    button.current?.focus();
  };
  useEffect(() => {
    if (!isOpen) return;
    const leave = (event: Event) => {
      if (!whole.current!.contains(event.target as Node)) setOpen(false);
    };
    addEventListener("pointerdown", leave, true);
    addEventListener("focusin", leave, true);
    return () => {
      removeEventListener("pointerdown", leave, true);
      removeEventListener("focusin", leave, true);
    };
  }, [isOpen]);
  const press = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || !isOpen) return;
    event.preventDefault();
    close();
  };
  return (
    <div class="menu" ref={whole} onKeyDown={press}>
      <button
        ref={button}
        aria-label={label}
        title={label}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        {face}
      </button>
      {isOpen && (
        <div class="sheet" role="group" aria-label={label}>
          {children(close)}
        </div>
      )}
    </div>
  );
}
