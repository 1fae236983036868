/** The examples in code, and those that come from other tools, against a shop that looks at every request. */
import assert from "node:assert/strict";
import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { results, type Run } from "../../runner/result/result.ts";
import { ExampleShop, SHOP_KEY, SHOP_PASSWORD } from "./example_shop.ts";
import { emptyFolder, exits } from "./plateau.ts";

const EXAMPLES = join(import.meta.dirname ?? "", "../../examples/code");

interface Ran {
  readonly shop: ExampleShop;
  /** All went right. */
  readonly run: Run;
  /** By their names. */
  readonly counts: Readonly<Record<string, number>>;
  readonly stderr: string;
}

/** Runs an example, or what it becomes, for a short time. */
async function ran(
  file: string,
  { convert = [], more = [] }: { convert?: string[]; more?: string[] } = {},
): Promise<Ran> {
  await using shop = await ExampleShop.open(join(EXAMPLES, "shop.openapi.yaml"));
  using folder = emptyFolder();
  cpSync(EXAMPLES, folder.path, { recursive: true });
  const env = { SHOP_KEY, SHOP_PASSWORD, KEY: SHOP_KEY, TOKEN: SHOP_PASSWORD };
  const around = { cwd: folder.path, env };
  if (convert.length > 0) await exits(0, ["init", file, "--from", ...convert], around);
  const short = ["-q", "--repeat", "1", "--duration", "1s", "--set", `target=${shop.url}`];
  const { stderr } = await exits(0, ["run", file, ...short, ...more, "--out", "out"], around);
  const saved = readFileSync(join(folder.path, "out/results.json"), "utf8");
  assert.ok(!saved.includes(SHOP_KEY) && !saved.includes(SHOP_PASSWORD));
  const { runs } = results.parse(JSON.parse(saved));
  const [run] = runs;
  assert.deepEqual([...shop.wrong], []);
  for (const { requests, checks } of runs) {
    assert.ok(requests.completed > 0);
    assert.deepEqual([requests.failed, checks.failed], [0, 0]);
  }
  return { shop, run, counts: Object.fromEntries(shop.counts), stderr };
}

Deno.test("the example of signed requests has every signature right", async () => {
  const { run } = await ran("signed.ts");
  assert.equal(Object.keys(run.status).join(), "201");
});

Deno.test("the example of a login renews its token under load", async () => {
  const { shop, run } = await ran("login.ts", { more: ["--set", "every=100ms"] });
  assert.ok(shop.logins >= 2, `${shop.logins}`);
  assert.equal(run.hooks?.refreshes?.failed, 0);
});

Deno.test("the example of a checkout pays what its items cost", async () => {
  const { run, counts } = await ran("checkout.ts");
  assert.deepEqual(run.steps?.map(({ name }) => name), ["products", "cart", "items", "pay"]);
  assert.ok(Object.keys(counts).some((route) => route.includes("payment")));
});

Deno.test("the example of an OpenAPI description sends each of its 60 operations as its schemas say", async () => {
  const { counts } = await ran("shop.yaml", { convert: ["shop.openapi.yaml", "--writes"] });
  const names = Object.keys(counts);
  assert.equal(names.length, 60, names.join());
});

Deno.test("the example of a Postman collection goes through its requests in their order", async () => {
  const { run } = await ran("visit.yaml", { convert: ["shop.postman.json"] });
  const names = run.steps?.map(({ name }) => name).filter((name) => !name.includes("redirected"));
  assert.deepEqual(names, ["List products", "Create", "Sign in", "Upload"]);
});

Deno.test("the example of a k6 script keeps its functions", async () => {
  const { run, shop } = await ran("buying.ts", { convert: ["buying.js"] });
  assert.ok(shop.logins >= 1);
  assert.equal(run.steps?.find(({ name }) => name === "order")?.requests.failed, 0);
});
