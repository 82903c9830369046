// What is searched for, as a server with a catalog takes it (docs/serving.md): "topic:/odom",
// "type:Image", "tag:robot=r7" and "time:2023-10" look in one place, a plain word in paths, notes,
// tags and events.

/** A part of a name in upper or lower case, as a glob; a comma would end it. */
function globOf(part: string): string {
  const letters = [...part].map((letter) => {
    const [low, high] = [letter.toLowerCase(), letter.toUpperCase()];
    if (low !== high && low.length === 1 && high.length === 1) return `[${low}${high}]`;
    return letter === "," ? "?" : letter.replace(/[*?[\]\\]/, "\\$&");
  });
  return `*${letters.join("")}*`;
}

/** From when to when, in seconds since 1970: a year, a month, a day or an hour in local time. */
function timesOf(text: string): [number, number] | null {
  const match = /^(\d{4})(?:-(\d\d)(?:-(\d\d)(?:[t_](\d\d))?)?)?$/i.exec(text);
  if (!match) return null;
  const [year, month, day, hour] = match.slice(1).map((part) => part && Number(part));
  const at = (plus: number[]) =>
    new Date(
      (year as number) + plus[0]!,
      ((month as number) || 1) - 1 + plus[1]!,
      ((day as number) || 1) + plus[2]!,
      ((hour as number) || 0) + plus[3]!,
    ).getTime() / 1000;
  const steps = [month, day, hour].filter((part) => part !== undefined && part !== "").length;
  const plus = [0, 0, 0, 0];
  plus[steps] = 1;
  return [at([0, 0, 0, 0]), at(plus)];
}

/** The parameters that select, each with "&" behind it. */
export function catalogQuery(search: string, isNewestFirst: boolean): string {
  const query = new URLSearchParams();
  for (const word of search.split(/\s+/).filter(Boolean)) {
    const colon = word.indexOf(":");
    const place = word.slice(0, Math.max(0, colon)).toLowerCase();
    const text = word.slice(colon + 1);
    const times = place === "time" ? timesOf(text) : null;
    if (text === "" && colon >= 0) continue;
    if (place === "topic") query.append("topics", globOf(text));
    else if (place === "type") query.append("types", globOf(text));
    else if (place === "tag" && /^[^=]+=./.test(text)) query.append("tag", text);
    else if (times) {
      query.set("start_time", String(times[0]));
      query.set("end_time", String(times[1]));
    } else query.append("text", place === "name" || place === "tag" ? text : word);
  }
  if (!isNewestFirst) query.set("order", "oldest");
  return query.size ? `${query}&` : "";
}
