/**
 * A target in the experiment file. Each launcher has a shape of its own, with a key that tells it apart, such as `app`,
 * `command` or `url`.
 */
import * as z from "zod";
import { command, stageCommands, steps } from "./steps.ts";
import { contentOf, type Files, NO_FILES } from "../files.ts";
import { ALWAYS } from "../explain.ts";
import { parseBytes } from "../quantity.ts";
import {
  accessConflicts,
  Certificates,
  pairProblem,
  PrivateKey,
  proxyUrl,
  resolved,
} from "./access.ts";
import {
  appNames,
  appSettings,
  frameworkNames,
  frameworkSettings,
  isV8,
  runsOnNode,
  type RuntimeName,
  runtimeNames,
} from "./app_settings.ts";
import { flatSettings, givenSettings, oneOrList, settingIssues, valuesOf } from "./settings.ts";
import {
  type ClusterTarget,
  clusterTarget,
  type NginxTarget,
  nginxTarget,
  type ProxyTarget,
  proxyTarget,
} from "./gateway_shape.ts";
import { quotedOpenly } from "../secrets.ts";

type WrittenSettings = Readonly<Record<string, z.core.util.JSONType>>;

const set = z.record(z.string(), z.json()).default({}).describe(
  "Settings of the server; a list of values makes a factor. A name with a dot may also be written as nested keys: " +
    "rateLimit: { limit: 5 }",
);

/** Problems with the settings, at the places where they were given. */
function checkSettings(
  settings: z.ZodObject,
  set: WrittenSettings,
  context: z.RefinementCtx,
): void {
  const given = givenSettings(set);
  for (const { key, path, value } of given) {
    const report = (message: string): void =>
      context.addIssue({ code: "custom", path: ["set", ...path], message });
    const choices = Array.isArray(value) ? value : [value];
    if (choices.length === 0) report("Cannot use an empty list");
    if (given.find((other) => other.key === key)?.path !== path) {
      report(`Cannot set ${quotedOpenly(key)} twice`);
    }
    const issues = choices.flatMap((choice) => settingIssues(settings, { [key]: choice }));
    for (const { message } of issues) report(message);
  }
}

/** Flattens nested settings, so that each has its full name. */
function withFlatSettings<Spec extends { set: WrittenSettings }>(spec: Spec): Spec {
  return { ...spec, set: flatSettings(spec.set) };
}

const memorySize = z.string().refine((text) => (parseBytes(text) ?? 0) >= LEAST_MEMORY_BYTES, {
  error: ({ input }) =>
    `Cannot use ${
      quotedOpenly(input)
    } as a limit of memory: write a size of 8MB or more, such as 512MB`,
});

/** The least memory with which any runtime starts. */
const LEAST_MEMORY_BYTES = 8e6;

const limits = z.strictObject({
  cpu: oneOrList(z.number().min(0.01).max(1_024)).optional()
    .describe("Cores that the target may use, such as 0.5; a list makes a factor"),
  memory: oneOrList(memorySize).optional()
    .describe(
      "Memory that the target may use, such as 512MB; the kernel kills a target that uses more; a list makes a factor",
    ),
}).refine(({ cpu, memory }) => cpu !== undefined || memory !== undefined, {
  error: "Cannot use empty limits: write cpu: 0.5, memory: 512MB or both",
}).optional().describe(
  "Limits of the process and all its children, set with control groups (Linux; the user must be allowed to create them)",
);

export type WrittenLimits = z.output<typeof limits>;

/** Limits with a single value each. */
export interface TargetLimits {
  readonly cpu?: number;
  readonly memory?: string;
}

const V8_FLAG = String.raw`--[a-zA-Z0-9][\w-]*(?:=\S+)?`;
const v8Flags = z.string().regex(new RegExp(`^(?:default|${V8_FLAG}(?: ${V8_FLAG})*)$`), {
  error: ({ input }) =>
    `Cannot use ${quotedOpenly(input)} as V8 flags: write flags with a space between them, ` +
    `such as "--no-opt --no-maglev", or default for none`,
});

const v8 = z.strictObject({
  flags: oneOrList(v8Flags).optional().describe(
    "Flags of V8 for the target, such as --no-opt or --jitless, or default for none; a list makes a factor",
  ),
  gc: oneOrList(v8Flags).optional().describe(
    "Flags of V8's garbage collector for the target, such as --max-semi-space-size=64; a list makes a factor of its own",
  ),
}).refine(({ flags, gc }) => flags !== undefined || gc !== undefined, {
  error:
    "Cannot leave out both flags and gc: write flags: --no-opt, gc: --max-semi-space-size=64 or both",
}).optional().describe(
  "How V8 compiles code and collects garbage, in Node and Deno: each flag becomes an argument of the runtime or, " +
    "for a program such as npm, a part of NODE_OPTIONS",
);

export type WrittenV8 = z.output<typeof v8>;

/** V8 options with a single value each; `default` stands for no flag. */
export interface V8Options {
  readonly flags?: string;
  readonly gc?: string;
}

const variable = z.union([z.string(), z.number(), z.boolean()]);

const env = z.record(z.string().regex(/^[^=\0]+$/), oneOrList(variable)).default({});

/** The keys of a written target, with a single value wherever a list would make a factor. */
type OneOfEach<Written> = Omit<Written, "limits" | "v8" | "env" | "runtime"> & {
  readonly limits?: TargetLimits;
  readonly v8?: V8Options;
};

const appTarget = z.strictObject({
  app: z.enum(appNames).describe("A built-in target; plateau list apps shows them"),
  set,
  limits,
  v8,
  ...stageCommands,
}).superRefine(({ app, set }, context) => checkSettings(appSettings[app], set, context))
  .overwrite(withFlatSettings);

const frameworkTarget = z.strictObject({
  framework: z.enum(frameworkNames).describe(
    "A server of the frameworks study, installed by plateau setup frameworks; plateau list frameworks shows them",
  ),
  set,
  runtime: oneOrList(z.enum(runtimeNames)).optional().describe(
    "Runtime of a Node framework: node from PATH, or a runtime that plateau setup frameworks installs; a list makes a factor",
  ),
  env: env.describe(
    "Environment variables, added to NODE_ENV=production and GIN_MODE=release; a list makes a factor",
  ),
  limits,
  v8,
  ...stageCommands,
}).superRefine(({ framework, runtime, set, v8 }, context) => {
  checkSettings(frameworkSettings(framework), set, context);
  if (runtime !== undefined && !runsOnNode(framework)) {
    const message = `Cannot choose a runtime for ${framework}: it does not run on Node`;
    context.addIssue({ code: "custom", path: ["runtime"], message });
  }
  if (v8 === undefined) return;
  const other = !runsOnNode(framework)
    ? `${framework}, whose runtime has another engine`
    : valuesOf(runtime ?? []).every(isV8)
    ? null
    : "bun@1, which has another engine";
  if (other === null) return;
  const message = `Cannot give V8 flags to ${other}`;
  context.addIssue({ code: "custom", path: ["v8"], message });
})
  .overwrite(withFlatSettings);

const commandTarget = z.strictObject({
  command: command.describe(
    "Program and arguments; in an argument {port} becomes a free port and {host} the address to listen on, " +
      "127.0.0.1 unless run --host says otherwise (IPv6 without brackets)",
  ),
  cwd: z.string().default(".").describe(
    "Working directory of the program, relative to the experiment file",
  ),
  env: env.describe(
    "Environment variables, added to PATH, HOME, LANG, TMPDIR, PORT and REDIS_URL; a list makes a factor; " +
      "{port} becomes a free port; if PORT is a number here, the program gets that port instead; " +
      "{host} becomes the address to listen on",
  ),
  inherit: z.array(z.string().regex(/^[^=\0]+$/)).default([]).describe(
    "Further variables that the program gets from Plateau's own environment, such as [DATABASE_URL]; it is an error if one of these variables is not set there",
  ),
  ready: z.string().regex(
    /^(?:grpc|\/[\x21-\x7e]*)$/,
    "Cannot use this as a path: start with /, and encode spaces and non-ASCII characters; for a gRPC server, write grpc",
  ).default("/").describe(
    "Path that responds with a status below 500 once the program is ready; grpc: the program is ready once it responds to a gRPC call",
  ),
  build: steps.optional().describe(
    "Commands that build the program in cwd, such as [[npm, ci]], with which plateau ab builds each commit; " +
      "a step may be { command: [npm, ci], timeout: 10m, env: {} }",
  ),
  port: z.int().min(1).max(65_535).optional().describe(
    "Port of a program that can listen on no other port, such as 3000; runs of such targets are made one after another",
  ),
  limits,
  v8,
  ...stageCommands,
}).superRefine(({ env, port }, context) => {
  if (port !== undefined && env.PORT !== undefined) {
    const message = "Cannot have both port and PORT in env: leave one out";
    context.addIssue({ code: "custom", path: ["port"], message });
  }
  for (const { path, port } of fixedPorts(env.PORT ?? [])) {
    if (port >= 1 && port <= 65_535) continue;
    const fix = "write a port from 1 to 65535, or {port} for a free one";
    const message = `Cannot use ${port} as a port: ${fix}`;
    context.addIssue({ code: "custom", path: ["env", "PORT", ...path], message });
  }
});

type Variable = z.output<typeof variable>;

/** Ports that are plain numbers; other text, such as `{port}`, is filled in when the program starts. */
function fixedPorts(written: Variable | Variable[]): { path: number[]; port: number }[] {
  return valuesOf(written).flatMap((value, at) =>
    /^\d+$/.test(String(value))
      ? [{ path: Array.isArray(written) ? [at] : [], port: Number(value) }]
      : []
  );
}

const NO_ORIGIN =
  "Cannot use this as a server: write http://host:port or https://host:port, and put the path into a scenario";

const urlTarget = (files: Files) =>
  z.strictObject({
    url: z.url({ protocol: /^https?$/, error: NO_ORIGIN, abort: true })
      .refine(isOrigin, NO_ORIGIN)
      .describe("A server that already runs: http://host:port or https://host:port"),
    insecure: z.boolean().default(false).describe("Takes any certificate"),
    cacert: contentOf((path) => new Certificates(path, files.certificates(path))).optional()
      .describe(
        "Certificates (PEM) of authorities to trust besides the usual ones: " +
          "a file, relative to the experiment file",
      ),
    cert: contentOf((path) => new Certificates(path, files.certificates(path))).optional()
      .describe(
        "Certificate (PEM) that the client presents: a file, relative to the experiment file; needs key",
      ),
    key: contentOf((path) => new PrivateKey(path, files.privateKey(path))).optional()
      .describe("Private key (PEM) of cert: a file, relative to the experiment file"),
    resolve: resolved.optional().describe(
      "Address to connect to, so that the URL's host is not looked up: host:port:address, with the host and port of the URL",
    ),
    httpProxy: proxyUrl.optional().describe(
      "HTTP proxy through which the server is reached: http://host:port, or http://user:password@host:port",
    ),
    unix: contentOf((path) => socketAt(path, files), "dial").optional()
      .describe(
        "Unix socket to dial instead of the URL's host: a path, relative to the experiment file",
      ),
    ...stageCommands,
  }).superRefine((given, context) => {
    for (const { key, message, fix } of accessConflicts(given)) {
      context.addIssue({ code: "custom", path: [key], message: `${message}; ${fix}` });
    }
    const { cert, key } = given;
    if (!(cert instanceof Certificates && key instanceof PrivateKey)) return;
    const message = pairProblem(cert.pem, key.pem);
    if (message !== null) context.addIssue({ code: "custom", path: ["key"], message });
  }, ALWAYS);

function socketAt(path: string, files: Files): string {
  files.checkSocket(path);
  return path;
}

/** @param files Reads the files that targets name. */
export const targetSpecWith = (files: Files) =>
  z.union([
    appTarget,
    frameworkTarget,
    commandTarget,
    urlTarget(files),
    proxyTarget,
    clusterTarget,
    nginxTarget,
  ], {
    error: "Cannot tell what kind of target this is: " +
      "write one of the keys app, framework, command, url, proxy, cluster and nginx",
  });

export const targetSpec = targetSpecWith(NO_FILES);

/** A target as written, where lists make factors. */
export type WrittenTarget = z.output<typeof targetSpec>;

export type AppTarget = OneOfEach<z.output<typeof appTarget>>;
export type FrameworkTarget = WithEnv<OneOfEach<z.output<typeof frameworkTarget>>> & {
  readonly runtime?: RuntimeName;
};
export type WrittenFramework = z.output<typeof frameworkTarget>;
export type CommandTarget = WithEnv<OneOfEach<z.output<typeof commandTarget>>>;
type WithEnv<Lines> = Lines & { readonly env: Readonly<Record<string, string>> };

/** The port on which the target listens in every run; null: a free port. */
export function fixedPortOf({ port, env }: Pick<CommandTarget, "port" | "env">): number | null {
  return port ?? (/^\d+$/.test(env.PORT ?? "") ? Number(env.PORT) : null);
}

export type UrlTarget = z.output<ReturnType<typeof urlTarget>>;

/** A target as it is started, with a single value for each key. */
export type TargetSpec =
  | AppTarget
  | FrameworkTarget
  | CommandTarget
  | UrlTarget
  | ProxyTarget
  | ClusterTarget
  | NginxTarget;

function isOrigin(text: string): boolean {
  const { origin, href } = new URL(text);
  return href === `${origin}/`;
}
