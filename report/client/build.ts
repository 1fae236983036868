/**
 * `deno task build`: bundles the clients of two pages, the report and the page of a running experiment. The bundles are
 * committed, so that nothing needs to be built before Plateau is run. The first line of each holds a digest of its
 * sources, which a test compares with the current sources.
 */
import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";

interface ClientBundle {
  /** Path of the entry module, relative to this file. */
  readonly entry: string;
  /** npm packages that are included in the bundle. */
  readonly packages: readonly string[];
}

/** The clients, by the file names of their bundles. */
export const CLIENTS: Readonly<Record<string, ClientBundle>> = {
  "client.js": { entry: "main.ts", packages: ["chart.js"] },
  "live_client.js": { entry: "live/main.ts", packages: [] },
};

/** The first line that a bundle of the current sources has. */
export async function sourceLine({ entry, packages }: ClientBundle): Promise<string> {
  const digest = createHash("sha256");
  for (const source of await sourcesOf(new URL(entry, import.meta.url))) digest.update(source);
  const config = JSON.parse(await readFile(new URL("../../deno.json", import.meta.url), "utf8"));
  for (const name of packages) digest.update(config.imports[name]);
  return `/* Bundled by deno task build from sources with SHA-256 ${digest.digest("hex")} */`;
}

/**
 * An import of a file, which becomes part of the bundle. Imports of only types do not match, because they disappear
 * from it.
 */
const IMPORT = /^import (?!type )[^"]*"(\.[^"]+)";$/gm;

/**
 * The text of a file and of all files that it imports, directly or indirectly, each once and in the order of first
 * import.
 */
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

/** Bundles a client as an immediately invoked function, because all scripts of a page share one scope. */
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
    // A closing tag in the code would end the page's script element early.
    const code = (await bundle(client)).replaceAll("</script", "<\\/script");
    await writeFile(new URL(name, import.meta.url), `${await sourceLine(client)}\n${code}`);
  }
}
