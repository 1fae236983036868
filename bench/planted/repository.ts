/**
 * Makes a git repository with apps for Express, Fastify and Gin, installed as by `plateau setup frameworks`, and a
 * server for Deno. Each handler runs a loop whose number of rounds is a constant in the code, at first 0. A commit
 * plants a slowdown by raising this constant.
 */
import { join } from "node:path";
import type { FrameworkName } from "../../base/target/app_settings.ts";
import { readSources } from "../../targets/frameworks/install.ts";
import { frameworkNamed } from "../../targets/frameworks/registry.ts";
import { temporaryFolder } from "../stage/folder.ts";
import { commitAll, envIn, git, initRepository } from "../stage/repository.ts";
import type { ExperimentInput } from "../../scenarios/file/experiment_shape.ts";

const FRAMEWORKS = ["express", "gin", "fastify"] as const satisfies readonly FrameworkName[];
export const APPS = [...FRAMEWORKS, "deno"] as const;
export type App = typeof APPS[number];

interface Place {
  /** The file that holds only the number of rounds. */
  readonly file: string;
  readonly rounds: (rounds: number) => string;
  /** Name and content of each file of the framework's server as it is installed. */
  readonly sources: () => Iterable<readonly [string, string]>;
  readonly server: string;
  /** Replacements in the server's code, as pairs of old and new text. */
  readonly changes: readonly (readonly [string, string])[];
  /** Contents of the files that hold the loop, keyed by file name. */
  readonly files: Readonly<Record<string, string>>;
  readonly command: readonly string[];
  readonly build: readonly (readonly string[])[];
}

const ROUNDS_JS = {
  file: "rounds.js",
  rounds: (rounds: number) => `export const ROUNDS = ${rounds};\n`,
  server: "server.js",
} as const;

const LOOP_JS = {
  "loop.js": `let last = 1;
export function loop(rounds) {
  let x = last;
  for (let i = 0; i < rounds; i++) x = (Math.imul(x, 1664525) + 1013904223) | 0;
  last = x;
}
`,
};

const IMPORTS_JS = `import { loop } from "./loop.js";\nimport { ROUNDS } from "./rounds.js";\n`;

/** The parts of a Place that are as for `plateau setup frameworks`: the server's files and the installation steps. */
function installed(name: typeof FRAMEWORKS[number]): Pick<Place, "sources" | "build"> {
  const { folder, toolchain: { steps } } = frameworkNamed(name);
  return { sources: () => readSources(folder), build: steps };
}

const DENO_SERVER = `const { HOST = "127.0.0.1", PORT } = Deno.env.toObject();
Deno.serve({ hostname: HOST, port: Number(PORT) }, () => {
  return Response.json({ ok: true });
});
`;

/**
 * Where the loop goes in each app. Each round depends on the result of the previous one, so no compiler can shorten the
 * loop and no core can run two rounds at once.
 */
const PLACES: Readonly<Record<App, Place>> = {
  express: {
    ...ROUNDS_JS,
    ...installed("express"),
    changes: [
      [`import express from "express";\n`, `import express from "express";\n${IMPORTS_JS}`],
      [
        `app.get("/static", (req, res) => {\n`,
        `app.get("/static", (req, res) => {\n  loop(ROUNDS);\n`,
      ],
    ],
    files: LOOP_JS,
    command: ["node", "server.js"],
  },
  fastify: {
    ...ROUNDS_JS,
    ...installed("fastify"),
    changes: [
      [`import Fastify from "fastify";\n`, `import Fastify from "fastify";\n${IMPORTS_JS}`],
      [
        `answering({ ok: { type: "boolean" } }), () => ({ ok: true }));`,
        `answering({ ok: { type: "boolean" } }), () => {\n  loop(ROUNDS);\n  return { ok: true };\n});`,
      ],
    ],
    files: LOOP_JS,
    command: ["node", "server.js"],
  },
  deno: {
    ...ROUNDS_JS,
    sources: () => [["server.js", IMPORTS_JS + DENO_SERVER]],
    build: [],
    changes: [[`() => {\n  return Response`, `() => {\n  loop(ROUNDS);\n  return Response`]],
    files: LOOP_JS,
    command: [Deno.execPath(), "run", "--no-config", "--allow-net", "--allow-env", "server.js"],
  },
  gin: {
    file: "rounds.go",
    rounds: (rounds) => `package main\n\nconst rounds = ${rounds}\n`,
    ...installed("gin"),
    server: "server.go",
    changes: [
      [
        `	"github.com/gin-gonic/gin"\n`,
        `	"github.com/gin-gonic/gin"\n	"plateau/gin/loop"\n`,
      ],
      [
        `r.GET("/static", func(c *gin.Context) {\n`,
        `r.GET("/static", func(c *gin.Context) {\n\t\tloop.Loop(rounds)\n`,
      ],
    ],
    files: {
      "loop/loop.go": `package loop

//go:noinline
func Loop(rounds int) uint32 {
	x := uint32(1)
	for i := 0; i < rounds; i++ {
		x = x*1664525 + 1013904223
	}
	return x
}
`,
    },
    command: ["./server", "-cores", "1"],
  },
};

/** The number of rounds that takes about as long as a whole request. */
export const ROUNDS_OF_A_REQUEST: Readonly<Record<App, number>> = {
  express: 150_000,
  fastify: 60_000,
  deno: 30_000,
  gin: 12_000,
};

export interface Planted extends Disposable {
  readonly path: string;
  /** The environment for the measuring program, in which it has its own build cache. */
  readonly env: Record<string, string>;
  /**
   * Commits an app with a loop of `rounds` rounds, and the experiment for it, on top of HEAD. Commits are never
   * removed.
   * @param share The share of the app's starts in which the loop runs. Only for servers in JavaScript.
   */
  readonly commit: (app: App, rounds: number, message: string, share?: number) => Promise<void>;
}

/** Makes a repository. The first commit is on the branch `main`; all others are on a separate branch. */
export async function plantedRepository(): Promise<Planted> {
  const folder = temporaryFolder();
  const path = join(folder.path, "repository");
  await initRepository(path);
  for (const app of APPS) writeApp(join(path, app), app);
  Deno.writeTextFileSync(join(path, ".gitignore"), "node_modules\nserver\nresults\n");
  await commitAll(path, "All apps, as fast as they are");
  await git(path, "switch", "--quiet", "--create", "change");
  return {
    path,
    env: envIn(folder.path),
    async commit(app, rounds, message, share = 1): Promise<void> {
      const constant = share < 1 ? drawnRounds(rounds, share) : PLACES[app].rounds(rounds);
      // The message makes this file unlike any earlier one, so that the commit is built anew.
      const text = `// ${message}\n${constant}`;
      Deno.writeTextFileSync(join(path, app, PLACES[app].file), text);
      Deno.writeTextFileSync(join(path, "experiment.yaml"), JSON.stringify(experimentOf(app)));
      await commitAll(path, message);
    },
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

/**
 * Code by which a server decides at random, when it starts, whether it has the loop. This imitates a program that by
 * chance gets a slower memory layout.
 */
function drawnRounds(rounds: number, share: number): string {
  return `export const ROUNDS = Math.random() < ${share} ? ${rounds} : 0;\n`;
}

/**
 * Settings for runs of a fixed number of requests. Node compiles code while it runs, and compilation takes a larger
 * share of a run with fewer requests, so only runs with equal numbers of requests do the same work. Server and worker
 * are pinned to separate cores, where Node varies even less; Gin would vary more
 * (docs/decisions/0001-runs-of-a-number-of-requests.md).
 */
const PINNED = {
  load: { connections: 8, requests: 2_500 },
  pin: { targets: "0", workers: "1" },
} as const;

const MEASURED: Readonly<Record<App, Pick<ExperimentInput, "load" | "pin">>> = {
  express: PINNED,
  fastify: PINNED,
  deno: PINNED,
  gin: { load: { connections: 8, duration: "2s" } },
};

/** The experiment for one app. Its `build` commands install the app's framework. */
function experimentOf(app: App): ExperimentInput {
  const { command, build } = PLACES[app];
  return {
    name: "planted",
    targets: {
      [app]: { command: [...command], cwd: app, build: build.map((step) => [...step]) },
    },
    scenarios: { static: { get: "/static", expect: { status: 200, contains: "ok" } } },
    ...MEASURED[app],
  };
}

function writeApp(folder: string, app: App): void {
  const { file, rounds, server, sources, changes, files } = PLACES[app];
  const all = new Map([...sources(), ...Object.entries(files), [file, rounds(0)] as const]);
  const changed = changes.reduce(
    (text, [from, to]) => replaced(text, from, to),
    all.get(server) ?? "",
  );
  for (const [name, text] of all.set(server, changed)) {
    Deno.mkdirSync(join(folder, name, ".."), { recursive: true });
    Deno.writeTextFileSync(join(folder, name), text);
  }
}

function replaced(text: string, from: string, to: string): string {
  if (!text.includes(from)) throw new Error(`Cannot plant a loop: there is no ${from.trim()}`);
  return text.replace(from, () => to);
}
