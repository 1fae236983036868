/** What the profiles of a scenario show: where each target spends its time, and why the slowest takes more than the fastest. */
import { type CallTree, mergeTrees } from "../../../base/profile/call_tree.ts";
import { frameTimes } from "../../../base/profile/frame_times.ts";
import { profileChange } from "../../../base/profile/frame_changes.ts";
import type { Profile } from "../../../runner/result/result.ts";
import { type CellRuns, cellLabel } from "../runs/cells.ts";
import type { Table } from "../tables/table.ts";
import { changeSentence } from "./change_sentence.ts";
import { frameTable } from "./frame_table.ts";
import { hotSentence } from "./hot_sentence.ts";

export interface ProfiledCell {
  readonly label: string;
  readonly color: number;
  /** Such as "node", for which profiles can be held against each other; "" where it is unknown. */
  readonly runtime: string;
  /** Where the time goes; "" where nothing was sampled. */
  readonly sentence: string;
  /** What could not be had, and what the graph leaves out. */
  readonly notes: readonly string[];
  /** Of all profile runs; null where nothing was sampled. */
  readonly tree: CallTree | null;
  readonly table: Table | null;
  /** The runtimes' own files, seen from the results. */
  readonly files: readonly string[];
}

export interface ProfilesModel {
  readonly cells: readonly ProfiledCell[];
  /** For each runtime: what the slowest does more than the fastest. */
  readonly differences: readonly string[];
}

/** Null without profiles of the scenario. @param cells The fastest first. */
export function profilesModel(
  scenario: string,
  cells: readonly CellRuns[],
  profiles: readonly Profile[],
): ProfilesModel | null {
  const own = Map.groupBy(
    profiles.filter((profile) => profile.scenario === scenario),
    (profile) => cellLabel(profile),
  );
  const profiled = cells.flatMap((cell) => {
    const runs = own.get(cell.label);
    return runs === undefined ? [] : [{ cell, runs }];
  });
  if (profiled.length === 0) return null;
  return {
    cells: profiled.map(({ cell, runs }) => profiledCell(cell, runs)),
    differences: differencesOf(profiled),
  };
}

interface CellProfiles {
  readonly cell: CellRuns;
  readonly runs: readonly Profile[];
}

function profiledCell(cell: CellRuns, runs: readonly Profile[]): ProfiledCell {
  const { label, color } = cell;
  const trees = runs.map(({ tree }) => tree).filter(({ frame }) => frame.length > 0);
  const tree = trees.length === 0 ? null : mergeTrees(trees);
  return {
    label,
    color,
    runtime: runtimeOf(cell),
    sentence: hotSentence(label, trees, runs),
    notes: [...new Set(runs.flatMap(({ notes }) => notes)), ...prunedNotes(runs)],
    tree,
    table: tree && frameTable(label, frameTimes(tree)),
    files: runs.flatMap(({ processes }) => processes.flatMap(({ file }) => file ?? [])),
  };
}

function prunedNotes(runs: readonly Profile[]): string[] {
  const nodes = runs.reduce((sum, { pruned }) => sum + pruned.nodes, 0);
  const ms = runs.reduce((sum, { pruned }) => sum + pruned.ms, 0);
  const busyMs = runs.reduce((sum, { busyMs }) => sum + busyMs, 0);
  if (nodes === 0) return [];
  const share = (100 * ms / busyMs).toFixed(1);
  return [
    `${nodes} small calls are not shown; their time, ${share} % of all, counts as their callers' own`,
  ];
}

/** The name of what runs it, without a version. */
function runtimeOf({ runs }: CellRuns): string {
  return runs[0].runtime?.split(/[ /]/)[0].toLowerCase() ?? "";
}

/** Of each runtime with several cells. */
function differencesOf(profiled: readonly CellProfiles[]): string[] {
  const sampled = profiled.filter(({ cell, runs }) =>
    runtimeOf(cell) !== "" && runs.some(({ tree }) => tree.frame.length > 0)
  );
  return [...Map.groupBy(sampled, ({ cell }) => runtimeOf(cell)).values()].flatMap((same) => {
    const [fastest, slowest] = [same[0], same[same.length - 1]];
    const change = same.length < 2 ? null : profileChange(perRun(fastest), perRun(slowest));
    return change === null
      ? []
      : changeSentence(change, { before: fastest.cell.label, after: slowest.cell.label });
  });
}

/** Requests completed while it was sampled follow from the rate. */
export function perRun(
  { runs }: Pick<CellProfiles, "runs">,
): Parameters<typeof profileChange>[0] {
  return { runs: runs.map(({ tree, rate, forS }) => ({ tree, requests: (rate ?? 0) * forS })) };
}
