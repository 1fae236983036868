/** A git repository of its own with a small server, whose requests take as long as its commits say. */
import { join } from "node:path";
import { calibratedCache } from "./caches.ts";
import { emptyFolder } from "./plateau.ts";

const SERVER = `
const burnUs = Number(require("fs").readFileSync(__dirname + "/built.txt", "utf8"));
require("http").createServer((request, response) => {
  const end = process.hrtime.bigint() + BigInt(burnUs * 1000);
  while (process.hrtime.bigint() < end);
  response.end("ok");
}).listen(process.env.PORT, "127.0.0.1");
`;

const BUILD = `
const fs = require("fs");
fs.writeFileSync("built.txt", fs.readFileSync("burn.txt", "utf8"));
`;

/**
 * So many requests that those of 3 ms take longer than those of 100 µs do where the machine halts for 300 ms
 * among them; and each run has them, however busy the machine is.
 */
const REQUESTS = 200;

const EXPERIMENT = `
name: mine
targets:
  server: { command: [node, server.js], build: [[node, build.js]] }
scenarios:
  root: { get: / }
load: { connections: 2, requests: ${REQUESTS} }
repeat: 2
`;

export interface ScratchRepository extends Disposable {
  readonly path: string;
  /** The cache of the program under test. */
  readonly env: ReturnType<typeof calibratedCache>;
  readonly git: (...args: string[]) => string;
  readonly write: (name: string, text: string) => void;
  /** All that git could say of it, and the index byte by byte. */
  readonly state: () => unknown;
  /** Paths below the cache. */
  readonly kept: () => string[];
}

/** With one commit, of requests that take 100 µs, on branch main. */
export function scratchRepository(): ScratchRepository {
  const folder = emptyFolder();
  const path = join(folder.path, "repository");
  const cache = join(folder.path, "cache");
  Deno.mkdirSync(path);
  Deno.mkdirSync(cache);
  const git = (...args: string[]): string => runGit(path, args);
  const write = (name: string, text: string): void =>
    Deno.writeTextFileSync(join(path, name), text);
  git("init", "--quiet", "--initial-branch=main");
  write("server.js", SERVER);
  write("build.js", BUILD);
  write("burn.txt", "100");
  write("experiment.yaml", EXPERIMENT);
  write(".gitignore", "built.txt\nignored\n");
  git("add", "--all");
  git("commit", "--quiet", "--message", "first");
  return {
    path,
    git,
    write,
    env: calibratedCache(cache),
    state: () => ({
      refs: git("for-each-ref"),
      worktrees: git("worktree", "list"),
      status: git("--no-optional-locks", "status", "--porcelain", "--ignored"),
      config: Deno.readTextFileSync(join(path, ".git/config")),
      objects: git("count-objects", "--verbose"),
      index: Deno.readFileSync(join(path, ".git/index")).toHex(),
    }),
    kept: () => [...below(cache)],
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

/** As nobody in particular: the user's own configuration is not there. */
export function runGit(cwd: string, args: readonly string[]): string {
  const { success, stdout, stderr } = new Deno.Command("git", {
    args: [
      ...[
        ...["-c", "user.name=someone", "-c", "user.email=someone", "-c"],
        "protocol.file.allow=always",
      ],
      ...args,
    ],
    cwd,
    env: { GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" },
  }).outputSync();
  if (!success) throw new Error(`git ${args.join(" ")}: ${new TextDecoder().decode(stderr)}`);
  return new TextDecoder().decode(stdout);
}

function* below(folder: string): Generator<string> {
  for (const { name, isDirectory } of Deno.readDirSync(folder)) {
    yield name;
    if (isDirectory && name !== ".git") yield* below(join(folder, name));
  }
}
