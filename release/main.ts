// deno-lint-ignore-file no-console -- printing what was made is this program's output
/**
 * `deno task release [PLATFORM…] [--base PLATFORM=FILE]… [--address URL] [--root PLATFORM=FOLDER]…`: fills dist/ with
 * everything that is published for a version. The same sources make the same bytes; for this, every time stamp in an
 * archive is the commit's.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { TemporaryFolder } from "../base/system/temporary_folder.ts";
import { completionScript } from "../cli/commands/completions.ts";
import { ROOT } from "../cli/compiled/parts.ts";
import {
  compileSame,
  gatherIngredients,
  git,
  type Ingredients,
  scriptsOf,
} from "../cli/compiled/program.ts";
import { declaredCommands } from "../cli/registry.ts";
import { type ArchiveFile, PROGRAM_MODE, textFile } from "./archives/entry.ts";
import { gzip } from "./archives/gzip.ts";
import { tar } from "./archives/tar.ts";
import { zip } from "./archives/zip.ts";
import { ReleaseFolder } from "./folder.ts";
import { librariesOf } from "./libraries.ts";
import { manualPages } from "./manual.ts";
import { deb, debName } from "./packages/deb.ts";
import { type FetchedArchive, formula } from "./packages/homebrew.ts";
import { image, imageName } from "./packages/image.ts";
import { NPM_NAME, npmPackage, platformPackage, platformPackageName } from "./packages/npm.ts";
import { rpm, rpmName } from "./packages/rpm.ts";
import { type Companions, portableFiles } from "./packages/system.ts";
import { wingetManifests } from "./packages/winget.ts";
import { fileNameOf, type Platform, platformNamed, PLATFORMS } from "./platforms.ts";
import { VERSION } from "./product.ts";
import { sbom } from "./sbom.ts";

/** An address from which nothing can be fetched (RFC 2606). */
const NO_ADDRESS = "https://plateau.invalid/releases";

interface Options {
  readonly platforms: readonly Platform[];
  /** Files of Deno's runtime, by platform. */
  readonly bases: ReadonlyMap<string, string>;
  /** Root folder of a system for each platform, from which an image takes the C library. */
  readonly roots: ReadonlyMap<string, string>;
  /** Address from which the files will be fetched. */
  readonly address: string;
}

function readOptions(args: readonly string[]): Options {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      base: { type: "string", multiple: true, default: [] },
      root: { type: "string", multiple: true, default: [] },
      address: { type: "string", default: `${NO_ADDRESS}/v${VERSION}` },
    },
  });
  const named = positionals.map(platformNamed);
  return {
    platforms: named.length > 0 ? PLATFORMS.filter((one) => named.includes(one)) : PLATFORMS,
    bases: byPlatform(values.base),
    roots: byPlatform(values.root),
    address: values.address.replace(/\/$/, ""),
  };
}

function byPlatform(texts: readonly string[]): Map<string, string> {
  return new Map(texts.map((text) => {
    const at = text.indexOf("=");
    return [platformNamed(text.slice(0, at)).name, text.slice(at + 1)];
  }));
}

/**
 * The commit's time in seconds since 1970, or SOURCE_DATE_EPOCH; without a repository, the earliest that a zip can
 * express.
 */
async function releaseTimeS(): Promise<number> {
  const given = Deno.env.get("SOURCE_DATE_EPOCH") ?? await git("log", "-1", "--format=%ct");
  return Number(given ?? Date.UTC(1980, 0, 1) / 1000);
}

const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");

/** The rows of the table of exit codes in docs/command-line.md. */
function exitCodes(): [string, string][] {
  const [, section] = read("docs/command-line.md").split("\n## Exit codes\n");
  const [table] = section.split("\n## ");
  return [...table.matchAll(/^\| (\d+) +\| (.+?) +\|$/gm)]
    .map(([, code, meaning]) => [code, meaning.replaceAll("`", "")]);
}

async function companionsOf({ texts }: Ingredients, timeS: number): Promise<Companions> {
  const commands = await declaredCommands();
  const date = new Date(timeS * 1000).toISOString().slice(0, 10);
  return {
    license: read("LICENSE"),
    notices: texts["licenses.txt"],
    completions: {
      bash: completionScript("bash", commands),
      zsh: completionScript("zsh", commands),
      fish: completionScript("fish", commands),
    },
    manual: manualPages({ commands, exitCodes: exitCodes(), date }),
  };
}

const options = readOptions(Deno.args);
const timeS = await releaseTimeS();
const ingredients = await gatherIngredients();
const partsScripts = await scriptsOf(ingredients);
const companions = await companionsOf(ingredients, timeS);
const release = new ReleaseFolder(join(ROOT, "dist"));
const archives: FetchedArchive[] = [];

for (const platform of options.platforms) await addPlatform(platform);
const scripts = {
  launch: read("release/npm/launch.cjs"),
  install: read("release/npm/install.cjs"),
  program: read("release/npm/program.cjs"),
};
const readme = read("release/npm/README.md");
add(`npm/${NPM_NAME}`, npmPackage(options.platforms, scripts, readme, companions, timeS));
for (const [name, text] of companions.manual) add(`man/${name}`, text);
const brewed = formula(archives);
if (brewed !== null) add("homebrew/plateau.rb", brewed);
const windows = archives.find(({ platform }) => platform === "windows-x64");
if (windows !== undefined) {
  for (const [name, text] of wingetManifests(windows)) add(`winget/${name}`, text);
}
const { commit } = JSON.parse(ingredients.texts["build.json"]) as { commit: string | null };
const contents = { packages: ingredients.packages, commit, runtime: Deno.version, timeS };
add("sbom.spdx.json", `${JSON.stringify(sbom(contents), null, 2)}\n`);
release.end();
if (options.address.startsWith(NO_ADDRESS)) {
  console.log(
    `The formula and the manifests name ${NO_ADDRESS}: set the real address with --address.`,
  );
}
Deno.exit(0); // loading the commands has started a worker

function add(path: string, content: Uint8Array | string): void {
  release.add(path, content);
  console.log(`${path} ${(content.length / 1e6).toFixed(1)} MB`);
}

async function addPlatform(platform: Platform): Promise<void> {
  using folder = TemporaryFolder.make("release");
  const output = join(folder.path, fileNameOf(platform));
  const base = options.bases.get(platform.name);
  const system = { target: platform.target, base };
  await compileSame(ingredients, partsScripts, output, system);
  const program = Deno.readFileSync(output);
  const name = `plateau-${VERSION}-${platform.name}`;
  const files = portableFiles(fileNameOf(platform), program, companions);
  const isWindows = platform.os === "win32";
  const path = `${name}.${isWindows ? "zip" : "tar.gz"}`;
  add(
    path,
    isWindows ? zip(files, timeS) : gzip(tar(files, { timeS, prefix: `${name}/` })),
  );
  const sha256 = release.sumOf(path);
  archives.push({ platform: platform.name, address: `${options.address}/${path}`, sha256 });
  add(
    `npm/${platformPackageName(platform)}`,
    platformPackage(platform, program, companions, timeS),
  );
  if (platform.os !== "linux") return;
  add(debName(platform), deb(platform, program, companions, timeS));
  add(rpmName(platform), rpm(platform, program, companions, timeS));
  addImage(platform, program);
}

function addImage(platform: Platform, program: Uint8Array): void {
  const libraries = librariesOf(platform, options.roots.get(platform.name) ?? "/");
  if (libraries === null) {
    console.log(`${imageName(platform)} left out: no C library of ${platform.name} here (--root)`);
    return;
  }
  const files: ArchiveFile[] = [
    ...libraries,
    { path: "usr/bin/plateau", content: program, mode: PROGRAM_MODE },
    textFile("usr/share/doc/plateau/copyright", companions.license),
    textFile("usr/share/doc/plateau/THIRD-PARTY-LICENSES", companions.notices),
  ];
  add(imageName(platform), image(platform, files, timeS));
}
