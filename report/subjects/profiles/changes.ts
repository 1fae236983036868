/** Which functions make one cell slower than another, as a sentence. */
import {
  type FrameChange,
  outsideText,
  type ProfileChange,
  profileChange,
  type TimeChange,
} from "../../../base/profile/frame_times.ts";
import type { TargetProfile } from "../../../runner/result/result.ts";
import { formatMs, formatShare } from "../../writing/units.ts";
import { listed } from "../../writing/words.ts";

/** The profiles of a cell, with its label. */
interface ProfiledSide {
  readonly label: string;
  readonly runs: readonly TargetProfile[];
}

/** Why `after` is slower than `before`; null if it takes no more time per request, or if the profiles do not show it. */
export function slowdownSentence(before: ProfiledSide, after: ProfiledSide): string | null {
  const change = changeBetween(before, after);
  return change && changeSentence(change, "more", [
    `${after.label} works ${formatMs(change.afterMs)} on a request`,
    `${before.label} ${formatMs(change.beforeMs)}`,
  ]);
}

/** How the CPU time of a request changed, according to runs without a profiler; `either` if they do not know it. */
export type WorkChange = "more" | "less" | "either";

/** Compares one target before and after a change. Null if either has no profile, or if they show no such change. */
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
  const change = profileChange(perRun(before), perRun(after));
  const isGrown = change !== null && change.afterMs > change.beforeMs && change.grown.length > 0;
  return isGrown ? change : null;
}

/** The number of requests completed during sampling follows from the rate. */
function perRun({ runs }: ProfiledSide): Parameters<typeof profileChange>[0] {
  return { runs: runs.map(({ tree, rate, forS }) => ({ tree, requests: (rate ?? 0) * forS })) };
}

const MOST_NAMED = 3;
/** Share of the difference; if the named functions explain less, it is spread over many. */
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
  const explained = named.reduce((sum, { explainedRatio }) => sum + explainedRatio, 0);
  return explained >= FEW_EXPLAIN || wide.length === 0
    ? `${lead}: ${more} time is in ${functions}${noise}`
    : `${lead}: ${more} time is in many functions, by package in ${
      textOf(wide, ({ name }) => name || "native functions")
    }; by function most in ${functions}${noise}`;
}

/** The largest changes, without those that may be chance. */
function firstOf<T extends TimeChange>(grown: readonly T[]): T[] {
  return grown.filter(({ isBeyondNoise }) => isBeyondNoise !== false).slice(0, MOST_NAMED);
}

function functionText({ name, module }: FrameChange): string {
  const outside = outsideText({ name, module, line: 0 });
  if (outside !== null) return outside;
  const what = name === "(anonymous)" ? "functions without a name" : `\`${name}\``;
  return module === "" ? what : `${what} of ${module}`;
}
