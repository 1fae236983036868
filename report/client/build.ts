/**
 * `deno task build`: bundles the clients of the page, and of the page of a running experiment, into files
 * which are committed, so that nothing needs building to run. Their first lines hold a digest of their
 * sources; a test compares them.
 */
import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";

interface ClientBundle {
  /** Path of its entry module, relative to this file. */
  readonly entry: string;
  /** Packages that are also included in the bundle. */
  readonly packages: readonly string[];
}

/** Clients by the names of their bundles. */
export const CLIENTS: Readonly<Record<string, ClientBundle>> = {
  "client.js": { entry: "main.ts", packages: ["chart.js"] },
  "live_client.js": { entry: "live/main.ts", packages: [] },
};

/** The first line of a bundle built from the current sources. */
export async function sourceLine({ entry, packages }: ClientBundle): Promise<string> {
  const digest = createHash("sha256");
  for (const source of await sourcesOf(new URL(entry, import.meta.url))) digest.update(source);
  const config = JSON.parse(await readFile(new URL("../../deno.json", import.meta.url), "utf8"));
  for (const name of packages) digest.update(config.imports[name]);
  return `/* Bundled by deno task build from sources with SHA-256 ${digest.digest("hex")} */`;
}

/** An import of a file that is included in the bundle, so not a mere import of types. */
const IMPORT = /^import (?!type )[^"]*"(\.[^"]+)";$/gm;

/** The texts of a file and of all files that it imports, each once, in the order in which they are first imported. */
async function sourcesOf(file: URL, seen = new Set<string>()): Promise<string[]> {
  if (seen.has(file.href)) return [];
  seen.add(file.href);
  const text = await readFile(file, "utf8");
  const imported: string[] = [];
  for (const [, path] of text.matchAll(IMPORT)) {
    imported.push(...await sourcesOf(new URL(path, file), seen));
  }
  return [text, ...imported];
}

/** Each bundle is a function, because the scripts of a page share one scope. */
async function bundle({ entry }: ClientBundle): Promise<string> {
  const path = new URL(entry, import.meta.url).pathname;
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["bundle", "--quiet", "--platform", "browser", "--format", "iife", "--minify", path],
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout);
}

if (import.meta.main) {
  for (const [name, client] of Object.entries(CLIENTS)) {
    // A text that ended its script element would break the page.
    const code = (await bundle(client)).replaceAll("</script", "<\\/script");
    await writeFile(new URL(name, import.meta.url), `${await sourceLine(client)}\n${code}`);
  }
}
