/** The request that the flags of `plateau bench` describe. */
import type { BenchRequest } from "../../runner/measure/measure.ts";
import { type CellLoad, whyTooLong } from "../../scenarios/load/cell_load.ts";
import { UserError } from "../../base/errors.ts";
import { explain } from "../../base/explain.ts";
import * as load from "../../scenarios/load/load.ts";
import { findingsOf } from "../../base/problems.ts";
import { type RequestScenario, requestScenarioSpec } from "../../scenarios/request/scenario.ts";
import { accessOf } from "./access_flags.ts";
import type { BenchValues } from "./bench_flags.ts";
import { anySeed } from "./flags.ts";

export function benchRequest(values: BenchValues): BenchRequest {
  const { url, driver, interval: intervalMs, log: logPath = null, seed = anySeed() } = values;
  const scenario = scenarioOf(values);
  const access = accessOf(values);
  const asked = loadOf(values);
  const why = whyTooLong(asked, intervalMs);
  if (why !== null) {
    throw new UserError([{ place: "bench", message: `Cannot measure this: ${why}` }]);
  }
  return { url, ...access, driver, seed, scenario, load: asked, intervalMs, logPath };
}

function loadOf(values: BenchValues): CellLoad {
  const { phases, rate, arrivals = "uniform", requests = null } = values;
  const { keepalive: keepAlive, timeout: timeoutMs, workers = null } = values;
  const { connections = phases ? load.DEFAULT_VISITORS : load.DEFAULT_CONNECTIONS } = values;
  const { duration: durationMs = load.DEFAULT_DURATION_MS } = values;
  const common = { connections, keepAlive, timeoutMs, workers };
  if (phases) return { kind: "phases", ...common, phases, arrivals, pool: "own" };
  if (rate !== undefined) {
    return { kind: "rate", ...common, ratePerSec: rate, arrivals, durationMs };
  }
  const { pipeline } = values;
  const end = requests === null ? { durationMs, requests } : { durationMs: null, requests };
  return { kind: "closed", ...common, pipeline, ...end };
}

function scenarioOf(
  { url, method, header, body, expectStatus, expectBody }: BenchValues,
): RequestScenario {
  const written = {
    [method]: url.pathname + url.search,
    headers: combined(header),
    body,
    expect: { status: expectStatus, body: expectBody },
  };
  const { data, error } = requestScenarioSpec.safeParse(written, { error: explain });
  if (data !== undefined) return data;
  throw new UserError(
    findingsOf(error.issues, written).map(({ path, message }) => ({
      place: path[0] === "headers" ? "--header" : "<URL>",
      message,
    })),
  );
}

/** A field that is given twice is a list (RFC 9110 §5.3); only Cookie is joined differently (RFC 6265 §5.4). */
function combined(
  fields: readonly (readonly [name: string, value: string])[],
): Record<string, string> {
  const byName = Map.groupBy(fields, ([name]) => name.toLowerCase());
  return Object.fromEntries([...byName].map(([name, given]) => [
    given[0][0],
    given.map(([, value]) => value).join(name === "cookie" ? "; " : ", "),
  ]));
}
