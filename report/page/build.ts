/**
 * `deno task build`: bundles the clients of the page, and of the page of a running experiment, into files
 * which are committed, so that nothing needs building to run. Their first lines hold a digest of their
 * sources; a test compares them.
 */
import { createHash } from "node:crypto";
import { readdir, readFile, writeFile } from "node:fs/promises";

export interface Client {
  /** Its folder, beside this file. */
  readonly folder: string;
  /** Sources elsewhere that end in the bundle, relative to this file. */
  readonly shared: readonly string[];
  /** Packages that do. */
  readonly packages: readonly string[];
}

const SHARED = [
  "../model/charts/charts.ts",
  "../model/charts/packing.ts",
  "../model/numbers/spread.ts",
  "../model/charts/time_range.ts",
  "../model/numbers/units.ts",
  "../writing/control.ts",
  "../writing/csv.ts",
  "../writing/markdown.ts",
  "../writing/template.ts",
  "../../runner/stats/histogram/histogram.ts",
];

/** By the names of their bundles. */
export const CLIENTS: Readonly<Record<string, Client>> = {
  "client.js": { folder: "client/", shared: SHARED, packages: ["chart.js"] },
  "live_client.js": {
    folder: "live_client/",
    shared: ["./live_status.ts", "../model/numbers/spread.ts", "../model/numbers/units.ts"],
    packages: [],
  },
};

/** The first line of a bundle made of the sources as they are. */
export async function sourceLine({ folder, shared, packages }: Client): Promise<string> {
  const names = (await readdir(new URL(folder, import.meta.url), { recursive: true }))
    .filter((name) => name.endsWith(".ts")).sort().map((name) => folder + name);
  const digest = createHash("sha256");
  for (const name of [...names, ...shared]) {
    digest.update(await readFile(new URL(name, import.meta.url)));
  }
  for (const name of packages) digest.update(await versionOf(name));
  return `/* Bundled by deno task build from sources with SHA-256 ${digest.digest("hex")} */`;
}

async function versionOf(name: string): Promise<string> {
  const config = JSON.parse(await readFile(new URL("../../deno.json", import.meta.url), "utf8"));
  return config.imports[name];
}

/** In a function each, as two scripts of a page share their names. */
async function bundle({ folder }: Client): Promise<string> {
  const entry = new URL(`${folder}main.ts`, import.meta.url).pathname;
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["bundle", "--quiet", "--platform", "browser", "--format", "iife", "--minify", entry],
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout);
}

if (import.meta.main) {
  for (const [name, client] of Object.entries(CLIENTS)) {
    // A text that ended its script element would break the page that holds it.
    const code = (await bundle(client)).replaceAll("</script", "<\\/script");
    await writeFile(new URL(name, import.meta.url), `${await sourceLine(client)}\n${code}`);
  }
}
