/**
 * The frameworks' own files: in the folders beside this file, or in the compiled program packed into one
 * file beside its main module, as `deno compile` would take each of them for a part of the program.
 */
import { createHash } from "node:crypto";
import { dirname, join } from "node:path";

/** Name of the file that holds all of them in the compiled program; `cli/compile.ts` puts it there. */
export const PACK = "frameworks.json";

/** Text of each file by its path in the framework's folder, in order of the paths. */
export type Sources = ReadonlyMap<string, string>;

/** What tools leave in a folder when they are used right there. */
const NO_SOURCES = new Set(["node_modules", ".venv", "build", "dist", "server"]);

export function readSources(folder: string): Sources {
  if (Deno.build.standalone) return new Map(Object.entries(readPack()[folder]));
  const files = [...filesUnder(join(import.meta.dirname ?? "", folder), "")];
  return new Map(files.sort(([a], [b]) => a < b ? -1 : 1));
}

/** Text of PACK. */
export function packSources(folders: readonly string[]): string {
  const packed = folders.map((folder) => [folder, Object.fromEntries(readSources(folder))]);
  return JSON.stringify(Object.fromEntries(packed));
}

function readPack(): Record<string, Record<string, string>> {
  return JSON.parse(Deno.readTextFileSync(new URL(`./${PACK}`, import.meta.url)));
}

function* filesUnder(root: string, path: string): Generator<[string, string]> {
  for (const { name, isDirectory } of Deno.readDirSync(join(root, path))) {
    if (NO_SOURCES.has(name)) continue;
    const inside = path === "" ? name : `${path}/${name}`;
    if (isDirectory) yield* filesUnder(root, inside);
    else yield [inside, Deno.readTextFileSync(join(root, inside))];
  }
}

/** Distinguishes these sources from others: 16 hexadecimal digits. */
export function digestOf(sources: Sources): string {
  const text = JSON.stringify([...sources]);
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}

export async function writeSources(sources: Sources, folder: string): Promise<void> {
  for (const [path, text] of sources) {
    await Deno.mkdir(dirname(join(folder, path)), { recursive: true });
    await Deno.writeTextFile(join(folder, path), text);
  }
}
