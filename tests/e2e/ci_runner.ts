/** A machine that runs jobs: a shallow clone of a merge, and the programs that such a machine has. */
import { createHash } from "node:crypto";
import { join, resolve } from "node:path";
import { COMMAND } from "./plateau.ts";
import { runGit, scratchRepository } from "./scratch_repository.ts";

/** One call of gh or curl. */
interface Call {
  readonly words: readonly string[];
  /** Text of the file that it sends; "" for none. */
  readonly body: string;
}

export interface Runner extends Disposable {
  /** The clone: its HEAD is the merge. */
  readonly path: string;
  readonly env: Record<string, string>;
  /** What the merge is merged into. */
  readonly base: string;
  /** Of the program that curl brings. */
  readonly sha256: string;
  readonly read: (name: string) => string;
  /** Outputs of the steps. */
  readonly outputs: () => string;
  /** Folders that steps have put on the path of later ones. */
  readonly paths: () => readonly string[];
  /** How often the runtime was installed. */
  readonly installs: () => number;
  readonly summary: () => string;
  readonly state: () => unknown;
  /** What gh prints from now on, when it is asked for something. */
  readonly comments: (ids: string) => void;
  readonly calls: () => readonly Call[];
}

const quotedCommand = COMMAND.map((word) => `'${word}'`).join(" ");

/** Keeps its words and the file that it sends, one JSON text a line. */
const RECORDER = `
const { appendFileSync, existsSync, readFileSync } = require("fs");
const [log, ...words] = process.argv.slice(2);
const sent = words.map((word) => word.replace(/^body=?@/, "")).find((path, i) => path !== words[i]);
appendFileSync(log, JSON.stringify({ words, body: sent ? readFileSync(sent, "utf8") : "" }) + "\\n");
`;

/** A repository whose merge takes so long for a request; \`build\` is what its build does besides. */
export function startRunner(
  { burnUs, build = "" }: { readonly burnUs: number; readonly build?: string },
): Runner {
  const origin = scratchRepository();
  origin.git("switch", "--quiet", "--create", "feature");
  origin.write("burn.txt", `${burnUs}`);
  origin.write("changed.txt", "so that there is something to commit");
  origin.write("build.js", `${Deno.readTextFileSync(join(origin.path, "build.js"))}\n${build}`);
  origin.git("add", "--all");
  origin.git("commit", "--quiet", "--message", "feature");
  origin.git("switch", "--quiet", "--detach", "main");
  origin.git("merge", "--quiet", "--no-ff", "--message", "merge", "feature");
  const folder = resolve(origin.path, "..");
  const path = join(folder, "clone");
  const checkout = ["clone", "--quiet", "--depth", "2", "--no-single-branch"];
  origin.git("branch", "merge");
  runGit(folder, [...checkout, "--branch", "merge", `file://${origin.path}`, path]);
  Deno.mkdirSync(join(path, ".plateau-action"));
  Deno.writeTextFileSync(join(path, ".plateau-action/main.ts"), ""); // in the place of the submodule
  Deno.writeTextFileSync(join(path, ".git/info/exclude"), ".plateau-action\nplateau-results\n");
  const bin = join(folder, "bin");
  const log = join(folder, "calls");
  writePrograms(bin, { folder, log });
  const at = (name: string): string => join(folder, name);
  const read = (file: string): string => {
    try {
      return Deno.readTextFileSync(file);
    } catch {
      return "";
    }
  };
  return {
    path,
    base: origin.git("rev-parse", "main").trim(),
    sha256: createHash("sha256").update(Deno.readFileSync(at("program"))).digest("hex"),
    env: {
      ...origin.env,
      PATH: `${bin}:${Deno.env.get("PATH") ?? ""}`,
      RUNNER_TEMP: folder,
      RUNNER_OS: "Linux",
      RUNNER_ARCH: "X64",
      HOME: folder,
      GITHUB_ACTIONS: "true",
      GITHUB_OUTPUT: at("outputs"),
      GITHUB_PATH: at("path"),
      GITHUB_STEP_SUMMARY: at("summary"),
      GITHUB_REPOSITORY: "me/mine",
    },
    read: (name) => Deno.readTextFileSync(join(path, name)),
    outputs: () => read(at("outputs")),
    paths: () => read(at("path")).split("\n").filter(Boolean),
    installs: () => read(at("installs")).split("\n").filter(Boolean).length,
    summary: () => read(at("summary")),
    state: () => [
      runGit(path, ["for-each-ref"]),
      runGit(path, ["worktree", "list"]),
      runGit(path, ["--no-optional-locks", "status", "--porcelain", "--", ":!plateau-results"]),
      Deno.readFileSync(join(path, ".git/index")).toHex(),
    ],
    comments: (ids) => Deno.writeTextFileSync(at("comments"), ids),
    calls: () => read(log).split("\n").filter(Boolean).map((line) => JSON.parse(line)),
    [Symbol.dispose]: () => origin[Symbol.dispose](),
  };
}

/** Where the program under test finds its own packages, whatever home the runner has. */
function ownPlaces(): string {
  const denoDir = Deno.env.get("DENO_DIR");
  const home = `HOME='${Deno.env.get("HOME") ?? ""}'`;
  return denoDir === undefined ? `-u DENO_DIR ${home}` : `DENO_DIR='${denoDir}' ${home}`;
}

/** npm that installs Deno, npx that brings it, gh that prints ids of comments, and curl that brings this program. */
function writePrograms(
  bin: string,
  { folder, log }: { readonly folder: string; readonly log: string },
): void {
  Deno.mkdirSync(bin);
  const write = (path: string, script: string): void =>
    Deno.writeTextFileSync(path, `#!/bin/bash\n${script}\n`, { mode: 0o755 });
  Deno.writeTextFileSync(join(folder, "recorder.cjs"), RECORDER);
  const record = `node '${join(folder, "recorder.cjs")}' '${log}'`;
  write(join(folder, "program"), `exec ${quotedCommand} "$@"`);
  write(
    join(bin, "npx"),
    `[[ "$1 $2 $3 $4" = "-y deno@"*" run -A" && -f $5 ]] || exit 64\nexec ${quotedCommand} "\${@:6}"`,
  );
  const deno = join(folder, "deno");
  write(
    deno,
    `[[ "$1 $2" = "run -A" && -f $3 && $DENO_DIR = $HOME/* ]] || exit 64
exec env ${ownPlaces()} ${quotedCommand} "\${@:4}"`,
  );
  write(
    join(bin, "npm"),
    `[[ "$*" =~ ^install\\ .*--prefix\\ ([^ ]+)\\ deno@[0-9.]+$ ]] || exit 64
mkdir -p "\${BASH_REMATCH[1]}/node_modules/.bin" && cp '${deno}' "\${BASH_REMATCH[1]}/node_modules/.bin/deno"
echo installed >>'${join(folder, "installs")}'`,
  );
  write(
    join(bin, "gh"),
    `[[ $GH_TOKEN = secret ]] || exit 4\n${record} gh "$@"
[[ " $* " = *" POST "* || " $* " = *" PATCH "* ]] || cat '${
      join(folder, "comments")
    }' 2>/dev/null || true`,
  );
  write(
    join(bin, "curl"),
    `while [[ $1 != https://* && $1 != --output ]]; do args+=("$1"); shift; done
if [[ $1 = --output && $2 != /dev/null ]]; then cp '${join(folder, "program")}' "$2"
else ${record} curl "\${args[@]}" "$@"; fi`,
  );
}

/** As runners call bash: it ends with the first command that fails. */
export async function runScript(
  { path, env }: Runner,
  script: string,
  more: Readonly<Record<string, string>>,
): Promise<{ readonly code: number; readonly output: string }> {
  const { code, stdout, stderr } = await new Deno.Command("bash", {
    args: ["--noprofile", "--norc", "-eo", "pipefail", "-c", script],
    cwd: path,
    env: { ...env, ...more },
  }).output();
  const output = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes)).join("");
  return { code, output };
}
