// Copies a text. Browsers have the clipboard for pages in a secure context only; for others, a page
// on a robot's own address, there is the older way: a text that is selected for an instant.

/** Whether it was copied. */
export async function copyText(text: string): Promise<boolean> {
  try {
    if (isSecureContext && navigator.clipboard) {
      await navigator.clipboard.writeText(text);
      return true;
    }
  } catch {
    // not allowed: the other way may be
  }
  const area = document.createElement("textarea");
  const focused = document.activeElement;
  area.value = text;
  area.style.position = "fixed";
  area.style.opacity = "0";
  document.body.append(area);
  area.select();
  const isCopied = document.execCommand("copy");
  area.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return isCopied;
}
