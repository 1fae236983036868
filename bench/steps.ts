/**
 * Measures what features of scenarios cost: the worker's CPU time per request with and without cookies, checks, and
 * separate figures for each request of a mix.
 */
import { loadOf } from "../scenarios/load/load.ts";
import type { Expectation } from "../scenarios/request/request.ts";
import type { Script, ScriptRequest } from "../scenarios/request/script.ts";
import { medianOf } from "../runner/stats/quantile.ts";
import { atMostTimes } from "./bar.ts";
import type { Bench, Row, Section } from "./bench.ts";
import { interleaved } from "./rounds.ts";
import { loadHere } from "./stage/here.ts";
import { startNginx } from "./stage/nginx.ts";

const REQUESTS = 10;
const PATHS = Array.from({ length: REQUESTS }, (_, at) => `/${at}`);

function requestsWith(expect: Expectation): ScriptRequest[] {
  return PATHS.map((path, at) => ({
    kind: "request",
    step: at,
    wire: { method: "GET", path, headers: {}, body: null },
    expect,
    captures: [],
    follow: null,
  }));
}

function mix({ named = false, expect = {} }: { named?: boolean; expect?: Expectation }): Script {
  const sequence = PATHS.map((_, at) => at);
  const stepNames = named ? PATHS : [];
  return { kind: "requests", stepNames, requests: requestsWith(expect), sequence };
}

/**
 * A flow of requests.
 * @param cookies The cookies that each virtual user has from the start; null: users keep no cookies.
 */
function flow(cookies: Readonly<Record<string, string>> | null): Script {
  return { kind: "flow", stepNames: PATHS, steps: requestsWith({}), users: [{}], cookies };
}

const SCRIPTS = {
  "a mix without figures of each": mix({}),
  "a mix with figures of each": mix({ named: true }),
  "a mix of which the status is checked": mix({ expect: { status: 200 } }),
  "a mix of which a text in the body is checked": mix({ expect: { contains: "World" } }),
  "a mix of which the body is checked by a pattern": mix({ expect: { matches: "W.rld" } }),
  "a flow without cookies": flow(null),
  "a flow with cookies that nobody sets": flow({}),
  "a flow with two cookies": flow({ session: "0123456789abcdef", lang: "de" }),
} as const;

type Name = keyof typeof SCRIPTS;

/** The script to which each script is compared; those without an entry have no baseline. */
const BASES: Partial<Record<Name, Name>> = {
  "a mix with figures of each": "a mix without figures of each",
  "a mix of which the status is checked": "a mix without figures of each",
  "a mix of which a text in the body is checked": "a mix without figures of each",
  "a mix of which the body is checked by a pattern": "a mix without figures of each",
  "a flow with cookies that nobody sets": "a flow without cookies",
  "a flow with two cookies": "a flow without cookies",
};

const BARS: Partial<Record<Name, number>> = { "a mix with figures of each": 1.03 };

export const steps: Bench = {
  about: "what figures of each request, checks and cookies cost, against a load without them",
  rounds: 7,
  async run({ rounds, short }): Promise<Section[]> {
    await using nginx = await startNginx();
    const names = Object.keys(SCRIPTS) as Name[];
    const seen = await interleaved(names, rounds, async (name) => {
      const { generator, requests, elapsedS } = await loadHere({
        origin: nginx.origin,
        script: SCRIPTS[name],
        driver: "auto",
        load: loadOf({
          connections: 50,
          duration: short ? 1_000 : 5_000,
          timeout: 5_000,
          keepAlive: true,
          workers: 1,
        }),
      }, {});
      return generator.cpu * elapsedS * 1e6 / requests.completed;
    });
    return [{
      caption: "CPU time of the worker on a request",
      unit: "µs",
      baseline: "without",
      rows: names.map((name) => rowOf(name, seen)),
    }];
  },
};

function rowOf(name: Name, seen: Readonly<Record<Name, number[]>>): Row {
  const [base, most] = [BASES[name], BARS[name]];
  return {
    what: name,
    samples: seen[name],
    ...base !== undefined && { baseline: medianOf(seen[base]) },
    ...most !== undefined && { bar: atMostTimes(most) },
  };
}
