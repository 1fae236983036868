/** What axe-core finds on a page. */
import axe from "axe-core";
import type { Page } from "playwright-core";

/** As `rule: element`. */
export async function violationsOf(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations }: axe.AxeResults = await page.evaluate(() =>
    Reflect.get(globalThis, "axe").run()
  );
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}
