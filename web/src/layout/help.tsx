// All keys, in a dialog.

import { useEffect, useRef } from "preact/hooks";

import { KEYS } from "../player/keys";

export function Help({ onClose }: { onClose(): void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current!.showModal(), []);
  return (
    <dialog
      ref={dialog}
      class="help"
      aria-labelledby="keys"
      onClose={onClose}
      onClick={(event) => event.target === dialog.current && dialog.current?.close()}
    >
      <div>
        <header>
          <h2 id="keys">Keys</h2>
          <button aria-label="Close the keys" title="Close" onClick={() => dialog.current!.close()}>
            ×
          </button>
        </header>
        <dl>
          {KEYS.map(([keys, what]) => (
            <div key={keys}>
              <dt>
                {keys.split(" ").map((key) => (
                  <kbd key={key}>{key}</kbd>
                ))}
              </dt>
              <dd>{what}</dd>
            </div>
          ))}
        </dl>
      </div>
    </dialog>
  );
}
