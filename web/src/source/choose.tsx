// How a file of this machine is chosen: by a button, or dropped anywhere on the page.

import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

import "./choose.css";
import { shownName } from "./source";

interface FileButtonProps {
  onFile(file: File): void;
  children: ComponentChildren;
}

export function FileButton({ onFile, children }: FileButtonProps) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <button
        class="file"
        title="An MCAP file or a ROS 1 bag of this machine. It is sent to no one."
        onClick={() => input.current!.click()}
      >
        {children}
      </button>
      <input
        ref={input}
        type="file"
        hidden
        aria-label="A bag of this machine"
        onChange={(event) => {
          const [file] = event.currentTarget.files ?? [];
          event.currentTarget.value = ""; // the same file may be chosen again
          if (file) onFile(file);
        }}
      />
    </>
  );
}

/** Panels are dragged, too; only files are looked at here. */
const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;

export function DropZone({ onFile }: { onFile(file: File): void }) {
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    const over = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(true);
    };
    const leave = (event: DragEvent) => {
      if (event.relatedTarget === null) setOver(false);
    };
    const drop = (event: DragEvent) => {
      setOver(false);
      if (!hasFiles(event)) return;
      event.preventDefault();
      const file = event.dataTransfer!.files[0];
      if (file) onFile(file);
    };
    addEventListener("dragover", over);
    addEventListener("dragleave", leave);
    addEventListener("drop", drop);
    return () => {
      removeEventListener("dragover", over);
      removeEventListener("dragleave", leave);
      removeEventListener("drop", drop);
    };
  }, [onFile]);
  if (!isOver) return null;
  return (
    <div class="drop">
      <p>
        <b>Drop a bag to look at it here</b>
        <span>MCAP or ROS 1. It is sent to no one.</span>
      </p>
    </div>
  );
}

interface ChooseAgainProps {
  bag: string;
  onFile(file: File): void;
  onLeave(): void;
}

/** A link to a file of a machine: the page may not open it by itself. */
export function ChooseAgain({ bag, onFile, onLeave }: ChooseAgainProps) {
  return (
    <>
      <header class="top">
        <h1>
          <a
            href="/"
            onClick={(event) => {
              event.preventDefault();
              onLeave();
            }}
          >
            kitbag
          </a>
        </h1>
      </header>
      <main class="choose">
        <p>
          <b>{shownName(bag)}</b> is a file of the machine where it was opened, and not on the
          server.
        </p>
        <p>Drop it here, or</p>
        <FileButton onFile={onFile}>Choose the file …</FileButton>
      </main>
    </>
  );
}
