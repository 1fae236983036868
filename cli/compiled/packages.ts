/** The npm packages in the bundle and their licences, read from Deno's package cache. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { CLIENTS } from "../../report/client/build.ts";
import type { Part } from "../build/build.ts";
import { PACKAGE_PATH, type Parts, ROOT } from "./parts.ts";

export interface BundledPackage extends Part {
  /** Digest of the package's archive, as in deno.lock: `sha512-…`. */
  readonly integrity: string;
  /** The full text of the package's licences. */
  readonly text: string;
}

/**
 * The packages that are part of the bundle, or of the report page's scripts, sorted by name.
 * @param cache Deno's folder of packages.
 */
export function packagesOf(parts: Parts, cache: string): BundledPackage[] {
  const ids = new Set(
    Object.values(CLIENTS).flatMap(({ packages }) => packages.flatMap(withNeeds)),
  );
  for (const text of parts.values()) {
    for (const [, name, version] of text.matchAll(PACKAGE_PATH)) ids.add(`${name}@${version}`);
  }
  return [...ids].sort().map((id) => packageOf(id, cache));
}

/**
 * The packages in deno.lock, by `name@version`. The file's own keys may also have peer dependencies appended, which are
 * removed here.
 */
const LOCKED: Readonly<Record<string, LockedPackage>> = Object.fromEntries(
  Object.entries<LockedPackage>(JSON.parse(readFileSync(join(ROOT, "deno.lock"), "utf8")).npm)
    .map(([key, entry]) => [key.replace(/_.*$/, ""), entry]),
);

interface LockedPackage {
  readonly integrity: string;
  readonly dependencies?: readonly string[];
}

function withNeeds(name: string): string[] {
  const id = Object.keys(LOCKED).find((one) => nameOf(one) === name);
  if (id === undefined) throw new Error(`Cannot find ${name} in deno.lock`);
  return [id, ...(LOCKED[id].dependencies ?? []).flatMap((need) => withNeeds(need))];
}

function nameOf(id: string): string {
  return id.slice(0, id.lastIndexOf("@"));
}

interface PackageJson {
  readonly license?: string;
  readonly author?: string | { readonly name?: string };
}

const LICENSE_FILE = /^(?:licen[cs]e|copying|notice|copyrightnotice)/i;

function packageOf(id: string, cache: string): BundledPackage {
  const [name, version] = [nameOf(id), id.slice(id.lastIndexOf("@") + 1)];
  const host = readdirSync(cache).find((one) => existsSync(join(cache, one, name, version)));
  if (host === undefined) throw new Error(`Cannot find ${id} in ${cache}`);
  const folder = join(cache, host, name, version);
  const read = (file: string): string => readFileSync(join(folder, file), "utf8").trim();
  const { license, author }: PackageJson = JSON.parse(read("package.json"));
  if (license === undefined) throw new Error(`Cannot find out the licence of ${id}`);
  const files = readdirSync(folder).filter((file) => LICENSE_FILE.test(file)).sort();
  const text = files.length > 0 ? files.map(read).join("\n\n") : standardText(license, author);
  return { name, version, license, integrity: LOCKED[id].integrity, text };
}

/** The full text of a licence, for a package that only names its licence. */
function standardText(license: string, author: PackageJson["author"]): string {
  const holder = (typeof author === "string" ? author : author?.name) ?? "its authors";
  const text = readFileSync(join(ROOT, "cli/compiled/licenses", `${license}.txt`), "utf8");
  return `Copyright (c) ${holder}\n\n${text.trim()}`;
}

/** The text of the licences file: the licences of Plateau, of the runtime and of each package. */
export function licenseNotices(packages: readonly BundledPackage[]): string {
  const own = readFileSync(join(ROOT, "LICENSE"), "utf8").trim();
  const [deno, v8] = ["deno", "v8"].map((name) =>
    readFileSync(join(ROOT, "cli/compiled/licenses", `${name}.txt`), "utf8").trim()
  );
  const sections: [title: string, text: string][] = [
    ["Plateau", own],
    ["Deno, the runtime in the program", deno],
    ["V8, in Deno", v8],
    ...packages.map(({ name, version, license, text }): [string, string] => [
      `${name} ${version} (${license})`,
      text,
    ]),
  ];
  const texts = sections.map(([title, text]) =>
    `${title}\n${"=".repeat(title.length)}\n\n${text}\n`
  );
  return texts.join("\n\n").replaceAll("\r", "");
}
