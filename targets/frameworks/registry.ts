/** The frameworks by name. */
import {
  commonSettings,
  coreSettings,
  type FrameworkName,
  workerSettings,
} from "../../base/target/app_settings.ts";
import { type Framework, go, npm, pip } from "./framework.ts";

/** A server on Node in one file. */
function nodeServer(
  { file = "server.js", ...about }:
    & Pick<Framework, "summary" | "version" | "folder">
    & { readonly file?: string },
): Framework<typeof commonSettings> {
  return { ...about, toolchain: npm, settings: commonSettings, command: () => ["node", file] };
}

const flask: Framework<typeof workerSettings> = {
  summary: "Flask under gunicorn with gevent workers: WTForms, gunicorn's log",
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
    summary: "No framework: node:http alone, validation and log by hand",
    version: "",
    folder: "node-http",
  }),
} satisfies Record<FrameworkName, Framework>;

/** The member by that name, seen through the contract. */
export function frameworkNamed(name: FrameworkName): Framework {
  return frameworks[name];
}
