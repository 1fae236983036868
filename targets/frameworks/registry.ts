/**
 * The frameworks of the Kuffel & Walter study. Each has a folder with the sources of a server, written in the style of
 * the framework's documentation. The server is installed with the framework's own tools, and runs on the framework's
 * own runtime. To add a framework, add its folder and an entry at the end of this file.
 * `tests/conformance/frameworks_slow_test.ts` runs the same suite for all of them.
 *
 * The contract of a server: it listens on HOST (127.0.0.1 if absent; IPv6 without brackets) and PORT, and serves the
 * five endpoints of the built-in app `api`. If it refuses a query or reports an error, its response must be JSON and
 * have the status that `api` would send; its text and structure are free. With REDIS_URL, it sets `plateau:counter` to
 * 1 before it listens; without REDIS_URL, `/redis` responds with 503. With LOGGING=on it logs each request, and with
 * TRACE=on each error with its stack trace, both as the framework's documentation suggests; otherwise it logs nothing.
 * It ends immediately on SIGTERM.
 */
import type * as z from "zod";
import {
  commonSettings,
  coreSettings,
  type FrameworkName,
  workerSettings,
} from "../../base/target/app_settings.ts";

export interface Framework<Settings extends z.ZodObject = z.ZodObject> {
  /**
   * The description in `plateau list frameworks`: what the framework is, and which libraries it validates and logs
   * with.
   */
  readonly summary: string;
  /** The version that the folder pins; "" for a server without a framework. */
  readonly version: string;
  /** The framework's folder beside this file. Frameworks that share a folder also share its installation. */
  readonly folder: string;
  readonly toolchain: Toolchain;
  /** Schema of the settings, with defaults and limits; each field has a `.describe()`. */
  readonly settings: Settings;
  /**
   * The command that serves the framework, run in its installed folder. The program is on PATH, or a path in that
   * folder.
   */
  command(settings: z.output<Settings>): readonly [program: string, ...args: string[]];
}

/** How to install a framework: the programs needed, and the commands to run in the framework's folder. */
export interface Toolchain {
  /** Programs that must be on PATH; the first is the runtime. */
  readonly programs: readonly [runtime: string, ...others: string[]];
  /** The oldest supported version of the runtime. */
  readonly oldest: readonly number[];
  /** Tells the user how to install the programs. */
  readonly get: string;
  /** The commands in the order in which they run. The program of each is on PATH, or a path in the folder. */
  readonly steps: readonly (readonly [program: string, ...args: string[]])[];
}

/**
 * Installs the packages in package-lock.json without running their install scripts, then compiles TypeScript if there
 * is any.
 */
export const npm: Toolchain = {
  programs: ["node", "npm"],
  oldest: [20],
  get: "install Node.js 20 or later",
  steps: [
    ["npm", "ci", "--include=dev", "--ignore-scripts", "--no-audit", "--no-fund"],
    ["npm", "run", "build", "--if-present"],
  ],
};

/** Installs the packages in requirements.txt in a virtual environment. */
const pip: Toolchain = {
  programs: ["python3"],
  oldest: [3, 10],
  get: "install Python 3.10 or later, with venv",
  steps: [
    ["python3", "-m", "venv", ".venv"],
    [
      ...[".venv/bin/python", "-m", "pip", "install", "--disable-pip-version-check"] as const,
      ...["--require-hashes", "--only-binary", ":all:", "-r", "requirements.txt"],
    ],
  ],
};

/**
 * Compiles the server into the program `server`, with the module versions in go.mod and go.sum. Gin is built without
 * MsgPack, which would take most of the compilation time. Gin's documentation recommends this for servers that do not
 * use MsgPack.
 */
const go: Toolchain = {
  programs: ["go"],
  oldest: [1, 21], // since this version, Go downloads the version that go.mod names
  get: "install Go 1.26 or later",
  steps: [
    ["go", "build", "-mod=readonly", "-buildvcs=false", "-tags", "nomsgpack", "-o", "server", "."],
  ],
};

/** A server on Node that is started from one file. */
function nodeServer(
  { file = "server.js", ...about }:
    & Pick<Framework, "summary" | "version" | "folder">
    & { readonly file?: string },
): Framework<typeof commonSettings> {
  return { ...about, toolchain: npm, settings: commonSettings, command: () => ["node", file] };
}

const flask: Framework<typeof workerSettings> = {
  summary: "Flask (Python, gunicorn with gevent workers): WTForms, gunicorn's log",
  version: "3.1.3",
  folder: "flask",
  toolchain: pip,
  settings: workerSettings,
  command: ({ workers }) => [
    ...[".venv/bin/python", "-m", "gunicorn"] as const,
    ...["--workers", `${workers}`, "server:app"],
  ],
};

const gin: Framework<typeof coreSettings> = {
  summary: "Gin (Go): its binding (validator), its log",
  version: "1.12.0",
  folder: "gin",
  toolchain: go,
  settings: coreSettings,
  command: ({ cores }) => ["./server", ...cores === undefined ? [] : ["-cores", `${cores}`]],
};

export const frameworks = {
  express: nodeServer({
    summary: "Express: express-validator, morgan",
    version: "5.3.0",
    folder: "express",
  }),
  fastify: nodeServer({
    summary: "Fastify: its JSON schemas (Ajv), its logger (pino)",
    version: "5.12.8",
    folder: "fastify",
  }),
  hapi: nodeServer({
    summary: "hapi: Joi, hapi-pino",
    version: "21.4.10",
    folder: "hapi",
  }),
  "nestjs-express": nodeServer({
    summary: "NestJS on Express: class-validator, morgan",
    version: "12.5.1",
    folder: "nestjs",
    file: "dist/main_express.js",
  }),
  "nestjs-fastify": nodeServer({
    summary: "NestJS on Fastify: class-validator, Fastify's logger (pino)",
    version: "12.5.1",
    folder: "nestjs",
    file: "dist/main_fastify.js",
  }),
  adonisjs: nodeServer({
    summary: "AdonisJS: VineJS, its logger (pino)",
    version: "6.21.0",
    folder: "adonisjs",
    file: "build/bin/server.js",
  }),
  feathers: nodeServer({
    summary: "Feathers on Express: TypeBox and Ajv, morgan",
    version: "5.0.50",
    folder: "feathers",
  }),
  flask,
  gin,
  "node-http": nodeServer({
    summary: "No framework: only node:http, with hand-written validation and log",
    version: "",
    folder: "node-http",
  }),
} satisfies Record<FrameworkName, Framework>;

/** Looks up a framework; the result has the type that all frameworks share. */
export function frameworkNamed(name: FrameworkName): Framework {
  return frameworks[name];
}
