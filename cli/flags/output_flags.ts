/** The output formats of results. Each can be written to a file or to standard output. */
import { statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import * as z from "zod";
import { messageOf, type Problem, TargetError } from "../../base/errors.ts";
import { basicAuthorization } from "../../base/net/endpoint.ts";
import { credentialsIn, hostIn, unescaped } from "../../base/secret_fields.ts";
import { quotedOpenly, secrets } from "../../base/secrets.ts";
import { isStream, openStream, replaceFile } from "../../base/whole_file.ts";
import type { OutputFormat, Written } from "../../report/writing/written.ts";
import { headerName, headerValue } from "../../scenarios/request/request.ts";
import type { CommandParts, ParsedValues, RawArguments } from "../command_line/command.ts";
import { variable } from "../terminal/process.ts";
import { print } from "../terminal/terminal.ts";
import { formFile, isFolder, missingFolder } from "./values.ts";

const formFlags = {
  json: {
    flags: "--json <FILE>",
    about: "Full results as JSON; - is standard output",
    schema: formFile.optional(),
  },
  csv: { flags: "--csv <FILE>", about: "One CSV row per run", schema: formFile.optional() },
  csvIntervals: {
    flags: "--csv-intervals <FILE>",
    about: "One CSV row per interval of each run: the timelines",
    schema: formFile.optional(),
  },
  markdown: {
    flags: "--markdown <FILE>",
    about: "Summary as a Markdown table, for a pull request",
    schema: formFile.optional(),
  },
  junit: {
    flags: "--junit <FILE>",
    about: "Checks and thresholds as JUnit XML, for CI",
    schema: formFile.optional(),
  },
  hlog: {
    flags: "--hlog <FILE>",
    about: "Latencies of every interval, as an HdrHistogram log",
    schema: formFile.optional(),
  },
  html: { flags: "--html <FILE>", about: "The report page", schema: formFile.optional() },
} satisfies CommandParts;

/** The OpenTelemetry collector to which metrics are sent. */
export interface Collector {
  /** URL that metrics are sent to, without user and password. */
  readonly url: URL;
  readonly headers: readonly (readonly [name: string, value: string])[];
}

/**
 * Parses a collector's base URL and appends the path for metrics. Additional header fields come from the environment.
 */
const collector = z.string().transform((text, context): Collector => {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || !text.includes("://")) {
    context.addIssue(
      `Cannot send metrics to ${quotedOpenly(hostIn(text))}: write http://host:port`,
    );
    return z.NEVER;
  }
  const headers = [...userOf(url), ...otlpHeaders(context)];
  url.username = url.password = url.hash = "";
  if (!url.pathname.endsWith(METRICS_PATH)) {
    url.pathname = url.pathname.replace(/\/+$/, "") + METRICS_PATH;
  }
  return { url, headers };
});

/** The header field with the URL's credentials; none if the URL has no user or password. */
function userOf({ username, password }: URL): Collector["headers"] {
  if (username === "" && password === "") return [];
  const value = basicAuthorization(unescaped(`${username}:${password}`));
  for (const secret of credentialsIn("authorization", value)) secrets.keep(secret);
  return [["authorization", value]];
}

const METRICS_PATH = "/v1/metrics";
const OTLP_HEADERS = "OTEL_EXPORTER_OTLP_HEADERS";
const OWN_HEADERS = /^(?:host|connection|content-type)$/;

/**
 * Parses `name=value,name=value` with percent-encoded values (opentelemetry-specification, protocol/exporter). Every
 * value is treated as a secret.
 */
function otlpHeaders(context: z.core.$RefinementCtx): Collector["headers"] {
  const pairs = (variable(OTLP_HEADERS) ?? "").split(",").filter((pair) => pair.trim() !== "");
  return pairs.flatMap((pair) => {
    const [name, ...rest] = pair.split("=");
    const value = unescaped(rest.join("=").trim());
    for (const secret of [value, ...credentialsIn(name, value)]) secrets.keep(secret);
    const field = header.safeParse([name.trim().toLowerCase(), value]);
    if (rest.length > 0 && field.success && !OWN_HEADERS.test(field.data[0])) return [field.data];
    context.addIssue(`Cannot use ${OTLP_HEADERS}: write header fields as name=value,name=value`);
    return [];
  });
}

const header = z.tuple([headerName, headerValue]);

export const outputFlags = {
  ...formFlags,
  otlp: {
    flags: "--otlp <URL>",
    about: "Sends the figures as metrics to an OpenTelemetry collector, by OTLP/HTTP in JSON; " +
      `header fields from ${OTLP_HEADERS}`,
    schema: collector.optional(),
  },
} satisfies CommandParts;

type Form = keyof typeof formFlags;
const FORMS = Object.keys(formFlags) as Form[];

export type Outputs = ParsedValues<typeof outputFlags>;

interface PlaceOf extends Record<Form, OutputFormat> {
  json: "json";
  csv: "csv";
  csvIntervals: "csv";
  markdown: "markdown";
  junit: "xml";
  hlog: "hlog";
  html: "html";
}

/** The function that makes the output, for each format. It is called only if the flag of that format was given. */
export type Renderers<Formats extends Form = Form> = {
  readonly [F in Formats]: () => Written<PlaceOf[F]> | Promise<Written<PlaceOf[F]>>;
};

/** Sends metrics, until the signal aborts. Throws a TargetError if the collector did not accept all of them. */
export type MetricsSender = (to: Collector, signal?: AbortSignal) => Promise<void>;

/**
 * A file that a command reads or writes apart from its output flags. `by` is what the user knows it by: `--log`, `the
 * report`.
 */
export interface TakenFile {
  readonly path: string;
  readonly by: string;
  /** The output format with the same content as this file. Output in that format may replace the file. */
  readonly form?: Form;
}

/**
 * Problems of output files. Two outputs must not go to the same file or both to standard output. The folder of a file
 * must exist, unless it is `made`, the folder of `--out`, which the command creates.
 */
export function outputConflicts(
  given: RawArguments,
  taken: readonly TakenFile[] = [],
  made: unknown = undefined,
): Problem[] {
  const named = FORMS.flatMap((form) => {
    const path = given[form];
    return typeof path === "string" ? [{ path, by: longName(form), form }] : [];
  });
  return named.flatMap(({ path, by: place, form }, at) => {
    const others = [...taken.filter((other) => other.form !== form), ...named.slice(0, at)];
    const other = others.find((other) => isSameFile(other.path, path));
    if (other !== undefined) return [takenTwice({ path, place }, other.by)];
    const isMade = typeof made === "string" && resolve(dirname(path)) === resolve(made);
    return isMade ? [] : missingFolder(path).map((message) => ({ place, message }));
  });
}

function takenTwice({ path, place }: { path: string; place: string }, by: string): Problem {
  const message = path === "-"
    ? `Cannot write to standard output: ${by} already writes there`
    : `Cannot write ${path}: it is also the file of ${by}`;
  return { place, message, fix: path === "-" ? "name a file" : "name another file" };
}

/**
 * Whether two paths are the same file, perhaps through a link. False for devices and pipes, because they may receive
 * several outputs. Files that can't be inspected are compared by path.
 */
function isSameFile(one: string, other: string): boolean {
  if (one === "-" || other === "-") return one === other;
  const isSamePath = resolve(one) === resolve(other);
  try {
    if (isStream(one)) return false;
    return isSamePath || inodeOf(one) !== null && inodeOf(one) === inodeOf(other);
  } catch {
    return isSamePath;
  }
}

function inodeOf(path: string): string | null {
  const { dev, ino } = statSync(path, { throwIfNoEntry: false }) ?? {};
  return ino ? `${dev}:${ino}` : null;
}

/** The files with results that a command reads. @param paths Files, or folders with results. */
export function resultsRead(paths: readonly unknown[], form?: Form): TakenFile[] {
  return paths.filter((path) => typeof path === "string").flatMap((path) =>
    isFolder(path) ? resultsIn(path, form) : [{ path, by: "the results", form }]
  );
}

/** @param folder The value of `--out`, if it was given. */
export function resultsIn(folder: unknown, form?: Form): TakenFile[] {
  if (typeof folder !== "string") return [];
  return [{ path: join(folder, "results.json"), by: "the results", form }];
}

/**
 * Problems of the output files of a command that also writes results and a page into a folder.
 * @param form The output format with the same content as the results.
 */
export function folderConflicts(given: RawArguments, page: string, form?: Form): Problem[] {
  const folder = given.out ?? given.resume;
  return outputConflicts(given, [...resultsIn(folder, form), ...pageIn(folder, page)], given.out);
}

export function pageIn(folder: unknown, name = "report.html"): TakenFile[] {
  if (typeof folder !== "string") return [];
  return [{ path: join(folder, name), by: "the page", form: "html" }];
}

/** Such as `--csv-intervals` for `csvIntervals`. */
export function longName(form: string): string {
  return `--${form.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** Whether any of the output formats goes to standard output. */
export function takesStdout(outputs: Partial<Outputs>): boolean {
  return FORMS.some((form) => outputs[form] === "-");
}

/** Whether the terminal shows the summary together with errors, so that neither needs to repeat the other. */
export function isSummaryShown(outputs: Partial<Outputs>): boolean {
  return !takesStdout(outputs) && Deno.stdout.isTerminal();
}

/** `page`: path of the page that some commands always write. `signal`: stops the sending of metrics. */
interface Writing {
  readonly page?: string;
  readonly signal?: AbortSignal;
}

/**
 * Writes all requested outputs and sends metrics. Continues after a failure, and throws a TargetError with all failures
 * at the end.
 * @param renderers A renderer for every format that the command has a flag for.
 */
export async function writeOutputs(
  outputs: Partial<Outputs>,
  renderers: Partial<Renderers> & { readonly otlp?: MetricsSender },
  { page, signal }: Writing = {},
): Promise<void> {
  const wanted = FORMS.map((form) => [outputs[form], renderers[form]] as const);
  const failed: string[] = [];
  const attempt = async (deliver: () => Promise<void>): Promise<void> => {
    try {
      await deliver();
    } catch (error) {
      if (!(error instanceof TargetError)) throw error;
      failed.push(error.message);
    }
  };
  if (page !== undefined && renderers.html !== undefined) {
    const { html } = renderers;
    await attempt(async () => await writeOwnFile(page, await html()));
  }
  for (const [path, render] of wanted) {
    if (path === undefined || render === undefined) continue;
    await attempt(async () =>
      path === "-" ? await print(await render()) : await writeFile(path, await render())
    );
  }
  const { otlp } = outputs;
  if (otlp !== undefined) await attempt(async () => await renderers.otlp?.(otlp, signal));
  if (failed.length > 0) throw new TargetError(failed[0], failed.slice(1));
}

/** Throws a TargetError if the text can't be written to the disk or the pipe. */
export async function writeFile(path: string, text: string): Promise<void> {
  try {
    const shown = secrets.form(text);
    if (isStream(path)) await appendTo(path, shown);
    else await replaceFile(path, shown);
  } catch (error) {
    throw new TargetError(`Cannot write ${path}: ${messageOf(error)}`);
  }
}

/**
 * Like `writeFile`, but for a file with a fixed name in the results folder. It replaces whatever is at the path instead
 * of opening it: if a target has put a named pipe there, opening that would wait for a reader.
 */
export async function writeOwnFile(path: string, text: string): Promise<void> {
  try {
    await replaceFile(path, secrets.form(text));
  } catch (error) {
    throw new TargetError(`Cannot write ${path}: ${messageOf(error)}`);
  }
}

async function appendTo(path: string, text: string): Promise<void> {
  using stream = await openStream(path);
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length;) at += await stream.write(bytes.subarray(at));
}
