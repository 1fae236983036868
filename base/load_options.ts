/**
 * The table of options that a load passes to the engine unchanged. To add an option, add it here and where the engine
 * applies it; everything else is derived from this table: keys of the experiment file, flags of `bench`, `capacity` and
 * `versus`, the options of other tools that `--like` understands, the job of a fleet's agent, the load in results, and
 * its description in reports.
 *
 * `workers` is not in the table, because it is not a property of the load: the number also depends on `pin`, the agents
 * of a fleet and the machine's cores, and results record it in `generator`. As an option, it would make two results
 * with equal loads differ. `connections`, `duration` and the like are not in the table, either, because they depend on
 * the kind of load.
 */
import * as z from "zod";
import type { Problem } from "./errors.ts";
import { LIMITS, sizeText } from "./limits.ts";
import {
  between,
  bytes,
  durationText,
  integerText,
  msBetween,
  ratePerSec,
  rateText,
} from "./quantity.ts";
import { quotedOpenly } from "./secrets.ts";

/**
 * The problem with a load that should resume TLS sessions, but has no TLS.
 * @param secure The scheme with TLS.
 */
export function noTlsToResume(secure = "https"): Omit<Problem, "place"> {
  return {
    message: `Cannot resume TLS sessions without TLS: the URL is not ${secure}`,
    fix: `leave out tls, or write ${secure}:// in the URL`,
  };
}

/** Schema of a setting that may be a factor of the experiment: one value, or a list of values. */
export function factor<Value, Text>(
  value: z.ZodType<Value, Text>,
): z.ZodType<Value[], Text | Text[]> {
  return z.union([value, z.array(value).min(1).max(LIMITS.factorValues.most)]).transform((given) =>
    Array.isArray(given) ? given : [given]
  );
}

/** Keys of an experiment file that conflict with some options. */
export type Rival = "keepAlive" | "pipeline";

interface LoadOption {
  /** Schema of the option's key in an experiment file. */
  readonly key: z.ZodType;
  readonly flag: {
    readonly flags: string;
    readonly about: string;
    readonly schema: z.ZodType;
    readonly preset?: string;
    readonly repeatable?: true;
  };
  /** The option's names in other tools, without hyphens and separated by spaces. */
  readonly peers?: Readonly<Partial<Record<Peer, string>>>;
  /**
   * Schema in results and in the job of an agent. If it is optional, the field is absent from loads without the option;
   * if not, every load has a value.
   */
  readonly result: z.ZodType;
  /** Why the option can't be combined with another setting, keyed by that setting. */
  readonly conflicts: Readonly<Partial<Record<Rival, string>>>;
  /** Formats a value as people write it. Default: the value is written unchanged. */
  written?(value: unknown): string;
  /**
   * Words for the option in the description of a load; null for none. Absent if the code that describes a load words
   * the option itself.
   */
  text?(value: unknown): string | null;
}

/** A tool whose command line `--like` understands. */
export type Peer = "ab" | "autocannon" | "curl" | "hey" | "oha" | "wrk" | "wrk2";

const MOST_RULES = 100;
const perConnection = z.int().min(1).max(LIMITS.requests.most);
const dialsPerSec = ratePerSec.refine((perSec) => perSec <= LIMITS.ratePerSec.most, {
  error: `Cannot use this rate: the maximum is ${LIMITS.ratePerSec.most}/s`,
});

/** Range of a time-out, up to the longest time that histograms can hold. */
const TIMEOUTS = ["1ms", "1h"] as const;
const timeout = between(...TIMEOUTS);

/** Refuses a bare number, because `-t` means threads in wrk, but seconds in hey and oha. */
const timeoutText = z.string().superRefine((text, context) => {
  if (!/^\d+$/.test(text)) return;
  context.addIssue(
    `Cannot read ${
      quotedOpenly(text)
    } as a time-out: write ${text}s for seconds, or --workers ${text} ` +
      "for threads, which -t means in wrk",
  );
}).pipe(timeout);

export const LOAD_OPTIONS = {
  timeout: {
    key: factor(timeout).prefault("5s").describe(
      "Timeout of a request, until the last byte of its response",
    ),
    flag: {
      flags: "-t, --timeout <D>",
      about: "Timeout of a request, until the last byte of its response",
      preset: "5s",
      schema: timeoutText,
    },
    peers: {
      ab: "s",
      autocannon: "t timeout",
      curl: "m max-time",
      oha: "t",
      wrk: "timeout T",
    },
    result: msBetween(...TIMEOUTS),
    conflicts: {},
    written: durationText,
  },
  keepAlive: {
    key: factor(z.boolean()).default([true]).describe(
      "Whether connections stay open; false: a new connection for every request",
    ),
    flag: {
      flags: "--no-keepalive",
      about: "Opens a new connection for every request",
      schema: z.boolean().default(true),
    },
    peers: { hey: "disable-keepalive", oha: "disable-keepalive" },
    result: z.boolean(),
    conflicts: {},
    text: (keeps: boolean): string | null => keeps ? null : "a new connection for every request",
  },
  http2: {
    key: factor(z.boolean()).optional().describe(
      "true: HTTP/2, with prior knowledge for http and by ALPN for https; pipeline is then the number of concurrent streams per connection",
    ),
    flag: {
      flags: "--http2",
      about: "HTTP/2: with prior knowledge for http, by ALPN for https",
      schema: z.boolean().default(false),
    },
    peers: { curl: "http2-prior-knowledge", oha: "http2" },
    result: z.literal(true).optional().describe(
      "Whether the load was sent over HTTP/2; absent: over HTTP/1.1",
    ),
    conflicts: {
      keepAlive:
        "Cannot open a connection for every request over HTTP/2, which keeps connections open",
    },
  },
  requestsPerConnection: {
    key: factor(perConnection).optional().describe(
      "Number of requests after which a connection is replaced by a new one (over HTTP/2, once its streams have ended); no limit when absent",
    ),
    flag: {
      flags: "--requests-per-connection <N>",
      about: "Replaces each connection after N requests (default: keeps it)",
      schema: integerText(perConnection).optional(),
    },
    peers: { autocannon: "D reconnectRate" },
    result: perConnection.optional().describe(
      "Number of requests after which a connection was replaced by a new one; absent: no limit",
    ),
    conflicts: {
      keepAlive: "Cannot limit the requests of a connection that closes after each response",
      pipeline: "Cannot limit the requests of a connection that has several requests in flight",
    },
    text: (requests: number): string =>
      `a new connection after every ${requests === 1 ? "request" : `${requests} requests`}`,
  },
  connectRate: {
    key: factor(dialsPerSec).optional().describe(
      "Maximum rate of new connections, including those that replace others, such as 100/s; no limit when absent",
    ),
    flag: {
      flags: "--connect-rate <R>",
      about: "Maximum rate of new connections, such as 100/s (default: no limit)",
      schema: dialsPerSec.optional(),
    },
    result: z.number().positive().max(LIMITS.ratePerSec.most).optional().describe(
      "Maximum number of new connections per second; absent: no limit",
    ),
    conflicts: {},
    written: rateText,
    text: (perSec: number): string => `new connections limited to ${rateText(perSec)}`,
  },
  tls: {
    key: z.strictObject({
      resume: factor(z.boolean()).describe(
        "Whether a connection resumes the TLS session of the connection that it replaces",
      ),
    }).transform(({ resume }) => resume.map((resumes) => resumes && "resume" as const)).optional()
      .describe(
        "{ resume: true }: a connection resumes the TLS session of the connection that it replaces, if the server allows it; every handshake is full when absent",
      ),
    flag: {
      flags: "--tls <resume>",
      about:
        "resume: a connection resumes the TLS session of the connection that it replaces, if the server " +
        "allows it (default: every handshake is full)",
      schema: z.enum(["resume"]).optional(),
    },
    result: z.literal("resume").optional().describe(
      "resume: a connection offered the TLS session of the connection that it replaced; absent: every handshake was full",
    ),
    conflicts: {},
    written: (how: "resume" | false): string => how || "full",
    text: (): string => "TLS sessions resumed",
  },
  maxBody: {
    key: factor(bytes).optional().describe(
      "Maximum size of a response's body as transferred, such as 16kB; a response with a larger body counts as wrong; no limit when absent",
    ),
    flag: {
      flags: "--max-body <SIZE>",
      about: "Maximum size of a body, such as 16kB; a larger body is wrong (default: no limit)",
      schema: bytes.optional(),
    },
    result: z.int().min(1).optional().describe(
      "Maximum size of a response's body as transferred, in bytes; a response with a larger body counted as wrong; absent: no limit",
    ),
    conflicts: {},
    written: sizeText,
    text: (most: number): string => `bodies of at most ${sizeText(most)}`,
  },
  abortOn: {
    key: z.array(z.string()).min(1).max(MOST_RULES).transform((rules) => [rules]).optional()
      .describe(
        'Rules by which a hopeless run ends early, such as "errors > 5%" or "p99 > 5s"; it then counts as not measured',
      ),
    flag: {
      flags: "--abort-on <RULE>",
      about:
        'Rule by which a hopeless load ends early, such as "errors > 5%" or "p99 > 5s"; may be repeated',
      repeatable: true,
      schema: z.array(z.string()).default([]),
    },
    result: z.array(z.string()).min(1).optional().describe(
      "Rules by which the load was to end early",
    ),
    conflicts: {},
    text: (rules: readonly string[]): string => `ends early on ${rules.join(" or ")}`,
  },
} satisfies Record<string, LoadOption>;

type Table = typeof LOAD_OPTIONS;
type OptionName = keyof Table;

/** Options that every load has. */
type CommonName = {
  [Name in OptionName]: undefined extends z.output<Table[Name]["result"]> ? never : Name;
}[OptionName];
type FurtherName = Exclude<OptionName, CommonName>;

type Given<Name extends OptionName> = NonNullable<z.output<Table[Name]["key"]>>[number];
type Result<Name extends OptionName> = Exclude<z.output<Table[Name]["result"]>, undefined>;

/** Options as an experiment file or command line gives them, but with a single value for every factor. */
export type GivenOptions =
  & { readonly [Name in CommonName]: Given<Name> }
  & { readonly [Name in FurtherName]?: Given<Name> };

/** Options of a load as results record them. The time-out is in milliseconds. */
export type LoadOptions =
  & { readonly [Name in CommonName]: Result<Name> }
  & { readonly [Name in FurtherName]?: Result<Name> };

const NAMES = Object.keys(LOAD_OPTIONS) as OptionName[];

function isCommon(name: OptionName): name is CommonName {
  return !(LOAD_OPTIONS[name].result instanceof z.ZodOptional);
}

function column<Column extends "key" | "flag" | "result">(
  of: Column,
): { readonly [Name in OptionName]: Table[Name][Column] } {
  return Object.fromEntries(NAMES.map((name) => [name, LOAD_OPTIONS[name][of]])) as {
    readonly [Name in OptionName]: Table[Name][Column];
  };
}

/** Columns of the table, keyed by option, each to be used as the shape of a zod object. */
export const OPTION_KEYS = column("key");
export const OPTION_FLAGS = column("flag");
export const OPTION_RESULTS = column("result");

type OptionsOf<Fields> =
  & { readonly [Name in CommonName & keyof Fields]: Fields[Name] }
  & { readonly [Name in FurtherName & keyof Fields]?: Exclude<Fields[Name], undefined | false> };

/**
 * Picks the fields that are options. Options that are off (undefined, false or empty) are left out, unless every load
 * has a value for them.
 */
export function optionsOf<Fields extends { readonly [Name in OptionName]?: unknown }>(
  fields: Fields,
): OptionsOf<Fields> {
  return Object.fromEntries(
    NAMES.map((name) => [name, fields[name]] as const).filter(([name, value]) =>
      value !== undefined && (isCommon(name) || (value !== false && !isEmpty(value)))
    ),
  ) as OptionsOf<Fields>;
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

/** An option's value as people write it; null if `name` is not an option, or if its value is written unchanged. */
export function optionText(name: string, value: unknown): string | null {
  const known = NAMES.find((option) => option === name);
  const { written }: Partial<LoadOption> = known === undefined ? {} : LOAD_OPTIONS[known];
  return written?.(value) ?? null;
}

export function optionTexts(load: LoadOptions): string[] {
  return NAMES.flatMap((name) => {
    const option: LoadOption = LOAD_OPTIONS[name];
    const value = load[name];
    return value === undefined ? [] : option.text?.(value) ?? [];
  });
}

/** The options that another tool has, too, each with that tool's names and our flags. */
export function optionsOfPeer(peer: Peer): { readonly names: string; readonly flags: string }[] {
  return NAMES.flatMap((name) => {
    const { peers, flag: { flags } }: LoadOption = LOAD_OPTIONS[name];
    const names = peers?.[peer];
    return names === undefined ? [] : [{ names, flags }];
  });
}

/** Conflicts between the options of a load, which has a single value for every factor. */
export function conflictsOf(
  load: LoadOptions & { readonly pipeline?: number },
): OptionConflict[] {
  return optionConflicts((setting) => {
    if (setting === "keepAlive") return !load.keepAlive;
    if (setting === "pipeline") return load.http2 === undefined && (load.pipeline ?? 1) > 1;
    return load[setting] !== undefined;
  });
}

/** An option, and the setting that it can't be combined with. */
interface OptionConflict {
  readonly option: OptionName;
  readonly rival: Rival;
  readonly message: string;
}

/**
 * @param has Whether the load has a setting. For `keepAlive`, it tells whether keep-alive is off, and for `pipeline`,
 * whether the depth is above one over HTTP/1.1.
 */
export function optionConflicts(has: (setting: OptionName | Rival) => boolean): OptionConflict[] {
  return NAMES.filter(has).flatMap((option) => {
    const { conflicts }: LoadOption = LOAD_OPTIONS[option];
    return (Object.keys(conflicts) as Rival[]).filter(has)
      .map((rival) => ({ option, rival, message: conflicts[rival] ?? "" }));
  });
}
