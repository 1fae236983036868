/** `plateau bench URL`: measures a URL once, like wrk and oha. */
import { pairProblem } from "../../base/target/access.ts";
import { EXIT, TargetError, UserError } from "../../base/errors.ts";
import { keepSecretsOf, quotedOpenly, withoutSecrets } from "../../base/secrets.ts";
import type { Block } from "../../report/blocks.ts";
import type { GateOutcome } from "../../report/findings/threshold_sentences.ts";
import type { Grouped } from "../../report/cells/cells.ts";
import { jsonText } from "../../report/writing/json.ts";
import type { Written } from "../../report/writing/written.ts";
import { type BenchRequest, measureUrl } from "../../runner/measure/measure.ts";
import { ReachWatch, waitForServer } from "../../runner/measure/reach.ts";
import type { Measurement } from "../../runner/result/result.ts";
import type { Threshold } from "../../scenarios/claims/threshold.ts";
import { defineCommand } from "../command_line/arguments.ts";
import type { Command } from "../command_line/command.ts";
import { benchConflicts, benchParts, type BenchValues, isHttp2 } from "../flags/bench_flags.ts";
import { anySeed, checkWithoutCells, readBaseline } from "../flags/flags.ts";
import { loaderFor } from "../flags/fleet_flags.ts";
import { replayOf } from "../flags/replay_flags.ts";
import {
  isSummaryShown,
  type MetricsSender,
  type Renderers,
  takesStdout,
  writeOutputs,
} from "../flags/output_flags.ts";
import { reportToGithub } from "../github/step.ts";
import type { BenchInvocation } from "../output/formats.ts";
import { ALLOWED_HOSTS, hostname, interruptible, variable } from "../terminal/process.ts";
import { print, printError, progressView, terminalOptions } from "../terminal/terminal.ts";
import { resolve } from "node:path";
import { AS_INPUT } from "../../base/explain.ts";
import type { Files } from "../../base/files.ts";
import { findingsOf } from "../../base/problems.ts";
import { type Load, loadOf, replayLoadOf, whyTooLong } from "../../scenarios/load/load.ts";
import {
  type RequestScenario,
  requestScenario,
  requestScenarioSpec,
} from "../../scenarios/request/request_scenario.ts";
import { multipartOf } from "../../scenarios/request/form_part.ts";
import type { Replay } from "../../scenarios/replay/schedule.ts";
import { type Access, endpointOf } from "../../base/net/endpoint.ts";

/** Flags that `bench` lacks because they would need a scenario: it repeats a single request. */
const lacks = {
  "--think": "a pause is a step of a flow, { think: 1s }, in an experiment file",
  "--page":
    "a page and its resources are a scenario, { page: /, with: [/a.css] }, of an experiment file",
};

const command = defineCommand({
  parts: benchParts,
  lacks,
  conflicts: benchConflicts,
  more: `By default the load is a closed loop: each connection sends its next request when
the last response is complete. With --rate or --phases it is an open loop: requests
are due at scheduled times, and latency counts from the due time, not from the send.

Examples:
  plateau bench http://127.0.0.1:8080/ -c 100 -d 30s
  plateau bench http://127.0.0.1:8080/login -m post -H "content-type: application/json" -b '{"user":"a"}'
  plateau bench http://127.0.0.1:8080/ -n 10000 --expect-status 200 --json -`,
  async run(values, args): Promise<number> {
    checkWithoutCells(values.threshold);
    const baseline = await readBaseline(values.threshold, values.baseline);
    return interruptible(async (signal) => {
      const { onProgress, stop } = await progressView(values.quiet);
      const onNote = (text: string): void => onProgress({ kind: "note", text });
      const loader = await loaderFor(values, onNote);
      const files = await filesFor(values);
      const request = benchRequest(values, { replay: await replayOf(values, onNote), files });
      const reach = new ReachWatch(endpointOf(request.url.origin, { ...request, ...request.load }));
      const hosts = variable(ALLOWED_HOSTS);
      if (hosts !== undefined) {
        const { checkAllowed } = await import("../experiment/allowed_hosts.ts");
        await checkAllowed(hosts, [reach.endpoint]);
      }
      const measurement = await waitForServer(reach.endpoint, { waitMs: values.wait, signal })
        .then(() =>
          measureUrl(request, {
            loader,
            onProgress: (progress) => {
              reach.observe(progress);
              onProgress(progress);
            },
            onUnreached: () => void reach.check(),
            signal: AbortSignal.any([signal, reach.signal]),
          })
        )
        .finally(() => loader.close())
        .finally(stop);
      const gates = await gatesOf(measurement, values.threshold, baseline);
      const invocation = {
        thresholds: values.threshold,
        baseline,
        args: args.map(withoutSecrets),
        seed: request.seed,
      };
      const renderers = renderersOf(measurement, invocation, gates);
      await writeOutputs(values, renderers, { signal }).finally(async () => {
        const isMeasured = !reach.signal.aborted;
        if (isMeasured && !takesStdout(values)) await print(await summaryOf(measurement, gates));
      });
      await reportToGithub({
        markdown: renderers.markdown,
        annotations: async () =>
          (await import("../github/annotations.ts")).measurementAnnotations(
            measurement,
            gates,
          ),
      });
      if (values.like !== undefined && !values.quiet) {
        await printDifferences(values.like, args, measurement);
      }
      const lost = loader.incompleteLogReason?.() ?? null;
      if (lost !== null) {
        throw new TargetError(
          `Cannot write all of the request log to ${quotedOpenly(values.log)}: ${lost}`,
        );
      }
      if (!signal.aborted) await verify(measurement, reach.reason, gates, values);
      return EXIT.done;
    });
  },
});

/** Translates `--like`, another tool's command line, into arguments of `bench` before anything is parsed. */
export const benchCommand: Command = {
  parts: benchParts,
  async execute(args, title): Promise<number> {
    keepSecretsOf(args);
    if (!args.some((arg) => arg.startsWith("--like"))) return await command.execute(args, title);
    const { withTranslated } = await import("../../scenarios/imports/command_lines/registry.ts");
    return await command.execute(withTranslated(args), title);
  },
};

async function printDifferences(
  like: string,
  args: readonly string[],
  measurement: Measurement,
): Promise<void> {
  const { toolDifferences } = await import("../output/tool_differences.ts");
  const { explicitIn } = await import("../../scenarios/imports/command_lines/registry.ts");
  const { textLines } = await import("../../report/writing/terminal.ts");
  const sentences = toolDifferences(like, measurement, explicitIn(args));
  printError(textLines(sentences, terminalOptions(Deno.stderr)));
}

async function gatesOf(
  measurement: Measurement,
  thresholds: readonly Threshold[],
  baseline: Grouped | null,
): Promise<readonly GateOutcome[]> {
  if (thresholds.length === 0) return [];
  const { gateOutcome } = await import("../../report/findings/threshold_sentences.ts");
  const { measurementGates } = await import("../../report/judge/thresholds.ts");
  return measurementGates(thresholds, measurement, baseline).map(gateOutcome);
}

/** With --strict, checks trust before thresholds, because an untrustworthy measurement can't decide a threshold. */
async function verify(
  measurement: Measurement,
  unreachable: string | null,
  gates: readonly GateOutcome[],
  values: BenchValues,
): Promise<void> {
  const { verifyGates, verifyMeasurement, verifyTrust } = await import("../output/verify.ts");
  verifyMeasurement(measurement, unreachable);
  const told = { hasSummary: isSummaryShown(values) };
  if (values.strict) verifyTrust([measurement], told);
  await verifyGates(gates, told);
}

function renderersOf(
  measurement: Measurement,
  invocation: BenchInvocation,
  gates: readonly GateOutcome[],
): Renderers & { readonly otlp: MetricsSender } {
  return {
    json: () => jsonText(measurement, 2),
    csv: async () => (await import("../../report/render/csv.ts")).renderMeasurementCsv(measurement),
    csvIntervals: async () =>
      (await import("../../report/render/csv.ts")).renderMeasurementIntervalsCsv(
        measurement,
      ),
    markdown: async () =>
      (await import("../../report/render/markdown.ts")).renderBlocksMarkdown(
        await blocksOf(measurement, gates),
      ),
    junit: async () => await junitOf(measurement, gates),
    hlog: async () =>
      (await import("../../report/render/histogram_log.ts")).renderMeasurementHistogramLog(
        measurement,
      ),
    html: async () =>
      (await import("../output/formats.ts")).renderBenchPage(measurement, invocation),
    otlp: async (to, signal) => {
      const { measurementOtlpRequests } = await import("../../report/render/otlp.ts");
      const { sendMetrics } = await import("../output/otlp.ts");
      await sendMetrics(to, measurementOtlpRequests(measurement, hostname()), signal);
    },
  };
}

async function junitOf(
  measurement: Measurement,
  gates: readonly GateOutcome[],
): Promise<Written<"xml">> {
  const { measurementSuite, renderJunit } = await import("../../report/render/junit.ts");
  const startedAt = new Date(Date.now() - measurement.elapsedS * 1_000).toISOString();
  const about = { measurement, startedAt, hostname: hostname() };
  return renderJunit([measurementSuite(about, gates)]);
}

async function summaryOf(
  measurement: Measurement,
  gates: readonly GateOutcome[],
): Promise<Written<"terminal">> {
  const { renderBlocks } = await import("../../report/render/terminal/blocks.ts");
  return renderBlocks(await blocksOf(measurement, gates), terminalOptions());
}

async function blocksOf(
  measurement: Measurement,
  gates: readonly GateOutcome[],
): Promise<readonly Block[]> {
  const { measurementBlocks } = await import("../../report/subjects/measurement.ts");
  return measurementBlocks(measurement, gates);
}

// Makes the request that the flags of `plateau bench` describe.

/** Flags about the request, its connections and recordings. The flags of the load are separate. */
type RequestValues =
  & Partial<
    Pick<
      BenchValues,
      "follow" | "requestTarget" | "stream" | "until" | "hold" | "reconnect" | "token"
    >
  >
  & Partial<Pick<BenchValues, "grpc" | "proto" | "message" | "compress">>
  & Partial<Pick<BenchValues, "send" | "every" | "expect">>
  & Pick<
    BenchValues,
    | ("url" | "driver" | "interval" | "log" | "seed")
    | ("insecure" | "cacert" | "cert" | "key" | "resolve" | "proxy" | "unix")
    | ("method" | "header" | "body" | "form" | "expectStatus" | "expectBody")
  >;

/** What `benchRequest` needs from the files that flags name. */
interface Named {
  readonly replay?: Replay | null;
  /** Reads files for --form and --proto; null if neither is given. */
  readonly files: Files | null;
}

/**
 * Returns a reader of files; null if neither --form nor --proto is given. The reader's module is imported only on
 * demand, because it includes a CSV parser.
 */
export async function filesFor(
  { form, proto }: Pick<RequestValues, "form" | "proto">,
): Promise<Files | null> {
  if (form.length === 0 && proto === undefined) return null;
  const { filesFrom } = await import("../../scenarios/file/disk_files.ts");
  if (proto === undefined) return filesFrom(Deno.cwd());
  const { readProtoFile } = await import("../../base/grpc/proto_file.ts");
  return filesFrom(Deno.cwd(), readProtoFile);
}

export function benchRequest(values: BenchValues, { replay = null, files }: Named): BenchRequest {
  const given = { ...values, http2: isHttp2(values) };
  if (replay === null) return requestWith({ ...values, files }, loadOf(given));
  return { ...requestWith({ ...values, files }, replayLoadOf(given, replay)), replay };
}

export function requestWith<L extends Load>(
  values: RequestValues & Pick<Named, "files">,
  load: L,
): BenchRequest & { readonly load: L } {
  const { url, driver, interval: intervalMs, log: logPath = null, seed = anySeed() } = values;
  const scenario = scenarioOf(values);
  const access = accessOf(values);
  const why = whyTooLong(load, intervalMs);
  if (why !== null) {
    throw new UserError([{ place: "bench", message: `Cannot measure this: ${why}` }]);
  }
  return { url: withHttp(url), ...access, driver, seed, scenario, load, intervalMs, logPath };
}

const SOCKET_PROTOCOL = /^ws(?=s?:)/;

/** The URL of the HTTP request that opens a WebSocket. */
function withHttp(url: URL): URL {
  return new URL(url.href.replace(SOCKET_PROTOCOL, "http"));
}

function accessOf(values: RequestValues): Access {
  const { insecure, cacert, resolve: resolved, proxy, unix } = values;
  // The path is made absolute, because an agent runs in another folder.
  const unixPath = unix === undefined ? undefined : resolve(unix);
  return {
    ...{ insecure, caCerts: cacert === undefined ? [] : [cacert], unixPath },
    ...resolved && { addresses: resolved.addresses },
    ...proxy !== undefined && { proxy },
    ...clientCertificateOf(values),
  };
}

function clientCertificateOf({ cert, key }: RequestValues): Pick<Access, "clientCertificate"> {
  if (cert === undefined || key === undefined) return {};
  const message = pairProblem(cert, key);
  if (message !== null) throw new UserError([{ place: "--key", message }]);
  return { clientCertificate: { cert, key } };
}

function scenarioOf(
  { files, ...values }: RequestValues & Pick<Named, "files">,
): RequestScenario {
  const { url, requestTarget, method, header, body, form, follow, expectStatus, expectBody } =
    values;
  const { stream, until, hold, reconnect, token, grpc, proto, message = [], compress } = values;
  const lasting = (ms: number | undefined): string | undefined =>
    ms === undefined ? undefined : `${ms}ms`;
  const path = requestTarget ?? url.pathname + url.search;
  const written = {
    ...grpc !== undefined
      ? {
        grpc,
        proto,
        compress,
        ...message.length > 1 ? { messages: message } : { message: message[0] },
      }
      : SOCKET_PROTOCOL.test(url.protocol)
      ? { websocket: path, ...method !== "get" && { [method]: path }, ...sentOf(values) }
      : { [method]: path },
    headers: combined(header),
    body,
    multipart: multipartOf(form),
    follow,
    ...{ stream, until, hold: lasting(hold), reconnect: lasting(reconnect) },
    token: token === undefined ? undefined : { json: token },
    expect: {
      ...{ status: expectStatus, body: expectBody },
      ...values.expect !== undefined && { message: values.expect },
    },
  };
  const spec = files === null ? requestScenarioSpec : requestScenario(files);
  const { data, error } = spec.safeParse(written, AS_INPUT);
  if (data !== undefined) return data;
  throw new UserError(
    findingsOf(error.issues, written).map(({ path, message }) => ({
      place: PLACES[path.slice(0, 2).join(".")] ?? PLACES[String(path[0])] ??
        (requestTarget === undefined ? "<URL>" : "--request-target"),
      message,
    })),
  );
}

function sentOf({ send, every }: RequestValues): { readonly send?: object } {
  if (send === undefined) return {};
  return { send: { text: send, ...every !== undefined && { every: `${every}ms` } } };
}

const PLACES: Readonly<Record<string, string>> = {
  multipart: "--form",
  headers: "--header",
  stream: "--stream",
  until: "--until",
  hold: "--hold",
  reconnect: "--reconnect",
  token: "--token",
  grpc: "--grpc",
  proto: "--proto",
  message: "--message",
  messages: "--message",
  compress: "--compress",
  "expect.status": "--expect-status",
  "expect.body": "--expect-body",
  expect: "--expect",
  body: "--body",
  send: "--send",
};

/** Joins repeated fields with commas (RFC 9110 §5.3), but Cookie fields with semicolons (RFC 6265 §5.4). */
function combined(
  fields: readonly (readonly [name: string, value: string])[],
): Record<string, string> {
  const byName = Map.groupBy(fields, ([name]) => name.toLowerCase());
  return Object.fromEntries([...byName].map(([name, given]) => [
    given[0][0],
    given.map(([, value]) => value).join(name === "cookie" ? "; " : ", "),
  ]));
}
