/** What axe-core finds on a page. */
import axe from "axe-core";
import type { Page } from "playwright-core";

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
