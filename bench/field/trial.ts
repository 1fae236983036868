/**
 * Tries one situation on one server, over one way (protocol) and with one driver: runs a load of about a second and
 * finds the faults in its outcome.
 */
import { ExpectedError } from "../../base/errors.ts";
import { verifyMeasurement } from "../../cli/output/verify.ts";
import type { DriverName } from "../../runner/load/engine/driver.ts";
import { LocalLoader } from "../../runner/measure/local_loader.ts";
import { measureUrl } from "../../runner/measure/measure.ts";
import type { Measurement } from "../../runner/result/result.ts";
import { requestScenarioSpec } from "../../scenarios/request/request_scenario.ts";
import { pause, type Running } from "./running.ts";
import type { FieldServer, Way } from "./server.ts";
import type { Situation, Tried } from "./situations.ts";

const MEANWHILE_MS = 700;
/** How long to wait, at most, for the server to write its log. */
const LOG_MS = 8_000;

export interface Trial {
  readonly situation: Situation;
  readonly way: Way;
  readonly driver: DriverName;
}

/**
 * What all trials of one lane share. The trials of a lane run one after the other, while other lanes run at the same
 * time.
 */
interface Lane {
  readonly server: FieldServer;
  readonly running: Running;
  readonly loader: LocalLoader;
}

export interface Outcome extends Trial {
  readonly fault: string | null;
  /** The figures of the load, and the reasons for failures, as text. */
  readonly seen: string;
}

export async function attempt({ server, running, loader }: Lane, trial: Trial): Promise<Outcome> {
  const { situation, way, driver } = trial;
  const tag = server.hasNoLog
    ? ""
    : `?${[way, driver, situation.name].join("-").replaceAll(" ", "_")}`;
  const [[method, path], ...fields] = Object.entries(situation.request);
  const port = running.place.ports[server.ways[way] ?? "http1"];
  const isSecure = way !== "http1" && way !== "h2c";
  const http2 = way === "h2" || way === "h2c" ? { http2: true as const } : {};
  const signal = new AbortController();
  const { rate, ...load } = situation.load ?? {};
  const common = { keepAlive: true, workers: 1, timeout: 10_000, ...http2 };
  const since = performance.now();
  const measured = measureUrl({
    url: new URL(`${isSecure ? "https" : "http"}://127.0.0.1:${port}`),
    scenario: requestScenarioSpec.parse({
      [method]: `${path}${tag}`,
      ...Object.fromEntries(fields),
    }),
    load: {
      ...common,
      ...rate === undefined
        ? { kind: "closed", pipeline: 1, durationMs: null, requests: null }
        : { kind: "rate", ratePerSec: rate, arrivals: "uniform" },
      ...load,
    } as Parameters<typeof measureUrl>[0]["load"],
    ...{ seed: 1, driver, intervalMs: 250, logPath: null, insecure: isSecure },
  }, {
    loader,
    onProgress: () => {},
    onStart: () => {
      const meanwhile = { stop: () => signal.abort(), reload: running.reload };
      const act = situation.meanwhile && meanwhile[situation.meanwhile];
      if (act !== undefined) setTimeout(act, MEANWHILE_MS);
    },
    signal: signal.signal,
  });
  try {
    const measurement = await measured;
    const tookMs = performance.now() - since;
    const tried = { measurement, exitCode: exitCodeOf(measurement), way, driver, tookMs };
    const fault = unbalanced(measurement) ?? situation.fault(tried) ??
      (server.hasNoLog ? null : await miscounted(running, tag, tried));
    return { ...trial, fault, seen: seenOf(tried) };
  } catch (error) {
    return {
      ...trial,
      fault: "it raises an error",
      seen: `${error instanceof Error ? error.stack : error}`,
    };
  }
}

function exitCodeOf(measurement: Measurement): number {
  try {
    verifyMeasurement(measurement);
    return 0;
  } catch (error) {
    if (error instanceof ExpectedError) return error.exitCode;
    throw error;
  }
}

function sum(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((whole, count) => whole + count, 0);
}

/** Describes a contradiction between counts that must agree in every outcome; null if there is none. */
function unbalanced({ requests, status, errors, reasons, latency }: Measurement): string | null {
  const { due, completed, failed, unfinished, dropped } = requests;
  if (due !== completed + failed + unfinished + dropped) return "requests are lost";
  if (sum(status) !== completed) return "statuses are not those of what completed";
  if (sum(errors) !== failed || sum(reasons) !== failed) return "failures without kind or reason";
  const bounds = unfinished + dropped + (errors.timeout ?? 0);
  return latency.count === completed + bounds ? null : "latencies are not those of the requests";
}

/**
 * Waits up to LOG_MS until the server's log has at least as many requests as completed, and no more than were sent.
 * Describes the fault if it never does; null if it does.
 */
async function miscounted(
  running: Running,
  tag: string,
  { measurement }: Tried,
): Promise<string | null> {
  const { completed, due, dropped } = measurement.requests;
  const endMs = Date.now() + LOG_MS;
  for (;;) {
    const logged = running.logged(`${tag}`);
    if (logged >= completed && logged <= due - dropped) return null;
    if (Date.now() > endMs) return `the server counted ${logged} requests`;
    await pause(50);
  }
}

function seenOf({ measurement, exitCode, tookMs }: Tried): string {
  const { requests, status, errors, reasons, reconnects } = measurement;
  const counts = Object.entries(requests).filter(([, n]) => n > 0).map(([what, n]) =>
    `${n} ${what}`
  );
  const statuses = Object.entries(status).map(([code, n]) => `${n}× ${code}`);
  const kinds = Object.entries(errors).filter(([, n]) => n > 0).map(([kind, n]) => `${n} ${kind}`);
  const why = Object.entries(reasons).slice(0, 3).map(([reason, n]) => `${n}× “${reason}”`);
  const rest = [`${reconnects} reconnects`, `exit ${exitCode}`, `${Math.round(tookMs)} ms`];
  return [...counts, ...statuses, ...kinds, ...why, ...rest].join(", ");
}
