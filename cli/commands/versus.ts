/** `plateau versus URL URL`: two servers that run already, loaded in turns of a fraction of a second, and one verdict. */
import { UserError } from "../../base/errors.ts";
import { keepSecretsOf } from "../../base/secrets.ts";
import { listenersAt } from "../../base/system/listeners.ts";
import { type Endpoint, endpointOf } from "../../base/net/endpoint.ts";
import { resolve } from "../../base/net/resolve.ts";
import { describeMachine } from "../../base/system/describe.ts";
import { VERSION } from "../../base/version.ts";
import {
  compareResults,
  type ResultsComparison,
} from "../../report/subjects/comparison/comparison.ts";
import { carryOutPair, type PairContext } from "../../runner/experiment/pair_run.ts";
import { isHere, ownNames } from "../../runner/host/host_activity.ts";
import { waitForServer } from "../../runner/measure/reach.ts";
import type { Run } from "../../runner/result/result.ts";
import { SideLoaders } from "../../runner/slices/session.ts";
import { type Pids, treeOf } from "../../runner/slices/side_cpu.ts";
import { PROCESS_LOOKS } from "../../runner/stats/slices/looks.ts";
import { margin } from "../../scenarios/claims/threshold.ts";
import { duration } from "../../scenarios/load/load_shape.ts";
import { loadOf } from "../../scenarios/load/load.ts";
import type { Cell } from "../../scenarios/plan/plan.ts";
import { whyNotInSlices } from "../../scenarios/plan/in_slices.ts";
import type { RunningTarget } from "../../targets/launch/launcher.ts";
import { defineCommand } from "../command_line/arguments.ts";
import type { CommandParts, ParsedValues } from "../command_line/command.ts";
import { isDecided } from "../experiment/looks.ts";
import { benchConflicts, benchParts } from "../flags/bench_flags.ts";
import { anySeed, checkWithoutCells } from "../flags/flags.ts";
import { takesStdout, writeOutputs } from "../flags/output_flags.ts";
import { comparisonAnnotations } from "../github/annotations.ts";
import { reportToGithub } from "../github/step.ts";
import { COMPARISON_EXIT, comparisonForms } from "../output/comparison_forms.ts";
import { verifyTrust } from "../output/verify.ts";
import { interruptible } from "../terminal/process.ts";
import { print, progressView } from "../terminal/terminal.ts";
import { filesFor, requestWith } from "./bench.ts";

/** Without what cannot be had in slices, and what is of one measurement alone. */
const {
  url,
  requests: _requests,
  phases: _phases,
  replay: _replay,
  replayFormat: _replayFormat,
  replayKeys: _replayKeys,
  replayWrites: _replayWrites,
  speed: _speed,
  follow: _follow,
  baseline: _baseline,
  csv: _csv,
  csvIntervals: _csvIntervals,
  hlog: _hlog,
  otlp: _otlp,
  log: _log,
  agents: _agents,
  redis: _redis,
  redisPasswordFile: _redisPasswordFile,
  driver: _driver,
  like: _like,
  ...benchFlags
} = benchParts;

const parts = {
  base: {
    ...benchParts.url,
    operand: "<BASE>",
    about: "The server that the other is held against",
  },
  next: { ...url, operand: "<NEW>", about: "The other server" },
  budget: {
    flags: "--budget <D>",
    about: "Ends when so much time has passed, also without a verdict",
    preset: "60s",
    schema: duration,
  },
  margin: {
    flags: "--margin <PERCENT>",
    about: "Margin of equivalence: results whose interval lies within it are equivalent",
    preset: "2%",
    schema: margin,
  },
  ...benchFlags,
  duration: {
    ...benchParts.duration,
    about:
      "Measures each server for so long, and ends then; without it as long as the verdict needs",
  },
  json: { ...benchParts.json, about: "The comparison as JSON; - is standard output" },
  html: { ...benchParts.html, about: "The comparison as a page" },
} satisfies CommandParts;

type VersusValues = ParsedValues<typeof parts>;

export const versusCommand = defineCommand({
  parts,
  conflicts: (given) => benchConflicts(given).filter(({ place }) => place !== "<URL>"),
  more:
    `Both servers run already. They are loaded in turns of a fraction of a second, in random order, so that
whatever else happens on the machine hits both alike. The verdict is about these two processes: when a server
is started anew, it may be faster or slower. plateau ab measures fresh processes of two commits.

Exit code:
  4  with --strict, when a run of either side is not valid
  1  the rate, the p99 or the CPU per request is worse; with thresholds, when one of these fails
  5  otherwise, when a figure or a threshold is inconclusive
  3  a server could not be measured
  0  otherwise: everything is better or equivalent, or every threshold holds

Examples:
  plateau versus http://127.0.0.1:8080/ http://127.0.0.1:8081/
  plateau versus http://127.0.0.1:8080/ http://127.0.0.1:8081/ -c 100 --margin 5% --html versus.html`,
  run: (values, args): Promise<number> =>
    interruptible(async (signal) => {
      keepSecretsOf(args);
      checkWithoutCells(values.threshold);
      const seed = values.seed ?? anySeed();
      const sides = await sidesOf(values);
      for (const { endpoint } of sides) {
        await waitForServer(endpoint, { waitMs: values.wait, signal });
      }
      const { onProgress, stop } = await progressView(values.quiet);
      const loaders = new SideLoaders();
      const context: PairContext = {
        ...{ loaders, seed, onProgress, signal },
        loader: loaders.together().loaders[0],
        lengths: new Map(),
        workers: null,
        intervalMs: values.interval,
        logFolder: null,
        preflights: null,
        open: ({ cell }) => Promise.resolve(sides[cell.target === NAMES.base ? 0 : 1].target),
        reopen: (target) => Promise.resolve(target),
        close: () => {},
        earlierCapacity: () => null,
        redisUse: () => Promise.resolve(null),
        pids: (target) => sides.find((side) => side.target === target)?.pids ?? (() => []),
      };
      const comparison = await comparedIn(sides, { values, context })
        .finally(() => loaders.close())
        .finally(stop);
      if (comparison === null) return COMPARISON_EXIT.inconclusive;
      return await deliver(comparison, values);
    }),
});

async function deliver(comparison: ResultsComparison, values: VersusValues): Promise<number> {
  const forms = comparisonForms(comparison);
  await writeOutputs(values, forms).finally(async () => {
    if (!takesStdout(values)) await print(forms.summary());
  });
  await reportToGithub({
    markdown: forms.markdown,
    annotations: () => comparisonAnnotations(comparison),
  });
  if (values.strict) {
    verifyTrust(comparison.sides.flatMap(({ runs }) => runs), { hasSummary: true });
  }
  return COMPARISON_EXIT[comparison.outcome];
}

const NAMES = { base: "base", next: "new" } as const;
/** Of one session, each side: what is between sessions shows how much they differ. */
const SESSION_MS = 2_000;

interface VersusSide {
  readonly name: string;
  readonly url: URL;
  readonly cell: Cell;
  readonly target: RunningTarget;
  readonly endpoint: Endpoint;
  readonly pids: Pids;
}

/** Throws a UserError where they can't be measured in slices. */
async function sidesOf(values: VersusValues): Promise<VersusSide[]> {
  const files = await filesFor(values);
  const load = loadOf({ ...values, keepAlive: values.keepalive, duration: SESSION_MS });
  const sides = await Promise.all([values.base, values.next].map(async (url, at) => {
    const name = at === 0 ? NAMES.base : NAMES.next;
    const { scenario: request, ...access } = requestWith(
      { ...values, url, files, log: undefined, driver: "auto", follow: undefined },
      load,
    );
    const target: RunningTarget = {
      ...{ origin: url.origin, access, pid: null, supervised: false, startUpMs: null },
      ...{ runtime: null, readyPath: null, exited: new Promise(() => {}), lastLines: () => [] },
      stop: () => Promise.resolve(),
    };
    const cell: Cell = {
      ...{ target: name, others: {}, scenario: SCENARIO, request, load, parameters: {} },
      targetSpec: { url: url.origin, insecure: values.insecure },
    };
    const endpoint = endpointOf(url.origin, { ...access, ...load });
    return { name, url, cell, target, endpoint, pids: await pidsAt(endpoint) };
  }));
  const why = whyNotInSlices(sides.map(({ cell }) => cell));
  if (why === null) return sides;
  throw new UserError([{ place: "versus", message: `Cannot measure this in slices: ${why}` }]);
}

const SCENARIO = "request";
/** What both are called where they are compared. */
const SERVER = "server";

/** Of the server's processes, where they are on this machine and to be seen. */
async function pidsAt(endpoint: Endpoint): Promise<Pids> {
  if (Deno.build.os !== "linux" || !isHere(endpoint, ownNames())) return () => [];
  const found = "path" in endpoint ? [endpoint] : await resolve(endpoint);
  if (typeof found === "string") return () => [];
  const listeners = [...new Set(found.flatMap(listenersAt))];
  // Of several that share a port one has often started the others.
  return () => [...new Set(listeners.flatMap(treeOf))];
}

interface VersusContext {
  readonly values: VersusValues;
  readonly context: PairContext;
}

/** Session after session until the verdict is there or the time is up; null when there is nothing to compare. */
async function comparedIn(
  sides: readonly VersusSide[],
  { values, context }: VersusContext,
): Promise<ResultsComparison | null> {
  const beganMs = performance.now();
  const { duration: ownMs } = values;
  const fixed = ownMs === undefined ? null : Math.max(1, Math.round(ownMs / SESSION_MS));
  const runs: Run[] = [];
  const most = fixed ?? Math.max(...PROCESS_LOOKS);
  for (let repetition = 1; repetition <= most; repetition++) {
    const pair = sides.map(({ cell }, at) => ({
      cell,
      repetition,
      order: 2 * repetition + at - 1,
    }));
    const sessionMs = performance.now();
    runs.push(...await carryOutPair([pair[0], pair[1]], context));
    if (context.signal.aborted) return null;
    if (fixed !== null) continue;
    const nowMs = performance.now();
    const isLate = nowMs - beganMs + (nowMs - sessionMs) > values.budget;
    const comparison = comparisonOf(sides, runs, { values, isFixed: false });
    if (isLate || isDecided(comparison, repetition)) return comparison;
  }
  return comparisonOf(sides, runs, { values, isFixed: fixed !== null });
}

interface Judged {
  readonly values: VersusValues;
  readonly isFixed: boolean;
}

/** As of two results, in which both servers have one name. */
function comparisonOf(
  sides: readonly VersusSide[],
  runs: readonly Run[],
  { values, isFixed }: Judged,
): ResultsComparison {
  const repeat = isFixed ? runs.length / 2 : { until: null, atMost: null, budget: values.budget };
  const machine = describeMachine();
  const [base, next] = sides.map(({ name }) => ({
    version: VERSION,
    machine,
    startedAt: runs[0].startedAt, // both are of one sitting
    experiment: {
      ...{ name: "versus", order: "slices", repeat, interval: values.interval },
      targets: { [SERVER]: {} }, // two addresses are no difference in how they were measured
    },
    runs: runs.filter(({ target }) => target === name).map((run) => ({
      ...run,
      target: SERVER,
      ...run.slices && { slices: { ...run.slices, partner: SERVER } },
    })),
  }));
  return compareResults(base, next, {
    marginRatio: values.margin,
    thresholds: values.threshold,
    decidedBy: values.threshold.length > 0 ? "thresholds" : "figures",
    names: ["base", "new"],
    figures: ["cpuPerRequest", "rate", 99],
  });
}
