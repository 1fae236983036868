/** The folder from which a program is compiled: scripts of the bundle's parts, their loader, and the entry script. */
import config from "../../deno.json" with { type: "json" };
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { gzipSync } from "node:zlib";
import { TemporaryFolder } from "../../base/system/temporary_folder.ts";
import {
  CODE,
  CODE_FOLDER,
  CODE_USERS,
  DEFLATED,
  loaderOf,
  type PartsScript,
  UNRUN_FOLDER,
  USED,
} from "./loader.ts";
import { MAIN, type Parts, WORKERS } from "./parts.ts";

/** The script with which the program starts. */
export const ENTRY_NAME = "plateau.js";

const LOADER_NAME = "loader.js";
const entryOf = (name: string): string =>
  `import { use } from "./${LOADER_NAME}";\nawait use("${name}");\n`;

/**
 * Names of the lists of processes that start rarely, or once for many starts of others. Parts that only such processes
 * use are stored deflated, and inflated when needed.
 */
const SELDOM = /^seldom|-run-/;

export interface Staged {
  readonly scripts: readonly PartsScript[];
  /** Code at the end of the loader, such as `KEEPER`; absent: none. */
  readonly keeper?: string;
  /** Folder with V8's compiled code of the scripts. */
  readonly codeFolder?: string;
}

/** Writes everything that the program consists of into `folder`. */
export function writeStage(
  parts: Parts,
  { scripts, keeper = "", codeFolder }: Staged,
  folder: string,
): void {
  const write = (name: string, content: string | Uint8Array): void =>
    writeFileSync(join(folder, name), content);
  for (const { file, parts: names, isDeflated } of scripts) {
    // The parentheses make V8 compile a function together with its script.
    const text = names.map((name) => `\n"${name}": (${parts.get(name)})`).join(",");
    const contents: [string, string | Uint8Array][] = [[file, `({${text}\n})`]];
    const code = codeFolder === undefined ? "" : join(codeFolder, file + CODE);
    if (existsSync(code)) contents.push([file + CODE, readFileSync(code)]);
    for (const [name, content] of contents) {
      if (isDeflated) write(name + DEFLATED, gzipSync(content, { level: 9 }));
      else write(name, content);
    }
  }
  write(LOADER_NAME, loaderOf(scripts) + keeper);
  write(ENTRY_NAME, entryOf(MAIN));
  for (const worker of WORKERS) {
    const name = basename(worker, ".ts");
    write(`${name}.ts`, entryOf(`${name}.js`));
  }
  write("deno.json", JSON.stringify({ unstable: config.unstable }));
}

/** One script for each part. */
export const alone = (parts: Parts): PartsScript[] =>
  [...parts.keys()].map((name) => ({ file: name, parts: [name], isDeflated: false }));

/** One script for all parts that are used by the same kinds of processes, according to the lists in `folder`. */
export function byUsers(parts: Parts, folder: string): PartsScript[] {
  const users = new Map([...parts.keys()].map((name) => [name, new Set<string>()]));
  for (const list of readdirSync(folder).filter((name) => name.endsWith(USED)).sort()) {
    const used = Deno.readTextFileSync(join(folder, list)).split(" ");
    for (const name of used) users.get(name)?.add(list);
  }
  const groups = Map.groupBy(alone(parts), ({ file }) => [...users.get(file) ?? []].join() || file);
  return [...groups.values()].map((group, index) => ({
    file: `script-${index}.js`,
    parts: group.map(({ file }) => file),
    isDeflated: [...users.get(group[0].file) ?? []].every((list) => SELDOM.test(list)),
  }));
}

// The code and the lists of parts that the program leaves behind when it is started for this purpose.

const WITH_REDIS = `
name: redis
targets:
  api: { app: api }
scenarios:
  redis: { get: /redis, needs: [redis] }
optional: [redis]
`;

type Start = readonly [users: string, ...args: string[]];

/** Stores in `folder` V8's compiled code for the most common starts. @param command Starts the program. */
export async function leaveCode(
  command: readonly [string, ...string[]],
  folder: string,
): Promise<void> {
  await using server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, () => {
    return new Response("Hello, World!");
  });
  const url = `http://127.0.0.1:${server.addr.port}/`;
  const brief = ["--duration", "100ms", "--repeat", "1"];
  const { path: out } = TemporaryFolder.make("trial", folder);
  const experiment = join(out, "redis.yaml");
  Deno.writeTextFileSync(experiment, WITH_REDIS);
  const starts: readonly Start[] = [
    ["usual", "--version"],
    ["usual", "--help"],
    ["usual", "check", "kuffel-walter"],
    ["usual", "bench", url, "-d", "300ms"],
    ["usual", "supervise", "--", "true"],
    ["usual", "run", "quick", ...brief, "--out", out],
    ["seldom", "report", out],
    ["seldom", "run", experiment, ...brief, "--out", `${out}-redis`],
  ];
  for (const start of starts) await leaveOf(start, command, folder);
}

/** Starts that use the same parts on every machine, and that load the measuring commands. */
const ALIKE: readonly Start[] = [
  ["usual", "--version"],
  ["usual", "--help"],
  ["usual", "check", "kuffel-walter"],
  ["usual", "supervise", "--", "true"],
  ["usual", "bench", "--help"],
  ["usual", "run", "--help"],
  ["seldom", "report", "--help"],
];

/** Stores in `folder` only the lists of parts, which are the same each time. */
export async function leaveLists(
  command: readonly [string, ...string[]],
  folder: string,
): Promise<void> {
  for (const start of ALIKE) await leaveOf(start, command, folder);
  // Whether a worker started by such a command has time to leave a list is random.
  const chance = readdirSync(folder).filter((name) => name.endsWith(`-worker${USED}`));
  for (const name of [...chance, ...readdirSync(folder).filter((name) => name.endsWith(CODE))]) {
    Deno.removeSync(join(folder, name));
  }
}

/**
 * Stores in `folder` V8's code of all scripts before any of them runs, which is the same each time. The code of a
 * script that ran includes whatever V8 has compiled and optimised by then, which depends on timing. The fixed random
 * seed makes V8's hash tables of names the same, too.
 */
export async function leaveUnrunCode(
  command: readonly [string, ...string[]],
  folder: string,
): Promise<void> {
  await leaveOf(["usual"], command, folder, {
    DENO_V8_FLAGS: "--random-seed=1",
    [UNRUN_FOLDER]: folder,
  });
}

async function leaveOf(
  [users, ...args]: Start,
  [program, ...first]: readonly [string, ...string[]],
  folder: string,
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  // A start that fails on this machine leaves no code; the program then starts without it.
  await new Deno.Command(program, {
    args: [...first, ...args],
    cwd: folder,
    env: { ...env, [CODE_FOLDER]: folder, [CODE_USERS]: users },
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn().status;
}
