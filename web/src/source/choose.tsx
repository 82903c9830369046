// How files of this machine are chosen: by a button, or dropped anywhere on the page. Several are
// opened together.

import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

import "./choose.css";
import { shownName } from "./source";

interface FileButtonProps {
  onFiles(files: File[]): void;
  children: ComponentChildren;
}

export function FileButton({ onFiles, children }: FileButtonProps) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <button
        class="file"
        title="MCAP files or ROS 1 bags of this machine. They are sent to no one."
        onClick={() => input.current!.click()}
      >
        {children}
      </button>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label="A bag of this machine"
        onChange={(event) => {
          const files = [...(event.currentTarget.files ?? [])];
          event.currentTarget.value = ""; // the same file may be chosen again
          onFiles(files);
        }}
      />
    </>
  );
}

/** Panels are dragged, too; only files are looked at here. */
const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;

export function DropZone({ onFiles }: { onFiles(files: File[]): void }) {
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
      onFiles([...event.dataTransfer!.files]);
    };
    addEventListener("dragover", over);
    addEventListener("dragleave", leave);
    addEventListener("drop", drop);
    return () => {
      removeEventListener("dragover", over);
      removeEventListener("dragleave", leave);
      removeEventListener("drop", drop);
    };
  }, [onFiles]);
  if (!isOver) return null;
  return (
    <div class="drop">
      <p>
        <b>Drop bags to look at them here</b>
        <span>MCAP or ROS 1. They are sent to no one.</span>
      </p>
    </div>
  );
}

interface ChooseAgainProps {
  bag: string;
  onFiles(files: File[]): void;
  onLeave(): void;
}

/** A link to a file of a machine: the page may not open it by itself. */
export function ChooseAgain({ bag, onFiles, onLeave }: ChooseAgainProps) {
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
        <FileButton onFiles={onFiles}>Choose the file …</FileButton>
      </main>
    </>
  );
}
