/**
 * `plateau versus URL URL`: compares two servers that already run, by loading them alternately for fractions of a
 * second.
 */
import { keepSecretsOf } from "../../base/secrets.ts";
import { describeMachine } from "../../base/system/describe.ts";
import { VERSION } from "../../base/version.ts";
import { renderCsv, renderIntervalsCsv } from "../../report/render/csv.ts";
import { renderHistogramLog } from "../../report/render/histogram_log.ts";
import { otlpRequests } from "../../report/render/otlp.ts";
import type { ResultsComparison } from "../../report/subjects/comparison/comparison.ts";
import {
  carryOutPair,
  type PairContext,
  type PlannedPair,
} from "../../runner/experiment/pair_run.ts";
import { waitForServer } from "../../runner/measure/reach.ts";
import type { Run } from "../../runner/result/result.ts";
import { SideLoaders } from "../../runner/slices/session.ts";
import { margin } from "../../scenarios/claims/threshold.ts";
import { duration } from "../../scenarios/load/load_shape.ts";
import { defineCommand } from "../command_line/arguments.ts";
import type { CommandParts, ParsedValues } from "../command_line/command.ts";
import { benchParts, httpAddress } from "../flags/bench_flags.ts";
import { anySeed, checkWithoutCells } from "../flags/flags.ts";
import {
  type MetricsSender,
  type Renderers,
  takesStdout,
  writeOutputs,
} from "../flags/output_flags.ts";
import { comparisonAnnotations } from "../github/annotations.ts";
import { reportToGithub } from "../github/step.ts";
import { COMPARISON_EXIT, comparisonForms } from "../output/comparison_formats.ts";
import { sendMetrics } from "../output/otlp.ts";
import { verifyResults, verifyTrust } from "../output/verify.ts";
import { interruptible } from "../terminal/process.ts";
import { print, progressView } from "../terminal/terminal.ts";
import { comparisonOf, type SessionPlan, sessionPlan, sessionsOf } from "./sessions.ts";
import { NAMES, pidsOfSides, sideConflicts, sidesOf, type VersusSide } from "./sides.ts";

/**
 * Removes the flags of `bench` that are impossible when two servers are loaded alternately (in slices), or that apply
 * only to a single measurement.
 */
const {
  url: _url,
  send: _send,
  every: _every,
  expect: _expect,
  stream: _stream,
  until: _until,
  hold: _hold,
  reconnect: _reconnect,
  token: _token,
  requests: _requests,
  phases: _phases,
  replay: _replay,
  replayFormat: _replayFormat,
  replayKeys: _replayKeys,
  replayWrites: _replayWrites,
  speed: _speed,
  follow: _follow,
  baseline: _baseline,
  log: _log,
  agents: _agents,
  redis: _redis,
  redisPasswordFile: _redisPasswordFile,
  redisCacert: _redisCacert,
  like: _like,
  ...benchFlags
} = benchParts;

const [SOCKETS, STREAMS] = ["WebSockets", "streams"].map((what) =>
  `plateau versus loads the servers by turns, which would cut ${what}; measure each server with plateau bench`
);

const lacks = {
  ...Object.fromEntries(["--send", "--every", "--expect"].map((flag) => [flag, SOCKETS])),
  ...Object.fromEntries(
    ["--stream", "--until", "--hold", "--reconnect", "--token"].map((flag) => [flag, STREAMS]),
  ),
};

const parts = {
  base: {
    ...httpAddress,
    operand: "<BASE>",
    about: "The server to compare with",
  },
  next: { ...httpAddress, operand: "<NEW>", about: "The server to compare" },
  budget: {
    flags: "--budget <D>",
    about: "Maximum duration, even without a verdict (default: 60s; no limit with --duration)",
    schema: duration.optional(),
  },
  margin: {
    flags: "--margin <PERCENT>",
    about:
      "Margin of equivalence: results are equivalent if the interval of their ratio lies within it",
    preset: "2%",
    schema: margin,
  },
  ...benchFlags,
  duration: {
    ...benchParts.duration,
    about: "Measures each server for this long (default: until there is a verdict)",
  },
  connections: { ...benchParts.connections, about: "Connections of each server (default: 50)" },
  json: { ...benchParts.json, about: "The comparison as JSON; - is standard output" },
  html: { ...benchParts.html, about: "The comparison as a page" },
  csv: { ...benchParts.csv, about: "One CSV row per round of each server; - is standard output" },
} satisfies CommandParts;

type VersusValues = ParsedValues<typeof parts>;

export const versusCommand = defineCommand({
  ...{ parts, lacks },
  conflicts: sideConflicts,
  more:
    `Both servers run already. They are loaded in turns of a fraction of a second, in random order, so that
whatever else happens on the machine affects both alike. The verdict is about these two processes: a server that
is restarted may be faster or slower. plateau ab measures fresh processes of two commits.
A server that was just started is slower until it is warm: load both first (plateau bench URL).

Exit code, by the first line that applies:
  3  a server could not be measured; what was measured before is compared all the same
  1  a response is not as expected
  4  with --strict, when a run of either side is not valid
  0, 1 or 5  with --threshold: the thresholds decide
  5  every run of a side is invalid for a reason that need not affect both sides alike
  1  the rate, the p99 or the CPU per request is worse
  5  the rate or the p99 is inconclusive
  0  otherwise: everything is better or equivalent

Examples:
  plateau versus http://127.0.0.1:8080/ http://127.0.0.1:8081/
  plateau versus http://127.0.0.1:8080/ http://127.0.0.1:8081/ -c 100 --margin 5% --html versus.html`,
  run: (values, args): Promise<number> =>
    interruptible(async (signal) => {
      keepSecretsOf(args);
      checkWithoutCells(values.threshold);
      const seed = values.seed ?? anySeed();
      const plan = sessionPlan(values);
      const sides = await sidesOf(values, plan.durationMs);
      for (const { endpoint } of sides) {
        await waitForServer(endpoint, { waitMs: values.wait, signal });
      }
      const { onProgress, stop } = await progressView(values.quiet);
      const { pids, areShared } = await pidsOfSides(sides);
      if (areShared) onProgress({ kind: "note", text: SHARED });
      const loaders = new SideLoaders();
      const sideOf = (target: string): number => target === NAMES.base ? 0 : 1;
      const context: PairContext = {
        ...{ loaders, seed, onProgress, signal, driver: values.driver },
        loader: loaders.together().loaders[0],
        lengths: new Map(),
        workers: null,
        intervalMs: values.interval,
        logFolder: null,
        scripted: {},
        preflights: null,
        open: ({ cell }) => Promise.resolve(sides[sideOf(cell.target)].target),
        reopen: (target) => Promise.resolve(target),
        close: () => {},
        earlierCapacity: () => null,
        redisUse: () => Promise.resolve(null),
        pids: (target) => pids[sides.findIndex((side) => side.target === target)],
      };
      const { runs, comparison, failure } = await sessionsOf({
        ...{ plan, signal, nowMs: () => performance.now() },
        carryOut: (repetition) => carryOutPair(sessionOf(sides, repetition), context),
        compare: (runs) => comparedOf(runs, values, plan),
      })
        .finally(() => loaders.close())
        .finally(stop);
      if (comparison !== null) await deliver(comparison, runs, values);
      if (failure !== null) throw failure;
      if (comparison === null || signal.aborted) return COMPARISON_EXIT.inconclusive;
      const told = { hasSummary: true };
      verifyResults({ runs, missing: [], planned: runs.length }, told);
      if (values.strict) verifyTrust(runs, told);
      return COMPARISON_EXIT[comparison.outcome];
    }),
});

const SHARED =
  "Both URLs are served by the same processes, so the CPU time of each side is unknown";

function sessionOf(sides: readonly VersusSide[], repetition: number): PlannedPair {
  const [base, next] = sides.map(({ cell }, at) => ({
    cell,
    repetition,
    order: 2 * repetition + at - 1,
  }));
  return [base, next];
}

function comparedOf(
  runs: readonly Run[],
  { interval, margin, threshold }: VersusValues,
  plan: SessionPlan,
): ResultsComparison {
  return comparisonOf(runs, {
    ...{ plan, intervalMs: interval, marginRatio: margin, thresholds: threshold },
  });
}

/** Output formats of the runs, with the names of the servers. They do not include the verdict. */
function formsOfRuns(
  runs: readonly Run[],
): Renderers<"csv" | "csvIntervals" | "hlog"> & { readonly otlp: MetricsSender } {
  const name = "versus";
  const measured = {
    ...{ version: VERSION, machine: describeMachine(), commit: null },
    ...{ startedAt: runs[0].startedAt, experiment: { name }, runs: [...runs] },
  };
  return {
    csv: () => renderCsv({ name, context: { runs } }),
    csvIntervals: () => renderIntervalsCsv({ name, context: { runs } }),
    hlog: () => renderHistogramLog(measured),
    otlp: (to, signal) => sendMetrics(to, otlpRequests(measured), signal),
  };
}

async function deliver(
  comparison: ResultsComparison,
  runs: readonly Run[],
  values: VersusValues,
): Promise<void> {
  const forms = { ...comparisonForms(comparison), ...formsOfRuns(runs) };
  await writeOutputs(values, forms).finally(async () => {
    if (!takesStdout(values)) await print(forms.summary());
  });
  await reportToGithub({
    markdown: forms.markdown,
    annotations: () => comparisonAnnotations(comparison),
  });
}
