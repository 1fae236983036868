/**
 * The program as `deno task compile` makes it, in a folder in place of one file: with V8's code of it beside it, it
 * starts in half of the CPU time of its sources. It lies in dist/, by what is in it, for the next run of the tests.
 */
import config from "../deno.json" with { type: "json" };
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { KEEPER, loaderOf } from "../cli/compiled/loader.ts";
import { bundledParts, type Parts, ROOT } from "../cli/compiled/parts.ts";
import { alone, ENTRY_NAME, leaveCode, leaveUnrunCode, writeStage } from "../cli/compiled/stage.ts";
import { frameworks } from "../targets/frameworks/registry.ts";

const DIST = join(ROOT, "dist");
const PREFIX = "tests-";
const MAIN = "main.ts";

/** As far below main.ts as the sources that look for it, and beside the frameworks. */
const PARTS = "parts/of";

/** Makes it where it is not there yet. @returns Full path of its main module. */
export async function bundledProgram(): Promise<string> {
  const parts = await bundledParts();
  const folder = join(DIST, PREFIX + digestOf(parts));
  if (existsSync(folder)) Deno.utimeSync(folder, new Date(), new Date());
  else await make(parts, folder);
  removeOld();
  return join(folder, MAIN);
}

async function make(parts: Parts, folder: string): Promise<void> {
  mkdirSync(DIST, { recursive: true });
  const made = await Deno.makeTempDir({ dir: DIST, prefix: PREFIX });
  const codeFolder = await Deno.makeTempDir({ prefix: "plateau-code-" });
  try {
    const [main, stage] = [join(made, MAIN), join(made, PARTS)];
    mkdirSync(stage, { recursive: true });
    Deno.chmodSync(made, 0o755); // some tests start it as another user
    writeFileSync(main, `import "./${PARTS}/${ENTRY_NAME}";\n`);
    writeFileSync(join(made, "deno.json"), JSON.stringify({ unstable: config.unstable }));
    for (const name of new Set(Object.values(frameworks).map(({ folder }) => folder))) {
      symlinkSync(join(ROOT, "targets/frameworks", name), join(stage, name));
    }
    const scripts = alone(parts);
    writeStage(parts, { scripts, keeper: KEEPER }, stage);
    const command = [Deno.execPath(), "run", "--allow-all", main] as const;
    await leaveUnrunCode(command, codeFolder); // tests start every command, most users few
    await leaveCode(command, codeFolder);
    writeStage(parts, { scripts, codeFolder }, stage);
    Deno.renameSync(made, folder);
  } finally {
    await Deno.remove(codeFolder, { recursive: true });
    if (existsSync(made)) await Deno.remove(made, { recursive: true });
  }
}

function digestOf(parts: Parts): string {
  const sorted = [...parts].sort(([a], [b]) => a < b ? -1 : 1);
  const text = JSON.stringify([Deno.version, loaderOf([]), sorted]);
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}

const OLD_MS = 86_400_000;

/** Of other sources, unless another run of the tests may use it. */
function removeOld(): void {
  for (const name of readdirSync(DIST).filter((name) => name.startsWith(PREFIX))) {
    const folder = join(DIST, name);
    if (Date.now() - statSync(folder).mtimeMs > OLD_MS) {
      Deno.removeSync(folder, { recursive: true });
    }
  }
}
