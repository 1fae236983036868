/** `plateau run [EXPERIMENT]`: runs an experiment file and writes its report. */
import { basename, dirname, join, relative, resolve } from "node:path";
import * as z from "zod";
import { EXIT, messageOf, type Problem, UserError } from "../../base/errors.ts";
import { endpointOf } from "../../base/net/endpoint.ts";
import { LOOPBACK } from "../../base/net/listen.ts";
import { listenHost } from "../../base/net/listen_host.ts";
import { quoted } from "../../report/subjects/method/command.ts";
import type { Grouped } from "../../report/cells/cells.ts";
import type { Cell } from "../../scenarios/plan/plan.ts";
import { textLines } from "../../report/writing/terminal.ts";
import { type ExperimentRequest, runExperiment } from "../../runner/experiment/experiment.ts";
import type { OnProgress } from "../../runner/result/progress.ts";
import type { Results } from "../../runner/result/result.ts";
import { defineCommand } from "../command_line/arguments.ts";
import {
  type CommandParts,
  type ParsedValues,
  type RawArguments,
  under,
} from "../command_line/command.ts";
import {
  experimentProblems,
  planFromFile,
  refuseLocal,
  withThresholds,
} from "../experiment/plan.ts";
import { planFlags, quietFlag, readBaseline, strictFlag, thresholdFlags } from "../flags/flags.ts";
import {
  fleetConflicts,
  fleetFlags,
  loaderFor,
  targetsRedisOf,
  withAgents,
} from "../flags/fleet_flags.ts";
import {
  folderConflicts,
  isSummaryShown,
  outputFlags,
  takesStdout,
  writeOutputs,
  writeOwnFile,
} from "../flags/output_flags.ts";
import { integerText } from "../../base/quantity.ts";
import { redisFlag } from "../flags/values.ts";
import { reportToGithub } from "../github/step.ts";
import type { LiveReport } from "../live/report.ts";
import { type ResultForms, resultForms } from "../output/formats.ts";
import { verifyCapacities } from "../output/verify_capacity.ts";
import { verifyGates, verifyResults, verifyTrust } from "../output/verify.ts";
import { makeOutDir, nameConflicts, occupy, refuseUnfinished } from "../results/out_dir.ts";
import { ALLOWED_HOSTS, interruptible, variable } from "../terminal/process.ts";
import { print, printError, progressView, terminalOptions } from "../terminal/terminal.ts";
import { offerFrameworks } from "./setup.ts";
import { quotedOpenly } from "../../base/secrets.ts";

/** The flags that show the report in a browser while results arrive. */
const liveFlags = {
  live: {
    flags: "--live",
    about: "Shows the report as it grows, in browsers on this machine",
    schema: z.boolean().default(false),
  },
  livePort: {
    flags: "--live-port <N>",
    about: "Port for --live (default: a free one)",
    schema: integerText(z.int().min(0).max(65_535)).optional(),
  },
} satisfies CommandParts;

const parts = {
  experiment: {
    operand: "[EXPERIMENT]",
    about:
      "A YAML or JSON file, a TypeScript module, an Artillery script, a k6 script, a JMeter plan, a HAR file, or a built-in experiment " +
      "(default: quick)",
    schema: z.string().optional(),
  },
  out: {
    flags: "-o, --out <DIR>",
    about: "Folder of the results (default: results/NAME/TIME)",
    schema: z.string().min(1).optional(),
  },
  resume: {
    flags: "--resume <DIR>",
    about: "Resumes the interrupted experiment whose results are in DIR",
    schema: z.string().min(1).optional(),
  },
  log: {
    flags: "--log <DIR>",
    about:
      "Writes a request log of every run into this folder, as CSV: code;start;end;connection, in " +
      "nanoseconds; code 0 is a failed request",
    schema: z.string().min(1).optional(),
  },
  host: {
    flags: "--host <HOST>",
    about: "Address on which targets listen, so that agents on other machines can reach them " +
      `(default: ${LOOPBACK})`,
    schema: listenHost.optional(),
  },
  ...liveFlags,
  ...planFlags,
  ...thresholdFlags,
  ...strictFlag,
  ...redisFlag,
  ...under("Load from other machines:", fleetFlags),
  ...outputFlags,
  ...quietFlag,
} satisfies CommandParts;

type RunValues = ParsedValues<typeof parts>;

export const runCommand = defineCommand({
  parts,
  conflicts: (given) => [
    ...folderConflicts(given, "report.html", "json"),
    ...[nameConflicts, resumeConflicts, liveConflicts, fleetConflicts].flatMap((of) => of(given)),
  ],
  fileProblems: ({ experiment, set }) => experimentProblems(experiment, set),
  run: (values): Promise<number> =>
    values.resume === undefined ? runAnew(values) : runResumed(values.resume, values),
});

function resumeConflicts({ resume, out }: RawArguments): Problem[] {
  if (resume === undefined || out === undefined) return [];
  const message =
    "Cannot resume into another folder: results go into the folder that --resume names";
  return [{ place: "--out", message, fix: "leave out --out" }];
}

function liveConflicts({ live, livePort }: RawArguments): Problem[] {
  if (live || livePort === undefined) return [];
  const message = "Cannot set the port of a live report without --live";
  return [{ place: "--live-port", message, fix: "add --live, or leave out --live-port" }];
}

/** Throws a UserError if the process that started this command does not allow it to load the hosts of the cells. */
async function checkHosts(cells: readonly Cell[]): Promise<void> {
  const hosts = variable(ALLOWED_HOSTS);
  if (hosts === undefined) return;
  const { checkAllowed, endpointsOf } = await import("../experiment/allowed_hosts.ts");
  await checkAllowed(hosts, endpointsOf(cells));
}

/**
 * Limits the hosts from which the experiment's script may fetch, if the process that started this command sets limits.
 */
async function fetchLimits(): Promise<Pick<ExperimentRequest, "mayFetch">> {
  const hosts = variable(ALLOWED_HOSTS);
  if (hosts === undefined) return {};
  const { checkAllowed } = await import("../experiment/allowed_hosts.ts");
  return { mayFetch: (url) => checkAllowed(hosts, [endpointOf(url.origin)]) };
}

/** The planned runs and where their results go; the rest of the request depends on the flags. */
type Work = Omit<ExperimentRequest, "host" | "redisUrl" | "logFolder" | "mayFetch">;

async function runAnew(values: RunValues): Promise<number> {
  const planned = await planFromFile(values.experiment ?? "quick", values);
  const { experiment: written, source, fileName, baseDir, builtIn, notes } = planned;
  await checkHosts(planned.plan.cells);
  if (!values.quiet) {
    printError(textLines(notes.map((note) => `Note: ${note}`), terminalOptions(Deno.stderr)));
  }
  const thresholds = withThresholds(written, values.threshold);
  const baseline = await readBaseline(thresholds, values.baseline);
  const outDir = await makeOutDir(values.out, written.name);
  using _ = await occupy(outDir);
  await refuseUnfinished(outDir);
  if (!await isSameFile(values.experiment, join(outDir, fileName))) {
    await writeOwnFile(join(outDir, fileName), source);
  }
  const folder = builtIn ? null : relative(resolve(outDir), baseDir);
  const invocation: Work["invocation"] = {
    file: { name: fileName, folder, ...planned.withheld && { withheld: true } },
    flags: {
      ...planned.flags,
      threshold: values.threshold.map(({ text }) => text),
      host: values.host,
      agents: values.agents,
    },
  };
  const experiment = { ...written, thresholds };
  return await carryOut(
    { ...planned, experiment, outDir, invocation, kept: null },
    baseline,
    values,
  );
}

/** Whether writing the copy of the experiment file, which omits secrets, would overwrite the user's own file. */
async function isSameFile(path: string | undefined, copy: string): Promise<boolean> {
  if (path === undefined) return false;
  const [first, second] = await Promise.all(
    [path, copy].map((each) => Deno.realPath(each).catch(() => null)),
  );
  return first !== null && first === second;
}

async function runResumed(resume: string, values: RunValues): Promise<number> {
  const { readResumable } = await import("../results/reading.ts");
  const { planResumed } = await import("../experiment/resume.ts");
  const outDir = basename(resume) === "results.json" ? dirname(resume) : resume;
  using _ = await occupy(outDir);
  const kept = await readResumable(outDir);
  const threshold = values.threshold.map(({ text }) => text);
  const planned = await planResumed(outDir, kept, { ...values, threshold });
  await checkHosts(planned.plan.cells);
  const baseline = await readBaseline(planned.experiment.thresholds, values.baseline);
  const { file, flags } = kept;
  if (kept.state !== "done") {
    const work = { ...planned, outDir, invocation: { file, flags }, kept };
    return await carryOut(work, baseline, withAgents(values, flags?.agents));
  }
  if (!values.quiet) {
    printError(textLines(["Nothing is left to measure: this experiment is complete"]));
  }
  const forms = resultForms([kept], baseline);
  await deliver(kept, forms, { outDir, values, hasToldMissing: false });
  await verify(kept, forms, { values, hasToldMissing: false });
  return EXIT.done;
}

/** Throws the error that determines the exit code; returns if the run succeeded. */
async function verify(
  results: Results,
  { gates }: ResultForms,
  { values, hasToldMissing }: Pick<Delivery, "values" | "hasToldMissing">,
): Promise<void> {
  const { strict } = values;
  const hasSummary = isSummaryShown(values);
  verifyResults(results, { hasMissing: hasToldMissing || hasSummary, hasSummary });
  if (strict) verifyTrust(results.runs, { hasSummary });
  await verifyGates(gates, { hasSummary });
  verifyCapacities(
    results.runs.flatMap(({ scenario, target, repetition, capacity }) =>
      capacity === undefined
        ? []
        : [{ place: `${scenario}, ${target}, run ${repetition}: `, search: capacity }]
    ),
    { isStrict: strict, isPrinted: false },
  );
}

function carryOut(work: Work, baseline: Grouped | null, values: RunValues): Promise<number> {
  if (values.agents !== undefined) refuseLocal(work.plan.cells, work.experiment);
  return interruptible(async (signal) => {
    if (!values.quiet) await offerFrameworks(work.plan.cells, signal);
    await using live = await startLive(values, baseline);
    const view = await progressView(values.quiet);
    const host = work.invocation.flags?.host ?? LOOPBACK;
    const logFolder = values.log === undefined ? null : await makeLogFolder(values.log);
    const request = {
      ...{ ...work, host, redisUrl: targetsRedisOf(values), logFolder },
      ...await fetchLimits(),
    };
    const told = new Set<string>();
    const onProgress = withLive(live, (event) => {
      view.onProgress(event);
      if (event.kind === "missing" && !values.quiet) told.add(event.missing.reason);
    });
    const onNote = (text: string): void => onProgress({ kind: "note", text });
    const loader = await loaderFor(values, onNote);
    const hooks = { loader, onProgress, signal, onSaved: live?.onSaved };
    const results = await runExperiment(request, hooks)
      .finally(() => loader.close())
      .finally(view.stop);
    const forms = resultForms([results], baseline);
    await writeOwnFile(join(work.outDir, "results.json"), await forms.json());
    const hasToldMissing = results.missing.every(({ reason }) => told.has(reason));
    await deliver(results, forms, { outDir: work.outDir, values, hasToldMissing, signal });
    const isWhole = results.state === "done";
    await live?.end(forms.models, { isWhole, path: join(work.outDir, "report.html") });
    if (!signal.aborted) await verify(results, forms, { values, hasToldMissing });
    return EXIT.done;
  });
}

/** Throws a UserError if the folder can't be created. */
async function makeLogFolder(path: string): Promise<string> {
  try {
    await Deno.mkdir(path, { recursive: true });
    return path;
  } catch (error) {
    const message = `Cannot write request logs to ${quotedOpenly(path)}: ${messageOf(error)}`;
    throw new UserError([{ place: "--log", message, fix: "name a folder" }]);
  }
}

/**
 * Serves the live report and prints its address; returns null without --live. Throws a TargetError if the server can't
 * listen.
 */
async function startLive(
  { live, livePort: port = 0 }: ParsedValues<typeof liveFlags>,
  baseline: Grouped | null,
): Promise<LiveReport | null> {
  if (!live) return null;
  const { LiveReport } = await import("../live/report.ts");
  const onNote = (text: string): void => printError(textLines([text]));
  const report = new LiveReport({ port, baseline, onNote });
  printError(textLines([`Live report  ${report.url}`]));
  return report;
}

/** Sends progress to the terminal and, if there is one, to the live report. */
function withLive(live: LiveReport | null, onProgress: OnProgress): OnProgress {
  if (live === null) return onProgress;
  return (event) => {
    onProgress(event);
    live.onProgress(event);
  };
}

interface Delivery {
  readonly outDir: string;
  readonly values: RunValues;
  /** Whether the progress output has named the cells that were not measured, and why. */
  readonly hasToldMissing: boolean;
  readonly signal?: AbortSignal;
}

async function deliver(
  results: Results,
  forms: ResultForms,
  { outDir, values, hasToldMissing, signal }: Delivery,
): Promise<void> {
  const page = join(outDir, "report.html");
  const where = textLines([
    "",
    `Report   ${page}`,
    `Results  ${join(outDir, "results.json")}`,
    ...(results.state === "interrupted" ? [`Resume   plateau run --resume ${quoted(outDir)}`] : []),
  ]);
  const show = async (): Promise<void> => {
    if (!takesStdout(values)) {
      await print(...forms.summary(hasToldMissing && isSummaryShown(values)), where);
    } else if (!values.quiet) printError(where);
  };
  await writeOutputs(values, forms, { page, signal }).finally(show);
  await reportToGithub({
    markdown: forms.markdown,
    annotations: async () =>
      (await import("../github/annotations.ts")).resultsAnnotations(results, forms.gates),
  });
}
