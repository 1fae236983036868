/**
 * The project's files and the imports between them. Paths are relative to the root, with `/`.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const ROOT = join(import.meta.dirname ?? "", "../..");
const NOT_OURS = new Set([".git", "node_modules", "results", "dist"]);

/** One import: `from` is a file, `to` a file or a package as deno.json pins it (`npm:zod@4.6.7`). */
export interface Edge {
  readonly from: string;
  readonly to: string;
  /** Whether `from` can't run before `to` is loaded. */
  readonly isAtOnce: boolean;
}

export function listFiles(folder = ""): string[] {
  const entries = readdirSync(join(ROOT, folder), { withFileTypes: true });
  return entries.filter(({ name }) => !NOT_OURS.has(name)).flatMap((entry) => {
    const path = folder ? `${folder}/${entry.name}` : entry.name;
    return entry.isDirectory() ? listFiles(path) : [path];
  }).sort();
}

export function readText(file: string): string {
  return readFileSync(join(ROOT, file), "utf8");
}

/** Every import, type imports and dynamic ones too, that `deno info` finds in `files`. */
export async function readImports(files: readonly string[]): Promise<Edge[]> {
  const everything = await Deno.makeTempFile({ suffix: ".ts" });
  const lines = files.map((file) => `import "${pathToFileURL(join(ROOT, file))}";`);
  await Deno.writeTextFile(everything, lines.join("\n"));
  try {
    return (await readModules(everything)).flatMap(toEdges);
  } finally {
    await Deno.remove(everything);
  }
}

interface Resolved {
  readonly specifier: string;
}

interface Module {
  readonly specifier: string;
  readonly dependencies?: readonly {
    readonly code?: Resolved;
    readonly type?: Resolved;
    readonly isDynamic?: boolean;
  }[];
}

async function readModules(entry: string): Promise<Module[]> {
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json", "--config", join(ROOT, "deno.json"), entry],
  }).output();
  const { modules } = JSON.parse(new TextDecoder().decode(stdout)) as { modules: Module[] };
  return modules.filter(({ specifier }) => specifier !== pathToFileURL(entry).href);
}

function toEdges({ specifier, dependencies = [] }: Module): Edge[] {
  return dependencies.flatMap(({ code, type, isDynamic = false }) => {
    const target = code ?? type;
    if (target === undefined) return [];
    const isAtOnce = code !== undefined && !isDynamic;
    return [{ from: toPath(specifier), to: toPath(target.specifier), isAtOnce }];
  });
}

function toPath(specifier: string): string {
  if (!specifier.startsWith("file:")) return specifier.replace("npm:/", "npm:");
  return relative(ROOT, fileURLToPath(specifier)).replaceAll("\\", "/");
}
