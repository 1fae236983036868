/** The request that the flags of `plateau bench` describe. */
import { resolve } from "node:path";
import { UserError } from "../../base/errors.ts";
import { explain } from "../../base/explain.ts";
import { findingsOf } from "../../base/problems.ts";
import type { BenchRequest } from "../../runner/measure/measure.ts";
import { loadOf, whyTooLong } from "../../scenarios/load/load.ts";
import { type RequestScenario, requestScenarioSpec } from "../../scenarios/request/scenario.ts";
import type { Access } from "../../base/net/endpoint.ts";
import type { BenchValues } from "./bench_flags.ts";
import { anySeed } from "./flags.ts";

export function benchRequest(values: BenchValues): BenchRequest {
  const { url, driver, interval: intervalMs, log: logPath = null, seed = anySeed() } = values;
  const scenario = scenarioOf(values);
  const access = accessOf(values);
  const load = loadOf({ ...values, keepAlive: values.keepalive });
  const why = whyTooLong(load, intervalMs);
  if (why !== null) {
    throw new UserError([{ place: "bench", message: `Cannot measure this: ${why}` }]);
  }
  return { url, ...access, driver, seed, scenario, load, intervalMs, logPath };
}

function accessOf({ insecure, cacert, unix }: BenchValues): Access {
  const unixPath = unix === undefined ? undefined : resolve(unix); // an agent stands in another folder
  return { insecure, caCerts: cacert === undefined ? [] : [cacert], unixPath };
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
