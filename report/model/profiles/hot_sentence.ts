/** Where the time goes, in a sentence or two. */
import { type CallTree, type Frame, mergeTrees, treeMs } from "../../../base/profile/call_tree.ts";
import { frameTimes, hotPathOf, outsideText } from "../../../base/profile/frame_times.ts";
import type { Profile } from "../../../runner/result/result.ts";
import { formatShare } from "../numbers/units.ts";
import { listed } from "../numbers/words.ts";

/** A smaller share makes no function the one in which the time is spent. */
const HOT_RATIO = 0.05;
/** Of time outside of functions. */
const NAMED_RATIO = 0.02;

/** @param trees One a profile run with samples. "" without any. */
export function hotSentence(
  label: string,
  trees: readonly CallTree[],
  runs: readonly Profile[],
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

/** A process with little to do is not what makes requests slow. */
function idleSentence(runs: readonly Profile[]): string {
  const idleMs = runs.reduce((sum, { idleMs }) => sum + idleMs, 0);
  const busyMs = runs.reduce((sum, { busyMs }) => sum + busyMs, 0);
  const ratio = idleMs / (idleMs + busyMs);
  return ratio < HOT_RATIO ? "" : `It was idle for ${formatShare(ratio)} of the profile.`;
}
