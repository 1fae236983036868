/**
 * Compiles the program into one file that runs with nothing else installed.
 *
 * The program is bundled first. Without a bundle, it would embed every file of every package, which is 14 MB more, and
 * would take a third longer to start.
 *
 * V8 would spend most of the start on parsing source text. So each part of the bundle becomes a function in a script,
 * and V8's compiled code of that script is stored beside it. The program is compiled three times: first with one script
 * for each part, to see which parts each command runs; then with one script for each group of parts that run together,
 * to obtain V8's code of these scripts; and last with that code. V8 falls back to parsing the text if the code does not
 * fit its version, its flags or the length of the text, or if there is no code, as in a program for another system,
 * which can't run here.
 *
 * Every start reads everything that is embedded, at 1.3 ms per MB. So parts that a usual start doesn't need are
 * compressed.
 */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { TemporaryFolder } from "../../base/system/temporary_folder.ts";
import { frameworkNames, installedRuntimeNames } from "../../base/target/app_settings.ts";
import { installable, PACK, packSources } from "../../targets/frameworks/install.ts";
import { BUILD, LICENSES } from "../build/build.ts";
import { KEEPER, type PartsScript } from "./loader.ts";
import { machOProblems } from "./mach_o.ts";
import { type BundledPackage, licenseNotices, packagesOf } from "./packages.ts";
import { bundledParts, deno, packageCache, type Parts, ROOT } from "./parts.ts";
import {
  alone,
  byUsers,
  ENTRY_NAME,
  leaveCode,
  leaveLists,
  leaveUnrunCode,
  type Staged,
  writeStage,
} from "./stage.ts";

/** What a program is made from. It is the same for every system. */
export interface Ingredients {
  readonly parts: Parts;
  readonly packages: readonly BundledPackage[];
  /** Text files that are put beside the main module: their content by name. */
  readonly texts: Readonly<Record<string, string>>;
}

export async function gatherIngredients(): Promise<Ingredients> {
  const parts = await bundledParts();
  const packages = packagesOf(parts, await packageCache());
  const listed = packages.map(({ name, version, license }) => ({ name, version, license }));
  const folders = [...frameworkNames, ...installedRuntimeNames].map((name) =>
    installable(name).folder
  );
  const texts = {
    [PACK]: packSources(folders),
    [BUILD]: JSON.stringify({ commit: await commit(), parts: listed }),
    [LICENSES]: licenseNotices(packages),
  };
  return { parts, packages, texts };
}

/** The commit of the sources, followed by `-dirty` if files differ from it; null if there is no repository. */
async function commit(): Promise<string | null> {
  const head = await git("rev-parse", "HEAD");
  if (head === null) return null;
  return await git("status", "--porcelain") === "" ? head : `${head}-dirty`;
}

/** The output of a git command, run in the folder of the sources; null if the command fails. */
export async function git(...args: string[]): Promise<string | null> {
  try {
    const { success, stdout } = await new Deno.Command("git", { args, cwd: ROOT, stderr: "null" })
      .output();
    return success ? new TextDecoder().decode(stdout).trim() : null;
  } catch {
    return null;
  }
}

/** A system to compile for. */
export interface System {
  /** The platform's name, as `deno compile --target` takes it. */
  readonly target: string;
  /** Path of the runtime file (denort) for that system, in case Deno can't download it. */
  readonly base?: string;
}

/**
 * Compiles the program.
 * @param system The system to compile for; default: this one.
 */
export async function compileProgram(
  ingredients: Ingredients,
  output: string,
  system?: System,
): Promise<void> {
  const { parts } = ingredients;
  if (system !== undefined && system.target !== Deno.build.target) {
    return await compileOnce(ingredients, { scripts: alone(parts) }, output, system);
  }
  using code = TemporaryFolder.make("code");
  const program = join(code.path, "plateau");
  await compileOnce(ingredients, { scripts: alone(parts), keeper: KEEPER }, program, system);
  await leaveCode([program], code.path);
  const scripts = byUsers(parts, code.path);
  await compileOnce(ingredients, { scripts, keeper: KEEPER }, program, system);
  await leaveCode([program], code.path);
  await compileOnce(ingredients, { scripts, codeFolder: code.path }, output, system);
}

/**
 * Returns the scripts for `compileSame`. To group the parts, compiles the program for this system, starts it in several
 * ways, and sees which parts each start uses.
 */
export async function scriptsOf(ingredients: Ingredients): Promise<PartsScript[]> {
  const { parts } = ingredients;
  using code = TemporaryFolder.make("code");
  const program = join(code.path, "plateau");
  await compileOnce(ingredients, { scripts: alone(parts), keeper: KEEPER }, program);
  await leaveLists([program], code.path);
  return byUsers(parts, code.path);
}

/**
 * Compiles a release, with the same bytes every time. The program starts a little more slowly than the one that
 * `compileProgram` makes.
 */
export async function compileSame(
  ingredients: Ingredients,
  scripts: readonly PartsScript[],
  output: string,
  system: System,
): Promise<void> {
  if (system.target !== Deno.build.target) {
    return await compileOnce(ingredients, { scripts }, output, system);
  }
  using code = TemporaryFolder.make("code");
  const program = join(code.path, "plateau");
  await compileOnce(ingredients, { scripts, keeper: KEEPER }, program, system);
  await leaveUnrunCode([program], code.path);
  await compileOnce(ingredients, { scripts, codeFolder: code.path }, output, system);
}

async function compileOnce(
  { parts, texts }: Ingredients,
  staged: Staged,
  output: string,
  system?: System,
): Promise<void> {
  using folder = TemporaryFolder.make("compile");
  const stage = join(folder.path, "plateau");
  Deno.mkdirSync(stage);
  writeStage(parts, staged, stage);
  for (const [name, text] of Object.entries(texts)) Deno.writeTextFileSync(join(stage, name), text);
  // The compiled program includes the modification times of its files, so they are set to a
  // constant.
  for (const name of readdirSync(stage)) Deno.utimeSync(join(stage, name), 0, 0);
  const inside = readdirSync(stage).filter((name) => name !== ENTRY_NAME && name !== "deno.json")
    .sort().flatMap((name) => ["--include", join(stage, name)]);
  const target = system === undefined ? [] : ["--target", system.target];
  const config = ["--config", join(stage, "deno.json")];
  await deno(
    [
      ...["compile", "--quiet", "--allow-all", "--no-check", ...config, ...inside],
      ...["--output", output, ...target, join(stage, ENTRY_NAME)],
    ],
    system?.base === undefined ? {} : { DENORT_BIN: system.base },
  );
  if (system !== undefined) assertRuns(output, system.target);
}

/** Throws if macOS would refuse to start the program. Starting it to find out is impossible on other systems. */
export function assertRuns(program: string, target: string): void {
  if (!target.endsWith("-apple-darwin")) return;
  const problems = machOProblems(Deno.readFileSync(program));
  if (problems.length > 0) {
    throw new Error(
      `Cannot compile for ${target}, because macOS would kill it: ${problems.join("; ")}`,
    );
  }
}
