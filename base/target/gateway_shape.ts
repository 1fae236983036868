/**
 * The keys of a target that stands in front of other targets: a caching proxy, a balancer with several instances, or
 * the real nginx. Pure.
 */
import * as z from "zod";
import { between, ratePerSec } from "../quantity.ts";
import { oneOrList, valuesOf, type WithOneValueFor } from "./settings.ts";
import { type StageCommands, stageCommands } from "./steps.ts";
import { quotedOpenly } from "../secrets.ts";

/** A path of segments that RFC 3986 allows, except `.` and `..`. */
const FILE_PATH = /^\/(?:(?!\.{1,2}(?:\/|$))[\w.~!$&'()*+,;=:@-]{1,200}(?:\/|$))*$/;

const filePath = z.string().regex(FILE_PATH, {
  error: ({ input }) =>
    `Cannot serve a file at ${
      quotedOpenly(input)
    }: write a path, such as /page.html, or / for the index`,
});

/** Files whose text is in the experiment, by path. No two paths may exclude each other (see `collide`). */
const writtenFiles = z.record(filePath, z.string()).superRefine((texts, context) => {
  const paths = Object.keys(texts);
  if (paths.length === 0) {
    context.addIssue({
      code: "custom",
      message: "Cannot serve an empty list of files: name a file",
    });
  }
  for (const [at, path] of paths.entries()) {
    const colliding = paths.find((other, place) =>
      place !== at && collide(other, path, place < at)
    );
    if (colliding === undefined) continue;
    const message =
      `Cannot serve both ${path} and ${colliding}: they would be the same file, or a file and a folder of one name`;
    context.addIssue({ code: "custom", path: [path], message });
  }
});

/**
 * Whether the first path excludes the second, for one of two reasons: both mean the same file, and the first path is
 * written before the second (`isBefore`); or the first is a file where the second needs a folder.
 */
function collide(first: string, second: string, isBefore: boolean): boolean {
  const [one, other] = [fileOf(first), fileOf(second)];
  return one === other ? isBefore : other.startsWith(`${one}/`);
}

/** The file that nginx serves for a path, relative to its folder: an index if the path ends in a slash. */
export function fileOf(path: string): string {
  return path.slice(1) + (path.endsWith("/") ? "index.html" : "");
}

/** Where the proxy stores responses. */
export const storeNames = ["memory", "redis"] as const;
export type StoreName = (typeof storeNames)[number];

/** How a balancer picks the instance for the next request. */
export const policyNames = ["round-robin", "least-connections", "random-two"] as const;
export type PolicyName = (typeof policyNames)[number];

/**
 * The server behind a gateway, as the file writes it: the name of another target, or a URL.
 * @param protocols Allowed in URLs, such as `http:`.
 */
function originOf(protocols: readonly string[]): z.ZodString {
  const urls = protocols.map((protocol) => `${protocol}//host:port`).join(" or ");
  return z.string().min(1).refine(
    (text) => !isUrl(text) || isOrigin(text, protocols),
    `Cannot use this as an origin: write the name of another target, or ${urls} without a path`,
  );
}

const originName = originOf(["http:", "https:"]);

/** An origin for gateways that dial only plain http. */
const plainOriginName = originOf(["http:"]);

/** Whether the text is a URL: names of targets have no colon. */
export function isUrl(text: string): boolean {
  return text.includes("://");
}

function isOrigin(text: string, protocols: readonly string[]): boolean {
  const url = URL.parse(text);
  return url !== null && protocols.includes(url.protocol) && url.href === `${url.origin}/`;
}

const LARGEST_BODY_BYTES = 8 * 1_024 * 1_024;

const NOT_A_PATH =
  "Cannot use this as a path: start with /, and encode spaces and non-ASCII characters";

const cachedPath = z.string().regex(/^\/[\x21-\x7e]*$/, NOT_A_PATH);

export const proxyTarget = z.strictObject({
  proxy: z.strictObject({
    origin: originName
      .describe(
        "The origin behind the cache: the name of another target, or http://host:port or https://host:port",
      ),
    store: oneOrList(z.enum(storeNames)).default("memory").describe("Where responses are stored"),
    ttl: oneOrList(between("1ms", "24h")).prefault("60s").describe(
      "How long a stored response is fresh, unless the origin gives a shorter time",
    ),
    stale: oneOrList(between("0s", "24h")).prefault("0s").describe(
      "How long a stored response is still served after its ttl, while one request fetches a fresh response",
    ),
    paths: z.array(cachedPath)
      .min(1).default(["/"])
      .describe("Only responses for these paths, and for paths below them, are stored"),
    singleFlight: oneOrList(z.boolean()).default(true).describe(
      "Whether requests for a path that is already being fetched wait for that response instead of going to the origin as well",
    ),
    maxBodyBytes: oneOrList(z.int().min(0).max(64 * LARGEST_BODY_BYTES)).default(LARGEST_BODY_BYTES)
      .describe("Size of the largest body that is stored, in bytes; larger bodies pass through"),
    invalidate: z.record(cachedPath, z.array(cachedPath)).optional().describe(
      "Further paths whose stored responses are removed after a successful write, such as a POST, " +
        "by the path of the write: { /edit: [/home] }; " +
        "responses stored for the write's own path and for its Location are always removed",
    ),
  }).describe("A cache in front of another server"),
  ...stageCommands,
});

/** The keys of a proxy as the file writes them. A list of values for one key makes a factor. */
export type WrittenProxy = z.output<typeof proxyTarget>;

export interface ProxyTarget extends StageCommands {
  readonly proxy: WithOneValueFor<
    WrittenProxy["proxy"],
    "store" | "ttl" | "stale" | "singleFlight" | "maxBodyBytes"
  >;
}

const instances = z.int().min(1).max(64);

export const clusterTarget = z.strictObject({
  cluster: z.strictObject({
    of: z.string().min(1).describe("Name of the target that is started several times"),
    instances: oneOrList(instances).default(2).describe("Number of instances"),
    balancer: oneOrList(z.enum(["builtin", "nginx", "reuseport"])).default("builtin").describe(
      "builtin: Plateau's own balancer; nginx: the real nginx, from PATH; " +
        "reuseport: no balancer, the instances of a built-in app share a port (Linux)",
    ),
    policy: oneOrList(z.enum(policyNames)).optional()
      .describe("How the instance for the next request is chosen (round-robin when absent)"),
    workers: oneOrList(z.union([z.literal("auto"), z.int().min(1).max(256)])).optional()
      .describe("Worker processes of nginx (auto, one for each core, when absent)"),
    add: z.strictObject({
      at: between("0s", "24h").describe(
        "When these instances start (with ahead: when they join), counted from the start of the load",
      ),
      instances: instances.default(1).describe("Number of instances"),
      ahead: z.boolean().optional().describe(
        "Whether these instances are started together with the others and wait, unused, until they join, " +
          "so that their start-up takes no CPU time during the load; only with balancer: builtin",
      ),
      warmUp: z.strictObject({
        duration: between("1ms", "1h")
          .describe("How long each instance is warmed up before it joins"),
        rate: ratePerSec.prefault("100/s").describe(
          "Rate of the requests that the instance gets during the warm-up",
        ),
        path: z.string().regex(/^\/[\x21-\x7e]*$/, NOT_A_PATH)
          .optional().describe(
            "Path of the warm-up requests (that of the ready check when absent)",
          ),
      }).optional().describe(
        "Reduced load on an instance before it joins; only with balancer: builtin",
      ),
    }).optional().describe("Instances that join while the load runs"),
    slowStart: oneOrList(between("0s", "1h")).optional().describe(
      "How long a joining instance takes to get as many requests as each of the others; it begins with a tenth of " +
        "that; only with balancer: builtin",
    ),
  }).superRefine(({ balancer, policy, workers, add, slowStart }, context) => {
    const isBuiltin = valuesOf(balancer).every((each) => each === "builtin");
    if (slowStart !== undefined && !isBuiltin) {
      const message =
        "Cannot use slowStart here: nginx has it only in its commercial edition, and " +
        "with reuseport the kernel chooses the instance; leave slowStart out, or use balancer: builtin";
      context.addIssue({ code: "custom", path: ["slowStart"], message });
    }
    if (add?.warmUp !== undefined && !isBuiltin) {
      const message =
        "Cannot warm up an instance before it joins: with this balancer it gets requests as soon as it listens; " +
        "leave warmUp out, or use balancer: builtin";
      context.addIssue({ code: "custom", path: ["add", "warmUp"], message });
    }
    if (add?.ahead === true && !isBuiltin) {
      const message =
        "Cannot start an instance ahead: with this balancer it gets requests as soon as it listens; " +
        "leave ahead out, or use balancer: builtin";
      context.addIssue({ code: "custom", path: ["add", "ahead"], message });
    }
    if (slowStart !== undefined && add === undefined) {
      const message =
        "Cannot use slowStart when no instance joins: leave slowStart out, or write add: { at: 3s }";
      context.addIssue({ code: "custom", path: ["slowStart"], message });
    }
    if (policy !== undefined && valuesOf(balancer).includes("reuseport")) {
      const message =
        "Cannot use policy with reuseport, where the kernel chooses the instance for each request: " +
        "leave policy out, or use balancer: builtin or nginx";
      context.addIssue({ code: "custom", path: ["policy"], message });
    }
    if (workers !== undefined && valuesOf(balancer).some((each) => each !== "nginx")) {
      const message = "Cannot set workers without nginx: leave workers out, or use balancer: nginx";
      context.addIssue({ code: "custom", path: ["workers"], message });
    }
  }).describe("Several instances of another target"),
  ...stageCommands,
});

/** The keys of a cluster as the file writes them. A list of values for one key makes a factor. */
export type WrittenCluster = z.output<typeof clusterTarget>;

export interface ClusterTarget extends StageCommands {
  readonly cluster: WithOneValueFor<
    WrittenCluster["cluster"],
    "instances" | "balancer" | "policy" | "workers" | "slowStart"
  >;
}

const workers = z.union([z.literal("auto"), z.int().min(1).max(256)], {
  error: "Cannot use this as nginx's workers: write auto or a number from 1 to 256",
}).default("auto").describe("Worker processes of nginx; auto: one for each core");

export const nginxTarget = z.strictObject({
  nginx: z.strictObject({
    root: z.string().min(1).optional()
      .describe("Folder of the files that nginx serves, relative to the experiment file"),
    files: writtenFiles.optional()
      .describe(
        "Texts of files that nginx serves, by path; a file's extension determines its content type",
      ),
    proxy: plainOriginName.optional()
      .describe("The server behind nginx: the name of another target, or http://host:port"),
    timeout: between("1ms", "1h").optional().describe(
      "With proxy: nginx sends status 504 if the server's response does not begin within this time, and cuts the response off if it pauses for longer (no time-out when absent)",
    ),
    workers,
  }).superRefine(({ root, files, proxy, timeout }, context) => {
    if (timeout !== undefined && proxy === undefined) {
      const message =
        "Cannot use timeout without a server behind nginx: leave timeout out, or write proxy: TARGET";
      context.addIssue({ code: "custom", message, path: ["timeout"] });
    }
    const given = Object.entries({ root, files, proxy })
      .flatMap(([key, value]) => value === undefined ? [] : [key]);
    if (given.length === 1) return;
    const message = given.length === 0
      ? "Cannot run nginx with nothing to serve: write root: FOLDER, files: { /path: text } or proxy: TARGET"
      : `Cannot serve both ${given.slice(0, 2).join(" and ")}: leave one out`;
    context.addIssue({ code: "custom", message, path: given.slice(1, 2) });
  }).describe("The real nginx, from PATH"),
  ...stageCommands,
});

export type NginxTarget = z.output<typeof nginxTarget>;
