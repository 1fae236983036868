/**
 * `deno task compile [--target T]`: dist/plateau, one file that runs with nothing else installed.
 *
 * The program is bundled and the bundle compiled: compiled as it is, it would embed every file of every
 * package, 14 MB more, and take a third longer to start.
 *
 * Most of a start would be V8 reading source text. So each part of the bundle becomes a function of a script
 * with V8's code of it beside it. The program is compiled three times: as it is, to see which parts each
 * command runs; with one script for the parts that are run together, to leave V8's code of them; and with that
 * code. V8 checks the code by its own version, flags and the length of the text, and reads the text where it
 * does not fit; so does a program for another system, which cannot run here and has none.
 *
 * Every start reads all that is embedded, 1.3 ms each MB. So what no start needs is deflated.
 */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { TemporaryFolder } from "../base/system/temporary_folder.ts";
import { frameworkNames, installedRuntimeNames } from "../base/target/app_settings.ts";
import { installable, PACK, packSources } from "../targets/frameworks/install.ts";
import { KEEPER } from "./compiled/loader.ts";
import { bundledParts, deno, type Parts, ROOT } from "./compiled/parts.ts";
import {
  alone,
  byUsers,
  ENTRY_NAME,
  leaveCode,
  type Staged,
  writeStage,
} from "./compiled/stage.ts";

const OUTPUT = join(ROOT, "dist/plateau");

async function compile(parts: Parts, staged: Staged, output: string): Promise<void> {
  using stage = TemporaryFolder.make("compile");
  writeStage(parts, staged, stage.path);
  const folders = [...frameworkNames, ...installedRuntimeNames].map((name) =>
    installable(name).folder
  );
  stage.write(PACK, packSources(folders));
  await embed(stage.path, output);
}

async function embed(stage: string, output: string): Promise<void> {
  const inside = readdirSync(stage).filter((name) => name !== ENTRY_NAME && name !== "deno.json")
    .flatMap((name) => ["--include", join(stage, name)]);
  const options = ["--allow-all", "--no-check", "--config", join(stage, "deno.json")];
  const target = output === OUTPUT ? Deno.args : [];
  await deno(
    "compile",
    ...options,
    ...inside,
    "--output",
    output,
    ...target,
    join(stage, ENTRY_NAME),
  );
}

const parts = await bundledParts();
if (Deno.args.includes("--target")) await compile(parts, { scripts: alone(parts) }, OUTPUT);
else {
  using code = TemporaryFolder.make("code");
  const program = join(code.path, "plateau");
  await compile(parts, { scripts: alone(parts), keeper: KEEPER }, program);
  await leaveCode([program], code.path);
  const scripts = byUsers(parts, code.path);
  await compile(parts, { scripts, keeper: KEEPER }, program);
  await leaveCode([program], code.path);
  await compile(parts, { scripts, codeFolder: code.path }, OUTPUT);
}
