/**
 * Writes the folder from which a program is compiled. It contains the scripts of the bundle's parts, their loader and
 * the entry script.
 */
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

/** Name of the script that the program starts with. */
export const ENTRY_NAME = "plateau.js";

const LOADER_NAME = "loader.js";
const entryOf = (name: string): string =>
  `import { use } from "./${LOADER_NAME}";\nawait use("${name}");\n`;

/**
 * Matches the file names of lists of used parts that were left by processes that seldom start, or that start once and
 * then start many others, as `run` does. Parts that only such processes use are stored compressed.
 */
const SELDOM = /^seldom|-run-/;

export interface Staged {
  readonly scripts: readonly PartsScript[];
  /** Source text to append to the loader, such as `KEEPER`; absent: none. */
  readonly keeper?: string;
  /** Folder with V8's compiled code of the scripts; absent: there is no such code. */
  readonly codeFolder?: string;
}

/** Writes all files that the program consists of into `folder`. */
export function writeStage(
  parts: Parts,
  { scripts, keeper = "", codeFolder }: Staged,
  folder: string,
): void {
  const write = (name: string, content: string | Uint8Array): void =>
    writeFileSync(join(folder, name), content);
  for (const { file, parts: names, isDeflated } of scripts) {
    // The parentheses make V8 compile each function together with its script.
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

/**
 * Groups the parts into scripts: parts that are used by the same kinds of processes, according to the lists in
 * `folder`, share a script.
 */
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

// Starts of the program that only make it leave V8's compiled code and the lists of used parts.

const USUAL = `
name: usual
targets:
  quiet: { app: api }
  logging: { app: api, set: { log: on } }
scenarios:
  static: { get: /static, expect: { status: 200 } }
`;

const WITH_REDIS = `
name: redis
targets:
  api: { app: api }
scenarios:
  redis: { get: /redis, needs: [redis] }
optional: [redis]
`;

type Start = readonly [users: string, ...args: string[]];

/**
 * Stores in `folder` V8's compiled code and the lists of used parts for the most common starts. @param command Starts
 * the program.
 */
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
  const [experiment, withRedis] = ["usual.yaml", "redis.yaml"].map((name) => join(out, name));
  Deno.writeTextFileSync(experiment, USUAL);
  Deno.writeTextFileSync(withRedis, WITH_REDIS);
  const starts: readonly Start[] = [
    ["usual", "--version"],
    ["usual", "--help"],
    ["usual", "check", "kuffel-walter"],
    ["usual", "bench", url, "-d", "300ms"],
    ["usual", "supervise", "--", "true"],
    ["usual", "run", experiment, ...brief, "--out", out],
    ["seldom", "report", out],
    ["seldom", "run", "quick", ...brief, "--out", `${out}-slices`],
    ["seldom", "run", withRedis, ...brief, "--out", `${out}-redis`],
  ];
  for (const start of starts) await leaveOf(start, command, folder);
}

/**
 * Starts that use the same parts on every machine. None of them measures, but `bench --help` and `run --help` load the
 * modules of these commands.
 */
const ALIKE: readonly Start[] = [
  ["usual", "--version"],
  ["usual", "--help"],
  ["usual", "check", "kuffel-walter"],
  ["usual", "supervise", "--", "true"],
  ["usual", "bench", "--help"],
  ["usual", "run", "--help"],
  ["seldom", "report", "--help"],
];

/** Stores in `folder` only the lists of used parts, which are the same each time. */
export async function leaveLists(
  command: readonly [string, ...string[]],
  folder: string,
): Promise<void> {
  for (const start of ALIKE) await leaveOf(start, command, folder);
  // Remove the lists of workers: it is random whether a worker lives long enough to leave one.
  const chance = readdirSync(folder).filter((name) => name.endsWith(`-worker${USED}`));
  for (const name of [...chance, ...readdirSync(folder).filter((name) => name.endsWith(CODE))]) {
    Deno.removeSync(join(folder, name));
  }
}

/**
 * Stores in `folder` V8's code of all scripts before any of them runs, because that code is the same each time. After a
 * script has run, its code would include whatever V8 has compiled and optimised meanwhile, which depends on timing. The
 * fixed random seed makes the hash values of strings the same, too.
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
  // If the start fails on this machine, it leaves no code; the compiled program then starts without
  // such code.
  await new Deno.Command(program, {
    args: [...first, ...args],
    cwd: folder,
    env: { ...env, [CODE_FOLDER]: folder, [CODE_USERS]: users },
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn().status;
}
