import { expect, test } from "vitest";

import { eventsText, eventText, found, parseEvents } from "./events";

const ORIGIN = 1_767_225_600_000_000_000n;
const TEXT = `{
  "events": [
    {
      "start_time": 1767225605.123456789,
      "end_time": 1767225606.000000001,
      "label": "stuck \\"start_time\\": 5",
      "metadata": {"by": "Ann"}
    },
    {"start_time": 1767225600.500000000, "label": "<b>bump</b>", "description": "at the Door"}
  ]
}`;

test("events by time, in seconds since the start of the bag", () => {
  const events = parseEvents(TEXT, ORIGIN);
  expect(events.map(({ start, end, label }) => [start, end, label])).toEqual([
    [0.5, null, "<b>bump</b>"],
    [5.123456789, 6.000000001, 'stuck "start_time": 5'],
  ]);
});

test("what is sent back has every digit of the times", () => {
  const text = eventsText(parseEvents(TEXT, ORIGIN));
  expect(text).toContain('"start_time":1767225605.123456789,"end_time":1767225606.000000001');
  expect(JSON.parse(text).events[1]).toMatchObject({
    label: 'stuck "start_time": 5',
    metadata: { by: "Ann" },
  });
});

test("a new one, of an instant or a range, whatever its name is", () => {
  const label = '":"@1", "start_time":"@5"';
  expect(eventText(ORIGIN, 1.5, null, label)).toBe(
    `{"start_time":1767225601.500000000,"label":${JSON.stringify(label)}}`,
  );
  expect(JSON.parse(eventText(ORIGIN, 1, 2, "x")).end_time).toBe(1767225602);
});

test("what the file should not have is passed over", () => {
  expect(parseEvents('{"events": [{"label": "x"}, {"start_time": 1767225600}]}', ORIGIN)).toEqual([
    { start: 0, end: null, label: "", description: "", raw: { start_time: "@1767225600" } },
  ]);
  expect(parseEvents("{}", ORIGIN)).toEqual([]);
});

test("the search looks in names and descriptions", () => {
  const events = parseEvents(TEXT, ORIGIN);
  expect(found(events, "DOOR").map(({ start }) => start)).toEqual([0.5]);
  expect(found(events, "").length).toBe(2);
});
