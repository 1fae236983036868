/**
 * A git repository with an Express and a Gin app, as the study's frameworks are installed. Each has a loop in its
 * handler, whose rounds are a constant of the code: 0 at first. A commit plants a slowdown by raising it.
 */
import { join } from "node:path";
import type { FrameworkName } from "../../base/target/app_settings.ts";
import { readSources } from "../../targets/frameworks/install.ts";
import { frameworkNamed } from "../../targets/frameworks/registry.ts";
import { temporaryFolder } from "../stage/folder.ts";
import { commitAll, envIn, git, initRepository } from "../stage/repository.ts";
import type { ExperimentInput } from "../../scenarios/file/experiment.ts";

export const APPS = ["express", "gin"] as const satisfies readonly FrameworkName[];
export type App = typeof APPS[number];

interface Place {
  /** Holds the number of rounds and nothing else. */
  readonly file: string;
  readonly rounds: (rounds: number) => string;
  /** In the framework's own server, and what stands there in its place. */
  readonly handler: readonly [string, string];
  /** Of the loop. */
  readonly files: Readonly<Record<string, string>>;
}

/** Each round needs the result of the one before: no compiler shortens it, and no core runs two at once. */
const PLACES: Readonly<Record<App, Place>> = {
  express: {
    file: "rounds.js",
    rounds: (rounds) => `export const ROUNDS = ${rounds};\n`,
    handler: [
      `app.get("/static", (req, res) => {\n`,
      `app.get("/static", (req, res) => {\n  loop(ROUNDS);\n`,
    ],
    files: {
      "loop.js": `let last = 1;
export function loop(rounds) {
  let x = last;
  for (let i = 0; i < rounds; i++) x = (Math.imul(x, 1664525) + 1013904223) | 0;
  last = x;
}
`,
    },
  },
  gin: {
    file: "rounds.go",
    rounds: (rounds) => `package main\n\nconst rounds = ${rounds}\n`,
    handler: [
      `r.GET("/static", func(c *gin.Context) {\n`,
      `r.GET("/static", func(c *gin.Context) {\n\t\tloop.Loop(rounds)\n`,
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
  },
};

/** That take about as long as a request. */
export const ROUNDS_OF_A_REQUEST: Readonly<Record<App, number>> = { express: 150_000, gin: 12_000 };

/** What imports the loop. */
const IMPORTS: Readonly<Record<App, readonly [string, string]>> = {
  express: [
    `import express from "express";\n`,
    `import express from "express";\nimport { loop } from "./loop.js";\nimport { ROUNDS } from "./rounds.js";\n`,
  ],
  gin: [
    `	"github.com/gin-gonic/gin"\n`,
    `	"github.com/gin-gonic/gin"\n	"plateau/gin/loop"\n`,
  ],
};

export interface Planted extends Disposable {
  readonly path: string;
  /** Of the program that measures it, with a cache of builds of its own. */
  readonly env: Record<string, string>;
  /** Commits on HEAD an app whose loop has so many rounds, and its experiment; no commit is ever removed. */
  readonly commit: (app: App, rounds: number, message: string) => Promise<void>;
}

/** The first commit is on the branch `main`; those that follow are on a branch of their own. */
export async function plantedRepository(): Promise<Planted> {
  const folder = temporaryFolder();
  const path = join(folder.path, "repository");
  await initRepository(path);
  for (const app of APPS) writeApp(join(path, app), app);
  Deno.writeTextFileSync(join(path, ".gitignore"), "node_modules\nserver\nresults\n");
  await commitAll(path, "Both apps, as fast as they are");
  await git(path, "switch", "--quiet", "--create", "change");
  return {
    path,
    env: envIn(folder.path),
    async commit(app, rounds, message): Promise<void> {
      // The message makes it a commit of its own, which is built as a new one would be.
      const text = `// ${message}\n${PLACES[app].rounds(rounds)}`;
      Deno.writeTextFileSync(join(path, app, PLACES[app].file), text);
      Deno.writeTextFileSync(join(path, "experiment.yaml"), JSON.stringify(experimentOf(app)));
      await commitAll(path, message);
    },
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

/**
 * Node compiles while it runs, which is a larger share of a request the fewer a run completes: only runs of as many
 * requests do the same work. On cores of its own it varies less still, and Gin more
 * (docs/decisions/0001-runs-of-a-number-of-requests.md).
 */
const MEASURED: Readonly<Record<App, Pick<ExperimentInput, "load" | "pin">>> = {
  express: {
    load: { connections: 8, requests: 2_500 },
    pin: { targets: "0", workers: "1" },
  },
  gin: { load: { connections: 8, duration: "2s" } },
};

/** Of one app, with `build` as its framework is installed. */
function experimentOf(app: App): ExperimentInput {
  const { toolchain: { steps } } = frameworkNamed(app);
  const command = app === "gin" ? ["./server", "-cores", "1"] : ["node", "server.js"];
  return {
    name: "planted",
    targets: { [app]: { command, cwd: app, build: steps.map((step) => [...step]) } },
    scenarios: { static: { get: "/static", expect: { status: 200, contains: "ok" } } },
    ...MEASURED[app],
  };
}

function writeApp(folder: string, app: App): void {
  const { file, rounds, handler, files } = PLACES[app];
  const sources = new Map([
    ...readSources(frameworkNamed(app).folder),
    ...Object.entries(files),
    [file, rounds(0)] as const,
  ]);
  const server = app === "gin" ? "server.go" : "server.js";
  const changed = [handler, IMPORTS[app]].reduce(
    (text, [from, to]) => replaced(text, from, to),
    sources.get(server) ?? "",
  );
  for (const [name, text] of sources.set(server, changed)) {
    Deno.mkdirSync(join(folder, name, ".."), { recursive: true });
    Deno.writeTextFileSync(join(folder, name), text);
  }
}

function replaced(text: string, from: string, to: string): string {
  if (!text.includes(from)) throw new Error(`Cannot plant a loop: there is no ${from.trim()}`);
  return text.replace(from, () => to);
}
