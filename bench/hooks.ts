/**
 * Measures what the hooks of a script cost per request: compares the CPU time of the load worker with that for the same
 * journeys without hooks, in a closed loop and at fixed rates. Also checks that the memory of the realm in which hooks
 * run does not grow over millions of calls.
 */
import { NO_FILES } from "../base/files.ts";
import { formatCount } from "../report/writing/units.ts";
import { Hooks } from "../runner/load/hooks/hooks.ts";
import { medianOf } from "../runner/stats/quantile.ts";
import type { ScriptCode } from "../scenarios/code/code.ts";
import type { Load } from "../scenarios/load/load.ts";
import { type Script, scriptOf } from "../scenarios/request/script.ts";
import { scenarioSpecWith } from "../scenarios/request/scenario.ts";
import { atMostTimes, type Bar } from "./bar.ts";
import type { Bench, Section } from "./bench.ts";
import { interleaved } from "./rounds.ts";
import { loadHere } from "./stage/here.ts";
import { startNginx } from "./stage/nginx.ts";

/** The code of the `before` hook in each variant; no hook if the code is empty. */
const HOOKS = {
  none: "",
  empty: "(request, user) => {}",
  "a field": '(request, user) => { request.headers["x-id"] = user.iteration; }',
  "a new body": "(request, user) => { request.body = user.iteration + request.body; }",
  "a signature":
    '(request, user) => { request.headers["x-signature"] = user.hmac("sha256", "key", request.body); }',
} as const;
type Name = keyof typeof HOOKS;
const NAMES = Object.keys(HOOKS).filter((name): name is Name => Object.hasOwn(HOOKS, name));

const SIZES = [1_000, 10_000];
const RATE_PER_SEC = 5_000;
/** The rates in requests per second; null for a closed loop. */
const PACES = [1_000, RATE_PER_SEC, 20_000, null] as const;
/** The most microseconds that an empty hook may add to a request. */
const MOST_MORE_US = 1;

export const hooks: Bench = {
  about: "what the hooks of a script cost a request, and their memory over 10 million calls",
  rounds: 5,
  async run({ rounds, short }): Promise<Section[]> {
    await using nginx = await startNginx();
    const sections: Section[] = [];
    for (const pace of [null, RATE_PER_SEC]) {
      for (const bytes of SIZES) {
        const costs = await interleaved(
          NAMES,
          rounds,
          async (name) =>
            (await costsUs(nginx.origin, scriptWith(name, bytes), loadOf(pace, short))).request,
        );
        sections.push(costSection(costs, pace, bytes));
      }
    }
    const paces = new Map(PACES.map((pace) => [paceText(pace), pace]));
    const calls = await interleaved(
      [...paces.keys()],
      rounds,
      (text) => {
        const load = loadOf(paces.get(text) ?? null, short);
        return costsUs(nginx.origin, scriptWith("empty", SIZES[0]), load);
      },
    );
    return [...sections, callSection(calls), await memorySection(short)];
  },
};

function paceText(pace: number | null): string {
  return pace === null ? "closed loop" : `${formatCount(pace)}/s`;
}

/** @param pace The rate in requests per second; null for a closed loop. */
function loadOf(pace: number | null, short: boolean): Load {
  const durationMs = short ? 1_000 : 3_000;
  const common = { connections: 50, keepAlive: true, timeout: 5_000, workers: 1, durationMs };
  return pace === null
    ? { kind: "closed", ...common, pipeline: 1, requests: null }
    : { kind: "rate", ...common, ratePerSec: pace, arrivals: "uniform" };
}

/**
 * A script with a single POST. Even without hooks it is a journey (a flow of steps), so that the same loop sends it in
 * both cases.
 */
function scriptWith(name: Name, bytes: number): Script {
  const request = { post: "/", body: "x".repeat(bytes) };
  const scenario = scenarioSpecWith(NO_FILES).parse({
    flow: [name === "none" ? request : { ...request, before: "before" }],
    cookies: "off",
  });
  const script = scriptOf(scenario, 1);
  return name === "none" ? script : { ...script, code: codeOf(name) };
}

function codeOf(name: Name): ScriptCode {
  const source = `export default { before: ${HOOKS[name]} };`;
  return { entry: "hooks.js", files: { "hooks.js": source }, parameters: {}, env: {}, data: null };
}

interface CostsUs {
  /** The worker's CPU time per request. */
  readonly request: number;
  /** The time of one hook call by the worker's clock; 0 without hooks. */
  readonly call: number;
}

async function costsUs(origin: string, script: Script, load: Load): Promise<CostsUs> {
  const { generator, elapsedS, requests, hooks } = await loadHere(
    { origin, script, load, driver: "auto" },
    {},
  );
  return {
    request: 1e6 * generator.cpu * elapsedS / requests.completed,
    call: hooks ? 1e6 * hooks.timeS / hooks.calls : 0,
  };
}

const ONE_MORE: Bar = {
  text: `≤ + ${MOST_MORE_US}`,
  holds: (figure, baseline) => figure <= baseline + MOST_MORE_US,
};

function costSection(
  costs: Record<Name, readonly number[]>,
  pace: number | null,
  bytes: number,
): Section {
  return {
    caption: `CPU time of a request, ${paceText(pace)}, bodies of ${formatCount(bytes)} bytes`,
    unit: "µs",
    baseline: "none",
    rows: NAMES.map((name) => ({
      what: name,
      samples: costs[name],
      ...name !== "none" && { baseline: medianOf(costs.none) },
      ...name === "empty" && { bar: ONE_MORE },
    })),
  };
}

/** Compares the time of a hook call with the CPU time of the whole request; at a low rate both are longer. */
function callSection(costs: Readonly<Record<string, readonly CostsUs[]>>): Section {
  const medianUs = (of: (one: CostsUs) => number) => (pace: string): number =>
    medianOf(costs[pace].map(of));
  const [callUs, requestUs] = [medianUs(({ call }) => call), medianUs(({ request }) => request)];
  return {
    caption: "Time of a call that does nothing, by the worker's clock",
    unit: "µs",
    rows: Object.keys(costs).map((pace) => ({
      what: pace,
      samples: costs[pace].map(({ call }) => call),
    })),
    notes: Object.keys(costs).map((pace) =>
      `${pace}: ${(100 * callUs(pace) / requestUs(pace)).toFixed(1)} % of the CPU time of a request`
    ),
  };
}

/** Measures the memory of this process over many hook calls; the process does nothing else meanwhile. */
async function memorySection(short: boolean): Promise<Section> {
  const calls = short ? 200_000 : 10_000_000;
  const nowUs = (): number => performance.now() * 1_000;
  const options = { seed: 1, first: 0, stride: 1, nowUs };
  const open = await Hooks.open(codeOf("a field"), options);
  const wire = { method: "POST", path: "/", headers: { accept: "*/*" }, body: "x".repeat(1_000) };
  const { before } = open.prepared({ before: "before", after: null }, wire);
  const usedMb: number[] = [];
  for (let call = 1; call <= calls; call++) {
    before?.({ number: call % 50, isNew: true, news: new Map(), variables: new Map() }, wire);
    if (call % (calls / 10) === 0) usedMb.push(Deno.memoryUsage().rss / 1e6);
  }
  return {
    caption: `Resident memory over ${formatCount(calls)} calls that set a field`,
    unit: "MB",
    baseline: "third tenth",
    rows: [
      { what: "after the third tenth", samples: [usedMb[2]] },
      { what: "at the end", samples: [usedMb[9]], baseline: usedMb[2], bar: atMostTimes(1.1) },
    ],
  };
}
