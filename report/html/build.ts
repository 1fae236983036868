/**
 * `deno task build`: bundles the page's client into `client.js`, which is committed, so that nothing
 * needs building to run. Its first line holds a digest of its sources; a test compares it.
 */
import { createHash } from "node:crypto";
import { readdir, readFile, writeFile } from "node:fs/promises";

const CLIENT = new URL("client/", import.meta.url);
const BUNDLE = new URL("client.js", import.meta.url);
/** Sources beside the client's folder that end in the bundle. */
const SHARED = ["../../charts.ts", "../../spread.ts", "../../units.ts"];

/** The first line of a bundle made of the sources as they are. */
export async function sourceLine(): Promise<string> {
  const names = (await readdir(CLIENT)).filter((name) => name.endsWith(".ts")).sort();
  const digest = createHash("sha256");
  for (const name of [...names, ...SHARED]) digest.update(await readFile(new URL(name, CLIENT)));
  digest.update(await chartVersion());
  return `/* Bundled by deno task build from sources with SHA-256 ${digest.digest("hex")} */`;
}

async function chartVersion(): Promise<string> {
  const config = JSON.parse(await readFile(new URL("../../deno.json", import.meta.url), "utf8"));
  return config.imports["chart.js"];
}

async function bundle(): Promise<string> {
  const entry = new URL("main.ts", CLIENT).pathname;
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["bundle", "--quiet", "--platform", "browser", "--minify", entry],
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout);
}

if (import.meta.main) {
  // A text that ended its script element would break the page that holds it.
  const code = (await bundle()).replaceAll("</script", "<\\/script");
  await writeFile(BUNDLE, `${await sourceLine()}\n${code}`);
}
