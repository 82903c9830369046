/** Puts a text on the clipboard. Browsers offer their API for it on secure pages only; elsewhere
    the text is selected and copied as a person would. False: the browser refuses. */
export async function copyText(text: string, beside: HTMLElement): Promise<boolean> {
  try {
    if (navigator.clipboard) {
      await navigator.clipboard.writeText(text);
      return true;
    }
  } catch {
    // It may be forbidden to pages that have it.
  }
  const area = document.createElement("textarea");
  area.value = text;
  area.readOnly = true;
  area.className = "unseen";
  beside.append(area);
  area.select();
  const isCopied = document.execCommand("copy");
  area.remove();
  return isCopied;
}
