/** What the profiles of a scenario show: where each target spends its time, and why the slowest takes more than the fastest. */
import { type CallTree, type Frame, mergeTrees, treeMs } from "../../../base/profile/call_tree.ts";
import {
  type FrameTime,
  frameTimes,
  hotPathOf,
  outsideText,
} from "../../../base/profile/frame_times.ts";
import type { TargetProfile } from "../../../runner/result/result.ts";
import { formatShare } from "../../writing/units.ts";
import { counted, listed } from "../../writing/words.ts";
import {
  comparedSentence,
  type ProfiledSide,
  slowdownSentence,
  type WorkChange,
} from "./changes.ts";
import { type Flame, flameOf } from "./flames.ts";
import { cellLabel } from "../../cells/cell_label.ts";
import { systemShareOf } from "../../figures/resources.ts";
import { type Block, type Form, group, list, table, text } from "../../blocks.ts";
import type { CellRuns } from "../../cells/cells.ts";
import type { ReportContext, Subject } from "../subject.ts";
import { shareCell, type Table, tableOf, textCell } from "../tables/table.ts";

/** Nothing without profile runs. */
export const profiles: Subject<ReportContext> = {
  id: "profiles",
  title: "Profiles",
  depth: "detail",
  build: ({ scenarios, results }) =>
    scenarios.map(({ name, cells }) => {
      const model = profilesModel(name, cells, results.profiles ?? []);
      return group(name, model === null ? [] : profileBlocks(name, model));
    }),
};

const FORMS: readonly Form[] = ["page", "terminal", "markdown"];

/** @param of What was profiled. */
export function profileBlocks(of: string, { cells, differences }: ProfilesModel): Block[] {
  return [
    list(differences.map((text) => ({ code: "slowdown", text: `${text}.` })), { forms: FORMS }),
    { kind: "flames", of, flames: cells.flatMap(({ flame }) => flame ?? []) },
    text("reading", READING, "note"),
    ...cells.map(({ label, sentence, notes, table: functions, files }) =>
      group(label, [
        { ...text("hot", sentence), forms: FORMS },
        ...notes.map((note) => text("profile-note", `${note}.`, "note")),
        ...functions === null ? [] : [table(functions, { fold: "Functions as a table" })],
        text("files", files.length === 0 ? "" : `Files: ${files.join(", ")}`, "note"),
      ])
    ),
  ];
}

const READING =
  "A call is as wide as the time in it and in all that it called; callers stand above what they called. Own time is that in the function itself. Profiles are of extra runs, which are in no other figure.";

interface ProfiledCell {
  readonly label: string;
  readonly color: number;
  /** Where the time goes; "" where nothing was sampled. */
  readonly sentence: string;
  /** What could not be had, and what the graph leaves out. */
  readonly notes: readonly string[];
  /** Of all profile runs; null where nothing was sampled. */
  readonly flame: Flame | null;
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
function profilesModel(
  scenario: string,
  cells: readonly CellRuns[],
  profiles: readonly TargetProfile[],
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
  readonly runs: readonly TargetProfile[];
}

function profiledCell(cell: CellRuns, runs: readonly TargetProfile[]): ProfiledCell {
  const { label, color } = cell;
  const trees = runs.map(({ tree }) => tree).filter(({ frame }) => frame.length > 0);
  const tree = trees.length === 0 ? null : mergeTrees(trees);
  return {
    label,
    color,
    sentence: hotSentence(cell, trees, runs),
    notes: [...new Set(runs.flatMap(({ notes }) => notes)), ...prunedNotes(runs)],
    flame: flameOf({ label, runtime: runtimeOf(cell) }, runs),
    table: tree && frameTable(label, frameTimes(tree)),
    files: runs.flatMap(({ processes }) => processes.flatMap(({ file }) => file ?? [])),
  };
}

function prunedNotes(runs: readonly TargetProfile[]): string[] {
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
    const [fastest, slowest] = [same[0], same[same.length - 1]].map(sideOf);
    return same.length < 2 ? [] : slowdownSentence(fastest, slowest) ?? [];
  });
}

function sideOf({ cell: { label }, runs }: CellProfiles): ProfiledSide {
  return { label, runs };
}

/** One cell of two results. Null where either has no profile. @param change Null: there is none to explain. */
export function pairedProfiles(
  scenario: string,
  [base, next]: readonly [PairedProfile, PairedProfile],
  change: WorkChange | null,
): ProfilesModel | null {
  const both = [base, next].map(({ name, cell, profiles }) => ({
    // Its files are of another folder.
    cell: { ...cell, label: name },
    runs: profiles.filter((profile) =>
      profile.scenario === scenario && cellLabel(profile) === cell.label
    ),
  }));
  if (both.some(({ runs }) => runs.every(({ tree }) => tree.frame.length === 0))) return null;
  const [before, after] = both.map(sideOf);
  return {
    cells: both.map(({ cell, runs }) => ({ ...profiledCell(cell, runs), files: [] })),
    differences: change === null ? [] : [comparedSentence(before, after, change) ?? []].flat(),
  };
}

/** A side of a comparison, and its results' profiles. */
interface PairedProfile {
  readonly name: string;
  readonly cell: CellRuns;
  readonly profiles: readonly TargetProfile[];
}

// Where the time goes, in a sentence or two.

/** A smaller share makes no function the one in which the time is spent. */
const HOT_RATIO = 0.05;
/** Of time outside of functions. */
const NAMED_RATIO = 0.02;

/** @param trees One a profile run with samples. "" without any. */
function hotSentence(
  { label, runs: measured }: CellRuns,
  trees: readonly CallTree[],
  runs: readonly TargetProfile[],
): string {
  if (trees.length === 0) return "";
  const whole = mergeTrees(trees);
  const path = hotPathOf(whole);
  const sentences = [
    path === null
      ? `${label} spends its time outside of functions.`
      : path.ownRatio < HOT_RATIO
      ? `${label} spends its time in many functions: ${quoted(path.frame)} has the most, ${
        sharesText(path.frame, path.ownRatio, trees)
      }.`
      : `${sharesText(path.frame, path.ownRatio, trees)} of ${label}'s time is in ${
        path.caller === null ? "" : `${quoted(path.caller)} → `
      }${quoted(path.frame)}${placeText(path.frame)}.`,
    oftenSentence(whole, runs, measured),
    outsideSentence(whole),
    idleSentence(runs),
  ];
  return sentences.filter((text) => text !== "").join(" ");
}

function quoted({ name }: Frame): string {
  return `\`${name}\``;
}

/** ` (lib/response.js:239)`; "" where neither is known. */
function placeText({ module, line }: Frame): string {
  if (module === "") return "";
  return ` (${module}${line > 0 ? `:${line}` : ""})`;
}

/** The share of all runs together, and how far runs differ: `62 % (58 %–65 % in 3 runs)`. */
function sharesText({ name, module }: Frame, ratio: number, trees: readonly CallTree[]): string {
  if (trees.length < 2) return formatShare(ratio);
  const shares = trees.map((tree) =>
    frameTimes(tree)
      .filter(({ frame }) => frame.name === name && frame.module === module)
      .reduce((sum, { ownMs }) => sum + ownMs, 0) / treeMs(tree)
  );
  const [low, high] = [Math.min(...shares), Math.max(...shares)].map(formatShare);
  return `${formatShare(ratio)} (${low}–${high} in ${trees.length} runs)`;
}

/** Native functions that are little but a system call. */
const SYSTEM_CALLS = /^(?:writev|write(?:Buffer|(?:Utf8|Latin1|Ascii|Ucs2)String))$/;
/** Of the time: by less a share of samples and one of CPU time may differ. */
const TOO_OFTEN = 0.1;

/** V8's sampler sees a target in system calls more often than it is there. They are held against the kernel's count. */
function oftenSentence(
  whole: CallTree,
  runs: readonly TargetProfile[],
  measured: CellRuns["runs"],
): string {
  const callsMs = frameTimes(whole)
    .filter(({ frame: { name, module } }) => module === "" && SYSTEM_CALLS.test(name))
    .reduce((sum, { ownMs }) => sum + ownMs, 0);
  const wholeMs = runs.reduce((sum, { busyMs, idleMs }) => sum + busyMs + idleMs, 0);
  const kernel = measured.flatMap((run) => systemShareOf(run) ?? []);
  if (kernel.length === 0) return "";
  const kernelRatio = kernel.reduce((sum, ratio) => sum + ratio, 0) / kernel.length;
  return callsMs < (kernelRatio + TOO_OFTEN) * wholeMs
    ? ""
    : "V8 shows system calls too often here: by the kernel's count they have at most " +
      `${formatShare(kernelRatio)} of its CPU time.`;
}

function outsideSentence(whole: CallTree): string {
  const wholeMs = treeMs(whole);
  const shares = frameTimes(whole).flatMap(({ frame, ownMs }) => {
    const text = outsideText(frame);
    return text === null || ownMs < NAMED_RATIO * wholeMs
      ? []
      : [`${formatShare(ownMs / wholeMs)} ${text}`];
  });
  return shares.length === 0 ? "" : `Outside of functions: ${listed(shares, "and")}.`;
}

/**
 * A process with little to do is not what makes requests slow. Node calls itself idle from before it waits for the
 * system until after the last of its callbacks for input, but for what those do in JavaScript.
 */
function idleSentence(runs: readonly TargetProfile[]): string {
  const idleMs = runs.reduce((sum, { idleMs }) => sum + idleMs, 0);
  const busyMs = runs.reduce((sum, { busyMs }) => sum + busyMs, 0);
  const ratio = idleMs / (idleMs + busyMs);
  return ratio < HOT_RATIO
    ? ""
    : `For ${formatShare(ratio)} of the profile it waited for requests or read them: ` +
      "V8 counts both as idle.";
}

/** Of the rest none matters. */
const MOST_ROWS = 20;

/** @param times The longest own time first. */
function frameTable(label: string, times: readonly FrameTime[]): Table {
  const wholeMs = times.reduce((sum, { ownMs }) => sum + ownMs, 0);
  const rows = times.slice(0, MOST_ROWS);
  const left = times.length - rows.length;
  const notes = left > 0 ? [`${counted(left, "function")} with less own time not shown.`] : [];
  return tableOf({ caption: `Functions of ${label} by their own time`, notes }, rows, [
    { label: "Function", kind: "name", cell: ({ frame }) => textCell(frame.name) },
    {
      label: "Module and line",
      kind: "text",
      cell: ({ frame: { module, line } }) => textCell(line > 0 ? `${module}:${line}` : module),
    },
    { label: "Own time", unit: "%", cell: ({ ownMs }) => shareCell(ownMs / wholeMs) },
    { label: "Total time", unit: "%", cell: ({ totalMs }) => shareCell(totalMs / wholeMs) },
  ]);
}
