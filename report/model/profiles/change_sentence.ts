/** Which functions make one cell slower than another. */
import type { FrameChange, ProfileChange } from "../../../base/profile/frame_changes.ts";
import { formatMs, formatShare } from "../numbers/units.ts";
import { listed } from "../numbers/words.ts";

const MOST_NAMED = 3;

/** None where `after` takes no more time per request. */
export function changeSentence(
  { beforeMs, afterMs, grown }: ProfileChange,
  { before, after }: { readonly before: string; readonly after: string },
): string[] {
  if (afterMs <= beforeMs || grown.length === 0) return [];
  const named = grown.filter(({ isBeyondNoise }) => isBeyondNoise !== false).slice(0, MOST_NAMED);
  const first = `${after} works ${formatMs(afterMs)} on a request, ${before} ${
    formatMs(beforeMs)
  }`;
  if (named.length === 0) return [`${first}; no function differs by more than the runs do`];
  const noise = named.some(({ isBeyondNoise }) => isBeyondNoise === null)
    ? " (one profile run of either: how much runs differ is unknown)"
    : "";
  return [`${first}: more time is in ${listed(named.map(grownText), "and")}${noise}`];
}

function grownText({ name, module, beforeMs, afterMs, explainedRatio }: FrameChange): string {
  const place = module === "" ? "" : ` of ${module}`;
  return `\`${name}\`${place} (+${formatMs(afterMs - beforeMs)}, ${
    formatShare(Math.min(1, explainedRatio))
  } of the difference)`;
}
