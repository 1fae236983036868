/**
 * The frameworks of the Kuffel & Walter study by name. Each is a folder of sources, written as the framework's
 * documentation would, that its own tools install and its own runtime serves. Each framework has one folder, and one
 * entry at the end; `tests/conformance/frameworks_slow_test.ts` runs the same suite over all of them.
 *
 * The contract of a server: it listens on HOST (127.0.0.1 when absent; IPv6 without brackets) and PORT and serves the
 * five endpoints of the built-in app `api`. When it refuses a query or reports an error, it may choose the words and
 * the shape of the response, as long as that is JSON with the same status. With REDIS_URL, it sets `plateau:counter` to
 * 1 before it listens; without REDIS_URL, `/redis` responds with 503. With LOGGING=on it logs each request, and with
 * TRACE=on each error with its stack trace, in the way of its documentation; otherwise it logs nothing. It ends on TERM
 * at once.
 */
import type * as z from "zod";
import {
  commonSettings,
  coreSettings,
  type FrameworkName,
  workerSettings,
} from "../../base/target/app_settings.ts";

export interface Framework<Settings extends z.ZodObject = z.ZodObject> {
  /** The framework's line in `plateau list frameworks`: what it is, and what it validates and logs with. */
  readonly summary: string;
  /** The version that the framework's folder pins; "" for a server without a framework. */
  readonly version: string;
  /** The framework's folder beside this file; two frameworks may share one, and then they share the installation. */
  readonly folder: string;
  readonly toolchain: Toolchain;
  /** The settings with defaults and limits; each field has a `.describe()`. */
  readonly settings: Settings;
  /** The command that serves the framework, from its installed folder: a program on PATH, or a path in the folder. */
  command(settings: z.output<Settings>): readonly [program: string, ...args: string[]];
}

/**
 * The installer of a framework: the programs that it needs, and the steps that they carry out in the framework's
 * folder.
 */
export interface Toolchain {
  /** Programs that must be on PATH; the first is the runtime. */
  readonly programs: readonly [runtime: string, ...others: string[]];
  /** The oldest version of the runtime that is supported. */
  readonly oldest: readonly number[];
  /** Instructions for installing the programs. */
  readonly get: string;
  /** The commands in the order in which they run, each a program on PATH or a path in the folder. */
  readonly steps: readonly (readonly [program: string, ...args: string[]])[];
}

/** Installs packages by package-lock.json, without running their install scripts, and then compiles TypeScript. */
export const npm: Toolchain = {
  programs: ["node", "npm"],
  oldest: [20],
  get: "install Node.js 20 or later",
  steps: [
    ["npm", "ci", "--include=dev", "--ignore-scripts", "--no-audit", "--no-fund"],
    ["npm", "run", "build", "--if-present"],
  ],
};

/** Installs packages by requirements.txt, in an environment of their own. */
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
 * Modules by go.mod and go.sum, compiled to the program `server`. Gin is built without MsgPack, as its documentation
 * shows for servers that do not use it: it would take most of the compilation time.
 */
const go: Toolchain = {
  programs: ["go"],
  oldest: [1, 21], // from this version on, Go fetches the version that go.mod names
  get: "install Go 1.26 or later",
  steps: [
    ["go", "build", "-mod=readonly", "-buildvcs=false", "-tags", "nomsgpack", "-o", "server", "."],
  ],
};

/** A server that runs on Node from a single file. */
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

/** The framework of that name, typed by the contract that all frameworks share. */
export function frameworkNamed(name: FrameworkName): Framework {
  return frameworks[name];
}
