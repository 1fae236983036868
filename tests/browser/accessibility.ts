/** Whether a page keeps anyone out, on any screen. */
import assert from "node:assert/strict";
import axe from "axe-core";
import type { BrowserContextOptions, Page } from "playwright-core";
import type { Depth } from "../../report/blocks.ts";
import { type Look, openAll } from "./chromium.ts";
import { DESKTOP, PHONE } from "./sample.ts";

/** As `rule: element`. @param parts Selects what is looked at; it takes seconds for a large page. */
export async function violationsOf(page: Page, parts = "html"): Promise<string[]> {
  await page.evaluate(axe.source);
  // What is right, thousands of elements, stays there: telling it takes longer than to look.
  const violations = await page.evaluate(async (selector): Promise<axe.Result[]> => {
    const options = { resultTypes: ["violations"] };
    return (await Reflect.get(globalThis, "axe").run(selector, options)).violations;
  }, parts);
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}

type Screens = Readonly<Record<string, BrowserContextOptions>>;

function screensOf(wide: BrowserContextOptions, phone: BrowserContextOptions): Screens {
  return {
    "on a wide screen": { ...wide, colorScheme: "light" },
    "in the dark": { ...wide, colorScheme: "dark" },
    "on a phone": { ...phone, colorScheme: "light" },
  };
}

const SCREENS = screensOf(DESKTOP, PHONE);
export const LAPTOP = { viewport: { width: 1366, height: 768 } } as const;
export const PHONE_SCREEN = { ...PHONE, viewport: { width: 390, height: 844 } } as const;
/** Those on which a verdict is to be seen without scrolling. */
export const FIRST_SCREENS = screensOf(LAPTOP, PHONE_SCREEN);

interface OnScreen {
  readonly html: string;
  /** Those that are looked at. */
  readonly parts?: string;
  /** Whether everything is unfolded first, which takes seconds for a large page. */
  readonly opens?: "always" | "on wide screens";
  readonly depth?: Depth;
  readonly screens?: Screens;
  readonly look: (page: Page, isPhone: boolean) => Promise<void>;
}

/** Looks at a page on every screen, where nothing keeps anyone out, and nothing is wider than it. */
export function onEveryScreen(
  sentence: string,
  { html, parts = "html", opens, depth, screens = SCREENS, look }: OnScreen,
): Record<string, Look> {
  return Object.fromEntries(
    Object.entries(screens).map(([screen, options]) => [`${screen} ${sentence}`, {
      ...{ html, options, depth },
      look: async (page) => {
        if (opens === "always" || opens && !options.isMobile) await openAll(page);
        assert.deepEqual(await violationsOf(page, parts), []);
        const [width, most] = await page.evaluate(() => [document.body.scrollWidth, innerWidth]);
        assert.ok(width <= most, `${width} of ${most} px: tables scroll, never the page`);
        await look(page, options.isMobile ?? false);
      },
    }]),
  );
}
