// The button in the head of a view, and what it opens: the lines that give the view's data.

import { useEffect, useRef, useState } from "preact/hooks";

import "./view.css";
import { codeOf, type Ask, type Bag, type Code as Lines } from "./code";
import { copyText } from "../copy";

interface Props {
  /** Of what: "/odom". */
  title: string;
  bag: Omit<Bag, "root">;
  /** What the view shows at this moment. */
  asks(): Ask[];
}

const KINDS: { kind: keyof Lines; title: string; note: string }[] = [
  { kind: "curl", title: "curl", note: "anywhere" },
  { kind: "kitbag", title: "kitbag", note: "in the folder of the bag" },
  { kind: "python", title: "Python", note: "without other packages" },
];

export function Code({ title, bag, asks }: Props) {
  const [lines, setLines] = useState<Lines | null>(null);
  const name = `Code for ${title}`;
  return (
    <>
      <button
        class="code-button"
        aria-label={name}
        aria-haspopup="dialog"
        title="The lines that give this data"
        onClick={() => setLines(codeOf({ root: location.origin, ...bag }, asks()))}
      >
        {"</>"}
      </button>
      {lines && <Dialog name={name} lines={lines} close={() => setLines(null)} />}
    </>
  );
}

function Dialog({ name, lines, close }: { name: string; lines: Lines; close(): void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [said, setSaid] = useState("");
  useEffect(() => dialog.current!.showModal(), []);
  const copy = async (kind: keyof Lines) => {
    const isCopied = await copyText(lines[kind], dialog.current!);
    setSaid(isCopied ? kind : "");
    if (!isCopied) getSelection()?.selectAllChildren(dialog.current!.querySelector(`.${kind}`)!);
  };
  return (
    <dialog
      ref={dialog}
      class="code"
      aria-label={name}
      onClose={close}
      // The keys of the player are not those of a dialog.
      onKeyDown={(event) => event.stopPropagation()}
      onClick={(event) => event.target === dialog.current && dialog.current!.close()}
    >
      <header>
        <h2>{name}</h2>
        <button aria-label="Close" title="Close" onClick={() => dialog.current!.close()}>
          ×
        </button>
      </header>
      {KINDS.map(({ kind, title, note }) => (
        <section key={kind}>
          <div>
            <span>
              {title} <span class="quiet">{note}</span>
            </span>
            <button aria-label={`Copy ${title}`} onClick={() => void copy(kind)}>
              {said === kind ? "Copied" : "Copy"}
            </button>
          </div>
          <pre class={kind} tabIndex={0}>
            {lines[kind]}
          </pre>
        </section>
      ))}
    </dialog>
  );
}
