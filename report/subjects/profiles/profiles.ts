/**
 * The profiles of a scenario: where each target spends its time, and why the slowest target is slower than the fastest.
 */
import {
  type CallTree,
  type Frame,
  mergeTrees,
  type ProfilerName,
  treeMs,
} from "../../../base/profile/call_tree.ts";
import {
  type FrameChange,
  frameTimes,
  hotPathOf,
  largestOwnPart,
  outsideText,
  type ProfileChange,
  profileChange,
  type TimeChange,
} from "../../../base/profile/frame_times.ts";
import type { TargetProfile } from "../../../runner/result/result.ts";
import { type Block, FORMS, group, list, table, text } from "../../blocks.ts";
import { cellLabel } from "../../cells/cell_label.ts";
import type { CellRuns } from "../../cells/cells.ts";
import type { CellPair } from "../../cells/match.ts";
import { systemShareOf } from "../../figures/resources.ts";
import { mean, sum } from "../../writing/spread.ts";
import { formatMs, formatShare } from "../../writing/units.ts";
import { counted, listed } from "../../writing/words.ts";
import type { ReportContext } from "../subject.ts";
import * as column from "../tables/column.ts";
import { type Table, tableOf } from "../tables/table.ts";
import { flameOf } from "./flames.ts";

export function profiles({ scenarios, results: { profiles = [] } }: ReportContext): Block[] {
  return scenarios.map(({ name, cells }) => {
    const profiled = cells.map((cell) => profiledCell(name, cell, profiles))
      .filter(({ runs }) => runs.length > 0);
    const model = { cells: profiled, differences: differencesOf(profiled) };
    return group(name, profiled.length === 0 ? [] : profileBlocks(name, model));
  });
}

interface ProfiledCell {
  readonly cell: CellRuns;
  readonly label: string;
  readonly runs: readonly TargetProfile[];
}

export interface ProfilesModel {
  /** Cells with the fastest first. */
  readonly cells: readonly ProfiledCell[];
  /** Sentences: for each runtime, which functions make its slowest cell slower than its fastest. */
  readonly differences: readonly string[];
}

function profiledCell(
  scenario: string,
  cell: CellRuns,
  profiles: readonly TargetProfile[],
): ProfiledCell {
  const { label } = cell;
  const runs = profiles.filter((one) => one.scenario === scenario && cellLabel(one) === label);
  return { cell, label, runs };
}

/** Name of the target's runtime, without the version. */
function runtimeOf({ runs }: CellRuns): string {
  return runs[0].runtime?.split(/[ /]/)[0].toLowerCase() ?? "";
}

/** Differences between the slowest and the fastest cell of each runtime that has several cells. */
function differencesOf(profiled: readonly ProfiledCell[]): string[] {
  const sampled = profiled.filter((one) => runtimeOf(one.cell) !== "" && treesOf(one).length > 0);
  return [...Map.groupBy(sampled, ({ cell }) => runtimeOf(cell)).values()].flatMap((same) =>
    same.length < 2 ? [] : slowdownSentence(same[0], same[same.length - 1]) ?? []
  );
}

function treesOf({ runs }: Pick<ProfiledCell, "runs">): CallTree[] {
  return runs.map(({ tree }) => tree).filter(({ frame }) => frame.length > 0);
}

/** A side of a comparison, from one session or several. */
export interface SideSessions {
  readonly name: string;
  readonly sessions: readonly { readonly profiles?: readonly TargetProfile[] }[];
}

/**
 * The profiles of one cell in two results; null if either result has none.
 * @param change The change that profiles should explain; null if there is nothing to explain.
 */
export function pairedProfiles(
  match: CellPair,
  sides: readonly [SideSessions, SideSessions],
  change: WorkChange | null,
): ProfilesModel | null {
  const { scenario } = match.next;
  const [base, next] = sides.map(({ name, sessions }, i): ProfiledCell => {
    const cell = [match.base, match.next][i];
    const { runs } = profiledCell(
      scenario,
      cell,
      sessions.flatMap(({ profiles }) => profiles ?? []),
    );
    // The page can't link to a profile's file, because the file is in the folder of the results
    // that it belongs to.
    const elsewhere = runs.map((run) => ({
      ...run,
      processes: run.processes.map((process) => ({ ...process, file: null })),
    }));
    return { cell, label: name, runs: elsewhere };
  });
  if ([base, next].some((one) => treesOf(one).length === 0)) return null;
  const sentence = change && comparedSentence(base, next, change);
  return { cells: [base, next], differences: sentence === null ? [] : [sentence] };
}

/** Profiles as blocks. @param of Name of the scenario or cell that the profiles belong to. */
export function profileBlocks(of: string, { cells, differences }: ProfilesModel): Block[] {
  const flames = cells.flatMap(({ cell, label, runs }) =>
    flameOf({ label, runtime: runtimeOf(cell) }, runs) ?? []
  );
  return [
    list(differences.map((text) => ({ code: "slowdown", text: `${text}.` })), { forms: FORMS }),
    { kind: "flames", of, flames },
    text("reading", READING, "note"),
    ...cells.map(cellGroup),
  ];
}

const READING =
  "A call is as wide as the time in it and in all that it called; callers stand above what they called. Own time is that in the function itself. Profiles are of extra runs, which are in no other figure.";

function cellGroup(profiled: ProfiledCell): Block {
  const { label, runs } = profiled;
  const trees = treesOf(profiled);
  const notes = new Set([...runs.flatMap(({ notes }) => notes), ...prunedNotes(runs)]);
  const files = runs.flatMap(({ processes }) => processes.flatMap(({ file }) => file ?? []));
  return group(label, [
    { ...text("hot", trees.length === 0 ? "" : hotText(profiled, trees)), forms: FORMS },
    ...[...notes].map((note) => ({
      ...text("profile-note", `${note}.`, "note"),
      // If no function was sampled, the notes are all there is to say, so they are shown
      // everywhere.
      ...trees.length === 0 && { forms: FORMS },
    })),
    table(functionTable(label, trees), { fold: "Functions as a table" }),
    text("files", files.length === 0 ? "" : `Files: ${files.join(", ")}`, "note"),
  ]);
}

/** A note on how many small calls are not shown, and on their time. */
function prunedNotes(runs: readonly TargetProfile[]): string[] {
  const nodes = sum(runs, ({ pruned }) => pruned.nodes);
  const share = sum(runs, ({ pruned }) => pruned.ms) / sum(runs, ({ busyMs }) => busyMs);
  return nodes === 0 ? [] : [
    `${nodes} small calls are not shown; their time, ${
      (100 * share).toFixed(1)
    } % of all, counts as their callers' own`,
  ];
}

/** The most functions in the table. Any others take too little time to matter. */
const MOST_ROWS = 20;

/** A table of functions, with the longest own time first. */
function functionTable(label: string, trees: readonly CallTree[]): Table {
  const times = frameTimes(mergeTrees(trees));
  const wholeMs = sum(times, ({ ownMs }) => ownMs);
  const left = times.length - MOST_ROWS;
  const notes = left > 0 ? [`${counted(left, "function")} with less own time not shown.`] : [];
  return tableOf(
    { caption: `Functions of ${label} by their own time`, notes },
    times.slice(0, MOST_ROWS),
    [
      column.name("Function", ({ frame }) => frame.name),
      column.text("Module and line", ({ frame }) => placeText(frame)),
      column.number("Own time", ({ ownMs }) => ownMs / wholeMs, "share"),
      column.number("Total time", ({ totalMs }) => totalMs / wholeMs, "share"),
    ],
  );
}

/** For example `lib/response.js:239`; "" if unknown. */
function placeText({ module, line }: Frame): string {
  return line > 0 ? `${module}:${line}` : module;
}

// Where the time goes, in one or two sentences.

/** If no function has at least this share of the time, none is said to be where the time goes. */
const HOT_RATIO = 0.05;
/**
 * Parts outside of functions, such as garbage collection, are named only if they have at least this share of all time.
 */
const NAMED_RATIO = 0.02;

/** Says where most of the time goes. @param trees One for each profile run that has samples; at least one. */
function hotText(profiled: ProfiledCell, trees: readonly CallTree[]): string {
  const { cell, runs } = profiled;
  const whole = mergeTrees(trees);
  return [
    ownSentence(profiled, whole),
    pathSentence(profiled, whole, trees),
    oftenSentence(whole, runs, cell),
    outsideSentence(whole),
    idleSentence(runs),
  ].filter(Boolean).join(" ");
}

/**
 * Names the program's own function that takes the most time together with the libraries and system calls that it uses;
 * "" if its share is small, or if the hot path already names it.
 */
function ownSentence({ label, runs }: ProfiledCell, whole: CallTree): string {
  const part = largestOwnPart(whole);
  if (part === null || part.ratio < HOT_RATIO || hotPathOf(whole)?.frame === part.frame) return "";
  const { frame, ratio } = part;
  const name = frame.name === "(anonymous)"
    ? `function at ${placeText(frame)}`
    : `\`${frame.name}\` (${placeText(frame)})`;
  return `${formatShare(ratio)} of ${label}'s ${
    timeNoun(runs)
  } is in its own ${name} and the libraries that it calls.`;
}

function pathSentence(
  { label, runs }: ProfiledCell,
  whole: CallTree,
  trees: readonly CallTree[],
): string {
  const path = hotPathOf(whole);
  const time = timeNoun(runs);
  if (path === null) return `${label} spends its ${time} outside of functions.`;
  const { frame, caller, ownRatio } = path;
  const share = sharesText(frame, ownRatio, trees);
  if (ownRatio < HOT_RATIO) {
    return `${label} spends its ${time} in many functions: \`${frame.name}\` has the most, ${share}.`;
  }
  const names = [...caller === null ? [] : [caller], frame].map(({ name }) => `\`${name}\``);
  const place = frame.module === "" ? "" : ` (${placeText(frame)})`;
  return `${share} of ${label}'s ${time} is in ${names.join(" → ")}${place}.`;
}

/** Profilers that sample by CPU time, so that waiting does not count. */
const BY_CPU_TIME: readonly ProfilerName[] = ["pprof", "perf"];

function timeNoun(runs: readonly TargetProfile[]): "CPU time" | "time" {
  const sampled = runs.flatMap(({ processes }) => processes.filter(({ samples }) => samples > 0));
  const isCpu = sampled.every(({ profiler }) => BY_CPU_TIME.includes(profiler));
  return isCpu && sampled.length > 0 ? "CPU time" : "time";
}

/** The share over all runs, and the range over single runs: `62 % (58 %–65 % in 3 runs)`. */
function sharesText({ name, module }: Frame, ratio: number, trees: readonly CallTree[]): string {
  if (trees.length < 2) return formatShare(ratio);
  const shares = trees.map((tree) => {
    const own = frameTimes(tree).filter(({ frame }) =>
      frame.name === name && frame.module === module
    );
    return sum(own, ({ ownMs }) => ownMs) / treeMs(tree);
  });
  const [low, high] = [Math.min(...shares), Math.max(...shares)].map(formatShare);
  return `${formatShare(ratio)} (${low}–${high} in ${trees.length} runs)`;
}

/** Native functions that are little more than a system call. */
const SYSTEM_CALLS = /^(?:writev|write(?:Buffer|(?:Utf8|Latin1|Ascii|Ucs2)String))$/;
/** The share of system calls in the samples may exceed the kernel's share of the CPU time by this much. */
const TOO_OFTEN = 0.1;

/**
 * Says if the samples show a much larger share of system calls than the kernel counted. This happens because V8's
 * sampler overstates time in system calls.
 */
function oftenSentence(
  whole: CallTree,
  runs: readonly TargetProfile[],
  { runs: measured }: CellRuns,
): string {
  const kernel = measured.flatMap((run) => systemShareOf(run) ?? []);
  const calls = frameTimes(whole).filter(({ frame: { name, module } }) =>
    module === "" && SYSTEM_CALLS.test(name)
  );
  const callsRatio = sum(calls, ({ ownMs }) => ownMs) /
    sum(runs, ({ busyMs, idleMs }) => busyMs + idleMs);
  if (kernel.length === 0 || callsRatio < mean(kernel) + TOO_OFTEN) return "";
  return "V8 overstates system calls here: by the kernel's count, the calls took at most " +
    `${formatShare(mean(kernel))} of the target's CPU time.`;
}

function outsideSentence(whole: CallTree): string {
  const shares = frameTimes(whole).flatMap(({ frame, ownMs }) => {
    const [what, ratio] = [outsideText(frame), ownMs / treeMs(whole)];
    return what === null || ratio < NAMED_RATIO ? [] : [`${formatShare(ratio)} ${what}`];
  });
  return shares.length === 0 ? "" : `Time outside of functions: ${listed(shares, "and")}.`;
}

/**
 * Says for which share of the profile the process was idle; "" if that share is small. V8's idle time begins just
 * before Node waits for input and ends after the last callback that handles this input. Within that time, only running
 * JavaScript counts as busy.
 */
function idleSentence(runs: readonly TargetProfile[]): string {
  const ratio = sum(runs, ({ idleMs }) => idleMs) /
    sum(runs, ({ busyMs, idleMs }) => busyMs + idleMs);
  if (ratio < HOT_RATIO) return "";
  return `For ${
    formatShare(ratio)
  } of the profile, the process waited for requests or read them: ` +
    "V8 counts both as idle time.";
}

// A sentence about which functions make one cell slower than another.

type ProfiledSide = Pick<ProfiledCell, "label" | "runs">;

/**
 * Why `after` is slower than `before`; null if `after` takes no more time per request, or if the profiles do not show
 * why.
 */
export function slowdownSentence(before: ProfiledSide, after: ProfiledSide): string | null {
  const change = changeBetween(before, after);
  return change && changeSentence(change, "more", [
    `${after.label} works ${formatMs(change.afterMs)} on a request`,
    `${before.label} ${formatMs(change.beforeMs)}`,
  ]);
}

/**
 * How the CPU time of a request changed according to runs without a profiler; `either` if these runs do not show the
 * direction.
 */
export type WorkChange = "more" | "less" | "either";

/**
 * Compares one target before and after a change; null if either side has no profile, or if the profiles do not show a
 * change in the direction of `work`.
 */
export function comparedSentence(
  base: ProfiledSide,
  next: ProfiledSide,
  work: WorkChange,
): string | null {
  const slower = work === "less" ? null : slowdownSentence(base, next);
  const change = slower === null && work !== "more" ? changeBetween(next, base) : null;
  return change === null ? slower : changeSentence(change, "less", [
    `${next.label} works ${formatMs(change.beforeMs)} on a request`,
    `${base.label} ${formatMs(change.afterMs)}`,
  ]);
}

function changeBetween(before: ProfiledSide, after: ProfiledSide): ProfileChange | null {
  // The number of requests completed during sampling is the rate times the duration.
  const [was, is] = [before, after].map(({ runs }) => ({
    runs: runs.map(({ tree, rate, forS }) => ({ tree, requests: (rate ?? 0) * forS })),
  }));
  const change = profileChange(was, is);
  const isGrown = change !== null && change.afterMs > change.beforeMs && change.grown.length > 0;
  return isGrown ? change : null;
}

const MOST_NAMED = 3;
/**
 * If the named functions explain less than this share of the difference, the difference counts as spread over many
 * functions.
 */
const FEW_EXPLAIN = 0.5;

function changeSentence(
  { grown, packages }: ProfileChange,
  more: "more" | "less",
  sides: readonly string[],
): string {
  const [named, wide] = [firstOf(grown), firstOf(packages)];
  const lead = sides.join(", ");
  if (named.length === 0) return `${lead}; no function differs by more than the runs do`;
  const noise = named.some(({ isBeyondNoise }) => isBeyondNoise === null)
    ? " (a side has only one profile run, so the noise between runs is unknown)"
    : "";
  const textOf = <Change extends TimeChange>(
    changes: readonly Change[],
    nameOf: (change: Change) => string,
  ): string =>
    listed(
      changes.map((change, i) => {
        const ms = `${more === "more" ? "+" : "−"}${formatMs(change.afterMs - change.beforeMs)}`;
        const share = formatShare(Math.min(1, change.explainedRatio));
        return `${nameOf(change)} (${ms}, ${share}${i === 0 ? " of the difference" : ""})`;
      }),
      "and",
    );
  const functions = textOf(named, functionText);
  const explained = sum(named, ({ explainedRatio }) => explainedRatio);
  return explained >= FEW_EXPLAIN || wide.length === 0
    ? `${lead}: ${more} time is in ${functions}${noise}`
    : `${lead}: ${more} time is in many functions, by package in ${
      textOf(wide, ({ name }) => name || "native functions")
    }; by function most in ${functions}${noise}`;
}

/** The largest changes, without those that are known to be within the noise. */
function firstOf<T extends TimeChange>(grown: readonly T[]): T[] {
  return grown.filter(({ isBeyondNoise }) => isBeyondNoise !== false).slice(0, MOST_NAMED);
}

function functionText({ name, module }: FrameChange): string {
  const outside = outsideText({ name, module, line: 0 });
  if (outside !== null) return outside;
  const what = name === "(anonymous)" ? "functions without a name" : `\`${name}\``;
  return module === "" ? what : `${what} of ${module}`;
}
