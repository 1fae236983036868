/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/** Reports in a real Chromium, watched for everything that they must not do. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type {
  Browser,
  BrowserContextOptions,
  ConsoleMessage,
  Page,
  Request,
} from "playwright-core";
import type { Depth } from "../../report/blocks.ts";
import { DEPTH_KEY } from "../../report/render/html/sections/depth.ts";
import { settlesWithin } from "../../targets/launch/settles.ts";
import { keep } from "../kept.ts";
import { findProgram, testWith } from "../needs.ts";

export const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
];

/** What a test does with a page whose charts are all drawn. It leaves nothing behind but the page itself. */
export interface Look {
  readonly html: string;
  readonly options: BrowserContextOptions;
  /** How much of the page is shown; default everything. */
  readonly depth?: Depth;
  readonly look: (page: Page) => Promise<void>;
}

interface Started extends AsyncDisposable {
  readonly browser: Browser;
  readonly tabs: Tabs;
}

async function start(): Promise<Started> {
  const { chromium } = await import("playwright-core");
  const executablePath = findProgram("chromium") ?? undefined;
  // It keeps its reports of crashes in the home folder otherwise.
  const env = { ...Deno.env.toObject(), XDG_CONFIG_HOME: tmpdir() };
  const browser = await chromium.launch({ executablePath, args: FLAGS, env });
  return { browser, tabs: new Tabs(browser), [Symbol.asyncDispose]: () => browser.close() };
}

type Step = (started: Started) => Promise<void>;

let started: (() => Started) | null = null;

/** One test with a step for each name; all tests of a process share the browser. */
export function browserTest(name: string, steps: Readonly<Record<string, Step>>): void {
  const kept = started ??= keep(["chromium"], start);
  const unsanitized = { sanitizeOps: false, sanitizeResources: false };
  testWith(["chromium"], name, {
    fn: async (t) => {
      for (const [sentence, step] of Object.entries(steps)) {
        await t.step({ name: sentence, fn: () => step(kept()), ...unsanitized });
      }
    },
    ...unsanitized,
  });
}

/** One test with a step a look. @param usual What is looked at where a look says nothing else. */
export function chromiumTest(
  name: string,
  looks: Readonly<Record<string, Look | Look["look"]>>,
  usual: Omit<Look, "look"> = { html: "", options: {} },
): void {
  const steps = Object.entries(looks).map(([sentence, look]): [string, Step] => {
    const whole = typeof look === "function" ? { ...usual, look } : look;
    return [sentence, ({ tabs }) => tabs.show(whole)];
  });
  browserTest(name, Object.fromEntries(steps));
}

/** Longer than any look on the busiest machine. What a page evaluates has no time-out of Playwright's. */
const LOOK_MS = 120_000;

/** Chromium neither drew nor replied. */
class Stuck extends Error {}

/** Fails where it is stuck, in place of waiting for ever; closing it ends the look. */
async function inTime(looking: Promise<void>): Promise<void> {
  looking.catch(() => {}); // closed, it fails when nobody waits any more
  const isOver = await settlesWithin(looking, LOOK_MS);
  if (!isOver) throw new Stuck(`Cannot wait for Chromium longer than ${LOOK_MS / 1_000} s`);
  await looking;
}

/** Screens, one of each kind, that show one page after another: a new one costs a process. */
class Tabs {
  readonly #pages = new Map<string, Page>();

  constructor(private readonly browser: Browser) {}

  /** A screen that gets stuck is closed, and another shows the page: one that hangs by itself does so there, too. */
  async show(look: Look): Promise<void> {
    await this.#showOnce(look).catch(async (error: unknown) => {
      if (!(error instanceof Stuck)) throw error;
      await this.#showOnce(look);
    });
  }

  async #showOnce(look: Look): Promise<void> {
    const { colorScheme = "light", viewport, ...kind } = look.options;
    const key = JSON.stringify(kind);
    const page = this.#pages.get(key) ??
      await (await this.browser.newContext(look.options)).newPage();
    this.#pages.delete(key); // one that fails is in an unknown state
    try {
      await page.emulateMedia({ media: null, colorScheme });
      if (viewport) await page.setViewportSize(viewport);
      await page.mouse.move(0, 0);
      await inTime(lookAt(page, look));
      this.#pages.set(key, page);
    } finally {
      if (!this.#pages.has(key)) await page.context().close();
    }
  }
}

/** Fails on console output and requests, too. */
async function lookAt(
  page: Page,
  { html, options, depth = "everything", look }: Look,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "plateau-page-"));
  const file = join(folder, "report.html");
  writeFileSync(file, html);
  const forbidden: string[] = [];
  const onConsole = (message: ConsoleMessage): void =>
    void forbidden.push(`console: ${message.text()}`);
  const onError = (error: Error): void => void forbidden.push(`error: ${error.message}`);
  const onRequest = (request: Request): void => void forbidden.push(`request: ${request.url()}`);
  page.on("console", onConsole).on("pageerror", onError).on("request", onRequest);
  try {
    await using _chosen = await setDepth(page, depth);
    const url = pathToFileURL(file).href;
    await page.goto(url);
    if (options.javaScriptEnabled !== false) {
      await page.waitForSelector("html[data-charts=drawn][data-page=read]");
    }
    await look(page);
    const own = [`request: ${url}`, "request: data:,"];
    assert.deepEqual(forbidden.filter((line) => !own.includes(line)), []);
  } finally {
    page.off("console", onConsole).off("pageerror", onError).off("request", onRequest);
    rmSync(folder, { recursive: true });
  }
}

/** Waits for every chart that has room in the page, wherever that is: nobody scrolls there. */
export async function allDrawn(page: Page): Promise<void> {
  await page.waitForFunction(() =>
    [...document.querySelectorAll("canvas")].every(({ width, height, clientWidth, dataset, id }) =>
      clientWidth === 0 || (width !== 300 || height !== 150) &&
        (!id.includes("-heatmap-") || dataset.heat === "drawn")
    )
  );
}

/** As if the reader had chosen it before. */
export function setDepth(page: Page, depth: Depth): ReturnType<Page["addInitScript"]> {
  return page.addInitScript(([key, depth]) => localStorage.setItem(key, depth), [DEPTH_KEY, depth]);
}

/** Draws every chart at once, as for paper that was chosen to hold everything. */
export async function drawForPrint(page: Page): Promise<void> {
  await page.locator(".depth label", { hasText: "Everything" }).click();
  await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
}

/** Unfolds everything. */
export async function openAll(page: Page): Promise<void> {
  await page.evaluate(() => {
    for (const details of document.querySelectorAll("details")) details.open = true;
  });
}

/** Where a canvas is on the screen, once it has come there and is drawn. */
export async function drawnBox(
  page: Page,
  id: string,
): Promise<{ x: number; y: number; width: number; height: number }> {
  const canvas = page.locator(`#${id}`);
  await canvas.scrollIntoViewIfNeeded();
  await page.waitForFunction((id) => {
    const drawn = document.getElementById(id);
    return drawn instanceof HTMLCanvasElement && (drawn.width !== 300 || drawn.height !== 150);
  }, id);
  const box = await canvas.boundingBox();
  assert.ok(box);
  return box;
}

/** Share of the canvas' pixels that are painted, by the id of each canvas. */
export function inkOf(page: Page): Promise<Record<string, number>> {
  return page.evaluate(() =>
    Object.fromEntries([...document.querySelectorAll("canvas")].map((canvas) => {
      const { width, height } = canvas;
      const pixels = canvas.getContext("2d")?.getImageData(0, 0, width, height).data ?? [];
      let painted = 0;
      for (let i = 3; i < pixels.length; i += 4) if (pixels[i] > 0) painted++;
      return [canvas.id, painted / (width * height)];
    }))
  );
}

/** Pointing at a chart shows what is there: that changes its drawing. @param at Default: its middle. */
export async function assertPointed(
  page: Page,
  id: string,
  at?: { readonly x: number; readonly y: number },
): Promise<void> {
  await drawnBox(page, id);
  const canvas = page.locator(`#${id}`);
  const before = await canvas.evaluate((element: HTMLCanvasElement) => element.toDataURL());
  await canvas.hover({ position: at });
  await page.waitForFunction(
    ([id, image]) => document.querySelector<HTMLCanvasElement>(`#${id}`)?.toDataURL() !== image,
    [id, before],
  );
}
