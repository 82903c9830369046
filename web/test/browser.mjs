// A Chromium that tests/support/browser.py tells what to do: node browser.mjs CHROMIUM, then one
// JSON command a line on standard input, one JSON answer a line on standard output.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";

import { chromium } from "playwright-core";

const browser = await chromium.launch({
  executablePath: process.argv[2],
  // 3D is drawn by the processor: machines of tests have no graphics card.
  args: [
    "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--enable-unsafe-swiftshader",
    // A name that is this machine, for pages that are no secure context.
    "--lang=en", "--host-resolver-rules=MAP robot.test 127.0.0.1",
  ],
});
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const PATIENCE_MS = 40_000;
let page;
let tools; // of this page
let said = [];
let asked = [];

const commands = {
  /** Another window; `dark`, `width`, `height` and `scale`, the pixels of the screen for one of the
      page, choose how it looks. */
  async window({ dark = false, width = 1280, height = 800, scale = 1 }) {
    await page?.context().close();
    tools = undefined;
    said = [];
    const context = await browser.newContext({
      viewport: { width, height },
      deviceScaleFactor: scale,
      colorScheme: dark ? "dark" : "light",
      timezoneId: "UTC",
    });
    page = await context.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    page.on("console", (message) => {
      // Of how slow a processor is in place of a graphics card.
      if (message.text().includes("GL Driver Message (OpenGL, Performance")) return;
      if (["error", "warning"].includes(message.type())) {
        said.push(`${message.text()} ${message.location().url}`.trim());
      }
    });
    page.on("pageerror", (error) => said.push(String(error)));
    asked = [];
    page.on("request", (request) => {
      asked.push(request.url());
      said.push(...foreign(request.url()));
    });
  },
  /** Runs in the page before its own scripts, in this window and after each load. */
  before: ({ script }) => page.addInitScript(script).then(() => null),
  /** A command of the protocol of Chromium's tools: Performance.getMetrics and the like. */
  tools: async ({ method, parameters = {} }) => {
    tools ??= await page.context().newCDPSession(page);
    return tools.send(method, parameters);
  },
  open: ({ url }) => page.goto(url).then(() => null),
  url: () => page.url(),
  back: () => page.goBack().then(() => null),
  click: ({ on, x, y }) => page.click(on, x === undefined ? {} : { position: { x, y } }),
  /** `holding`: a key, such as Alt. */
  drag: async ({ on, from, to, y, holding }) => {
    const box = await page.locator(on).boundingBox();
    if (holding) await page.keyboard.down(holding);
    await page.mouse.move(box.x + from * box.width, box.y + y);
    await page.mouse.down();
    await page.mouse.move(box.x + to * box.width, box.y + y, { steps: 5 });
    await page.mouse.up();
    if (holding) await page.keyboard.up(holding);
  },
  /** Two fingers go from parts of the width to others. */
  pinch: async ({ on, from, to, y }) => {
    const box = await page.locator(on).boundingBox();
    const touch = await page.context().newCDPSession(page);
    const send = (type, parts) =>
      touch.send("Input.dispatchTouchEvent", {
        type,
        touchPoints: parts.map((part, id) => ({ x: box.x + part * box.width, y: box.y + y, id })),
      });
    await send("touchStart", from);
    for (const step of [0.25, 0.5, 0.75, 1]) {
      await send("touchMove", from.map((part, i) => part + (to[i] - part) * step));
    }
    await send("touchEnd", []);
  },
  hover: async ({ on, at, y }) => {
    const box = await page.locator(on).boundingBox();
    await page.mouse.move(box.x + at * box.width, box.y + y);
  },
  /** Drags an element to a point of another one; `x` and `y` are parts of its size. */
  drop: async ({ on, to, x, y }) => {
    await page.hover(on);
    await page.mouse.down();
    const box = await page.locator(to).first().boundingBox();
    const point = [box.x + x * box.width, box.y + y * box.height];
    await page.mouse.move(...point, { steps: 8 });
    await page.mouse.move(...point);
    await page.mouse.up();
  },
  wheel: async ({ on, at, by, across = 0, key }) => {
    const box = await page.locator(on).boundingBox();
    await page.mouse.move(box.x + at * box.width, box.y + box.height / 2);
    if (key) await page.keyboard.down(key);
    await page.mouse.wheel(across, by);
    if (key) await page.keyboard.up(key);
  },
  /** Turns the wheel forth and back, a second each, as often as a screen has frames: it does not
      wait until the page has taken a turn. */
  async turn({ on, by, key, seconds }) {
    const box = await page.locator(on).boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.keyboard.down(key);
    const turns = [];
    const begin = Date.now();
    for (let passed = 0; passed < seconds * 1000; passed = Date.now() - begin) {
      turns.push(page.mouse.wheel(0, passed % 2000 < 1000 ? by : -by));
      await new Promise((done) => setTimeout(done, 1000 / 60));
    }
    await Promise.all(turns);
    await page.keyboard.up(key);
  },
  /** The pointer over a part of an element. */
  point: async ({ on, at }) => {
    const box = await page.locator(on).boundingBox();
    await page.mouse.move(box.x + at * box.width, box.y + box.height / 2);
  },
  twice: ({ on, x, y }) => page.dblclick(on, { position: { x, y } }),
  focus: ({ on }) => page.focus(on),
  /** Chooses a file as a person does in the dialog of an input. */
  choose: ({ on, file }) => page.setInputFiles(on, file),
  press: ({ key }) => page.keyboard.press(key),
  fill: ({ on, text }) => page.fill(on, text),
  select: ({ on, value }) => page.selectOption(on, value).then(() => null),
  /** Waits until an expression is true in the page. The page's policy forbids waitForFunction(),
      which evaluates texts in the page itself. */
  async wait({ until }) {
    for (const end = Date.now() + PATIENCE_MS; !(await page.evaluate(`Boolean(${until})`)); ) {
      if (Date.now() > end) throw new Error(`it did not come true; said: ${said}`);
      await page.waitForTimeout(20);
    }
  },
  /** The rules of accessibility that are broken seriously, by axe-core, and where. */
  async axe() {
    await page.evaluate(AXE);
    const run = "axe.run(document, { resultTypes: ['violations'] })";
    const { violations } = await page.evaluate(run);
    return violations
      .filter(({ impact }) => ["serious", "critical"].includes(impact))
      .map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(" ")).join(", ")}`);
  },
  see: ({ expression }) => page.evaluate(expression),
  texts: ({ on }) => page.locator(on).allInnerTexts(),
  count: ({ on }) => page.locator(on).count(),
  picture: ({ to }) => page.screenshot({ path: to }).then(() => null),
  /** Errors, warnings and requests to other hosts since the window was opened. */
  said: () => said,
  /** All requests since then, those of workers too. */
  asked: () => asked,
};

function foreign(url) {
  const { protocol, hostname } = new URL(url);
  const isOwn = ["127.0.0.1", "robot.test"].includes(hostname);
  return protocol === "blob:" || isOwn ? [] : [`request to ${url}`];
}

for await (const line of createInterface({ input: process.stdin })) {
  const { do: name, ...options } = JSON.parse(line);
  let answer;
  try {
    answer = { value: (await commands[name](options)) ?? null };
  } catch (error) {
    answer = { error: String(error.message ?? error) };
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
await browser.close();
