/// <reference lib="dom" />
/**
 * `deno task pictures` makes the pictures for the README and the docs, and the README's sample of output, from real
 * runs. It opens the pages that `deno task examples` made in Chromium, and runs `plateau bench` in a tmux terminal.
 */
import { Buffer } from "node:buffer";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Browser, chromium, type Page } from "playwright-core";
import { FLAGS } from "../../tests/browser/chromium.ts";
import { serve } from "../../tests/e2e/plateau.ts";
import { Terminal } from "../../tests/e2e/terminal.ts";
import { findProgram } from "../../tests/needs.ts";
import { toSvg } from "./screen.ts";

const ROOT = join(import.meta.dirname ?? "", "../..");
const IMAGES = join(ROOT, "docs/images");
/** The scale of pictures relative to the page, which keeps the files small. */
const SCALE = 0.75;
const QUALITY = 0.85;
const TALL = { width: 1_240, height: 2_400 };
/** The sizes of the windows for pictures of what a reader sees first, keyed by the picture's name. */
const FIRST_SCREENS = {
  "first-screen": { width: 1_366, height: 768 },
  "first-screen-phone": { width: 390, height: 844 },
};
const [COLUMNS, ROWS] = [96, 60];

async function takePages(): Promise<void> {
  const executablePath = findProgram("chromium") ?? undefined;
  const browser = await chromium.launch({ executablePath, args: FLAGS });
  await takeSummary(browser);
  for (const [name, viewport] of Object.entries(FIRST_SCREENS)) {
    const page = await openExample(browser, "cold-instance", viewport);
    await save(page, name, await page.screenshot());
  }
  await browser.close();
}

/** Takes the picture of the report's summary, down to the charts of throughput against p99. */
async function takeSummary(browser: Browser): Promise<void> {
  const page = await openExample(browser, "caching", TALL);
  const { y = 0, height = 0 } = await page.locator("#e1-tradeoff .panels").boundingBox() ?? {};
  const clip = { x: 0, y: 0, width: TALL.width, height: y + height };
  await save(page, "report", await page.screenshot({ clip }));
}

async function openExample(browser: Browser, name: string, viewport: Screen): Promise<Page> {
  const page = await browser.newPage({ viewport, deviceScaleFactor: SCALE });
  await page.goto(pathToFileURL(join(ROOT, "examples", `${name}.html`)).href);
  await page.waitForSelector("html[data-charts=drawn][data-page=read]");
  await page.waitForFunction(() => document.fonts.status === "loaded");
  return page;
}

type Screen = typeof TALL;

async function save(page: Page, name: string, png: Uint8Array): Promise<void> {
  const webp = await asWebp(page, Buffer.from(png).toString("base64"));
  await Deno.writeFile(join(IMAGES, `${name}.webp`), webp);
}

/**
 * Encodes a picture as WebP, at a third of the PNG's size, with the browser's own encoder.
 * @param png The picture in base64.
 */
async function asWebp(page: Page, png: string): Promise<Uint8Array> {
  const bytes = await page.evaluate(async ([source, quality]) => {
    const image = new Image();
    image.src = `data:image/png;base64,${source}`;
    await image.decode();
    const canvas = new OffscreenCanvas(image.width, image.height);
    canvas.getContext("2d")?.drawImage(image, 0, 0);
    const blob = await canvas.convertToBlob({ type: "image/webp", quality: Number(quality) });
    return [...new Uint8Array(await blob.arrayBuffer())];
  }, [png, QUALITY]);
  return Uint8Array.from(bytes);
}

/** A shell prompt on the last line, where only escape sequences for styles may precede it. */
// deno-lint-ignore no-control-regex -- the escapes of a terminal begin with one
const PROMPT = /\n(?:\x1b\[[\d;]*m)*\$\s*$/;

/** Takes the picture of a terminal after `plateau bench` has run in it. */
async function takeTerminal(): Promise<void> {
  await using api = await serve("api", "--port", "8080");
  const url = `${api.origin}/static`;
  const bin = await Deno.makeTempDir();
  const program = `#!/bin/sh\nexec ${Deno.execPath()} run -A ${join(ROOT, "main.ts")} "$@"\n`;
  await Deno.writeTextFile(join(bin, "plateau"), program, { mode: 0o755 });
  const { HOME = "", PATH = "" } = Deno.env.toObject();
  const env = { HOME, PATH: `${bin}:${PATH}`, LANG: "C.UTF-8", PS1: "$ " };
  await using terminal = new Terminal(["sh"], env);
  await terminal.shows(/^\$/m);
  await terminal.resize(COLUMNS, ROWS);
  await terminal.type(`clear; plateau bench ${url} -c 50 -d 5s`);
  await terminal.shows(/Status codes\s+200/);
  const styled = await terminal.shows(PROMPT, { styles: true });
  const screen = styled.replace(PROMPT, "\n$ ");
  await Deno.writeTextFile(join(IMAGES, "terminal.svg"), toSvg(titled(url, screen), COLUMNS));
  await showInReadme(screen);
  await Deno.remove(bin, { recursive: true });
}

/**
 * Removes the empty prompt at the end of the screen, and puts the command line, which `clear` removed, back at the top.
 */
function titled(url: string, screen: string): string {
  return `$ plateau bench ${url} -c 50 -d 5s\n${screen.replace(/\n\$\s*$/, "")}`;
}

/** Puts the terminal's output into the README as plain text, without the latency histogram and the status codes. */
async function showInReadme(screen: string): Promise<void> {
  const file = join(ROOT, "README.md");
  // deno-lint-ignore no-control-regex -- the escapes of a terminal begin with one
  const plain = screen.replaceAll(/\x1b\[[\d;]*m/g, "").replaceAll(/ +$/gm, "");
  const shown = plain.replace(/^Latency histogram\n.*?(?=^Latency percentiles)/ms, "")
    .replace(/^Status codes\n.*?\n\n(?=[^\n]* · p50 )/ms, "").replace(/\n\$\s*$/, "\n");
  const readme = await Deno.readTextFile(file);
  const sample = readme.replace(/(?<=<!-- prints -->\n\n```text\n).*?(?=```\n)/s, () => shown);
  await Deno.writeTextFile(file, sample);
}

await Deno.mkdir(IMAGES, { recursive: true });
await takeTerminal();
await takePages();
