/** An experiment in which each target runs twice, as `base` and as `head`; the two are neighbours in every block. */
import { dirname, join } from "node:path";
import { LOOPBACK } from "../../base/net/listen.ts";
import { runExperiment } from "../../runner/experiment/experiment.ts";
import type { LookAfter } from "../../runner/experiment/blocks.ts";
import { LocalLoader } from "../../runner/measure/local_loader.ts";
import type { AbInvocation } from "../../runner/result/invocation.ts";
import type { Results } from "../../runner/result/result.ts";
import {
  pairedData,
  type PairedFolders,
  type PairedName,
} from "../../scenarios/file/paired_targets.ts";
import { PROCESS_LOOKS } from "../../runner/stats/slices/looks.ts";
import type { ParsedValues } from "../command_line/command.ts";
import type { planFlags } from "../flags/flags.ts";
import { writeOwnFile } from "../flags/output_flags.ts";
import { type NamedRedis, redisUrlOf } from "../flags/values.ts";
import { resultForms } from "../output/formats.ts";
import { progressView } from "../terminal/terminal.ts";
import { type Changes, planFromFile, type Planned } from "./plan.ts";

interface Pairs {
  /** The folders of the two revisions, from which each target is started. */
  readonly folders: PairedFolders;
  /** The names of the two variants of a target, by the target's name in the file. */
  readonly names: ReadonlyMap<string, PairedName>;
  readonly order: PairOrder;
}

/** slices: both sides run at the same time and are loaded alternately; blocks: one side runs after the other. */
export type PairOrder = "slices" | "blocks";

/**
 * Default time for which each side is loaded in one run in slices. It is short because results vary more between
 * processes than between slices, so many short runs tell more than a few long ones. The first verdict is due after four
 * pairs of processes.
 */
const SLICED_MS = 1_500;
/**
 * The default for slices if no number of process pairs is given: measures until the verdicts are decided, but no longer
 * than until the last interim check (a look).
 */
const UNTIL_DECIDED = { until: null, atMost: Math.max(...PROCESS_LOOKS), budget: null };

/** Throws a UserError if the file is wrong. @param values Flags; `only` uses the names of targets in the file. */
export async function planPairs(
  file: string,
  values: ParsedValues<typeof planFlags>,
  { folders, names, order }: Pairs,
): Promise<Planned> {
  const { repeat = UNTIL_DECIDED, duration = SLICED_MS } = values;
  const changes = {
    ...values,
    ...order === "slices" && { repeat, duration },
    only: bothOf(values.only, names),
  };
  const planned = await planFromFile(file, changes, {
    folder: dirname(file),
    arranged: (data) => ({
      ...Object(pairedData(data, folders)),
      order: order === "slices" ? "slices" : "shuffled",
    }),
    neighbours: ({ target, scenario, parameters }) =>
      JSON.stringify([ownName(target, names), scenario, parameters]),
  });
  // Results record only the flags that the user gave, not the defaults used here.
  return {
    ...planned,
    flags: { ...planned.flags, repeat: values.repeat, duration: values.duration },
  };
}

function bothOf(
  only: Changes["only"],
  names: ReadonlyMap<string, PairedName>,
): Changes["only"] {
  if (only?.targets === undefined) return only;
  const targets = only.targets.flatMap((name) => {
    const sides = names.get(name);
    return sides === undefined ? [name] : [sides.base, sides.head];
  });
  return { ...only, targets };
}

function ownName(target: string, names: ReadonlyMap<string, PairedName>): string {
  for (const [name, { base, head }] of names) if (target === base || target === head) return name;
  return target;
}

interface PairsContext {
  readonly values: NamedRedis & { readonly quiet: boolean };
  readonly signal: AbortSignal;
  /** Results of an interrupted call, to be continued; absent or null: none. */
  readonly kept?: Results | null;
  /** The arguments that repeat the same `ab`; recorded in the results. */
  readonly ab?: AbInvocation;
  readonly look?: LookAfter;
  /** Whether to throw a NoSlicesError if the two sides of a target can't be measured in slices. */
  readonly needsSlices?: boolean;
}

/** Measures the pairs; writes results and a page into `outDir`. */
export async function measurePairs(
  planned: Planned,
  outDir: string,
  { values, signal, kept = null, ab, look, needsSlices }: PairsContext,
): Promise<Results> {
  await Deno.mkdir(outDir, { recursive: true });
  const view = await progressView(values.quiet);
  const loader = new LocalLoader();
  const request = {
    ...planned,
    ...{ outDir, kept, host: LOOPBACK, logFolder: null, redisUrl: redisUrlOf(values) },
    invocation: { flags: { ...planned.flags, threshold: [] }, ab },
  };
  const hooks = { loader, onProgress: view.onProgress, signal, look, needsSlices };
  const results = await runExperiment(request, hooks)
    .finally(() => loader.close())
    .finally(view.stop);
  const forms = resultForms([results]);
  await writeOwnFile(join(outDir, "results.json"), await forms.json());
  await writeOwnFile(join(outDir, "report.html"), await forms.html());
  return results;
}
