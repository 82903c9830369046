// Texts of a bag in commands that people paste into a terminal. A name of a bag or a topic may be
// anything, so all but plain words are quoted, and what a terminal would obey is written out.

const PLAIN = /^[\w./:@%+,-][\w./:@%+,=-]*$/;
/** Controls, and characters that reorder what is beside them. */
const UNSEEN = /[\0-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/;
const UNSEEN_ALL = new RegExp(UNSEEN, "g");

/** A word for bash and zsh. */
export function shellWord(text: string): string {
  if (PLAIN.test(text)) return text;
  if (!UNSEEN.test(text)) return `'${text.replaceAll("'", "'\\''")}'`;
  const bytes = (found: string) =>
    [...new TextEncoder().encode(found)]
      .map((byte) => `\\x${byte.toString(16).padStart(2, "0")}`)
      .join("");
  // After \x.., a digit would belong to it: the quotes are closed and opened again.
  const inner = text
    .replace(/[\\']/g, "\\$&")
    .replace(UNSEEN_ALL, (found) => `${bytes(found)}'$'`);
  return `$'${inner}'`;
}

/** A file's name as an argument: not an option, whatever it begins with. */
export function shellFile(name: string): string {
  return shellWord(name.startsWith("-") ? `./${name}` : name);
}

/** A text in Python. Its escapes are those of JSON, and more. */
export function pythonText(text: string): string {
  const code = (found: string) => `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return JSON.stringify(text).replace(UNSEEN_ALL, code);
}
