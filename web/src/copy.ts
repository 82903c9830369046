// Puts a text on the clipboard. Browsers have it for pages in a secure context only, which the
// address of a robot is not; elsewhere a text is selected for an instant and copied as a person
// would.

/** Whether it was copied. `beside`: where the text may stand meanwhile; an open dialog lets nothing
    outside of it be selected. */
export async function copyText(text: string, beside: HTMLElement = document.body) {
  try {
    if (navigator.clipboard) {
      await navigator.clipboard.writeText(text);
      return true;
    }
  } catch {
    // It may be forbidden to pages that have it.
  }
  const area = document.createElement("textarea");
  const focused = document.activeElement;
  area.value = text;
  area.readOnly = true;
  area.style.position = "fixed";
  area.style.opacity = "0";
  beside.append(area);
  area.select();
  const isCopied = document.execCommand("copy");
  area.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return isCopied;
}
