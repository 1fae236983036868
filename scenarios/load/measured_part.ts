/** The part of each run that the report's figures cover: either all but a discarded start, or the steady part. */
import { DEFAULT_DURATION_MS, type LoadSpec } from "./load_shape.ts";
import { lastingMs } from "./factors.ts";
import { type Conflict, type Path } from "../../base/problems.ts";
import { between, durationText } from "../../base/quantity.ts";
import * as z from "zod";

export const discard = between("0s", "1h");

/** Why runs of this load can't leave out their first `discard` milliseconds; null if they can. */
export function discardConflict(
  { discard, load }: { readonly discard: number; readonly load: LoadSpec },
): string | null {
  if (discard === 0) return null;
  if ("requests" in load && load.requests !== undefined) {
    return "Cannot discard the start of runs that end after a number of requests: give load a duration";
  }
  const shortestMs = shortestOf(load);
  if (shortestMs > discard) return null;
  return `Cannot discard ${durationText(discard)} of runs of ${durationText(shortestMs)}: ` +
    "nothing would be left";
}

/** Milliseconds that the shortest run of the load lasts. Of a search, only the last part counts. */
function shortestOf(load: LoadSpec): number {
  if ("capacity" in load) return Math.min(...load.capacity.map(({ trial: [, long] }) => long));
  if ("phases" in load) return Math.min(...load.phases.map(({ parts }) => lastingMs(parts)));
  if ("stages" in load) return Math.min(...load.stages.map(({ parts }) => lastingMs(parts)));
  return Math.min(...load.duration ?? [DEFAULT_DURATION_MS]);
}

export const figures = z.enum(["whole", "steady"]).optional().describe(
  "Part of each run that rates and latencies cover: whole (default), or steady for its steady part. A run without a " +
    "steady part counts as a whole",
);
type Figures = z.output<typeof figures>;

/**
 * The fewest intervals in which a steady part can be found. `runner/stats/steady_state/steady_state.ts` has the same
 * number.
 */
const STEADY_INTERVALS = 20;

/** Why runs of this load can't have a steady part; null if they can. Times are in milliseconds. */
export function figuresConflict(
  { figures, interval, load }: {
    readonly figures: Figures;
    readonly interval: number;
    readonly load: LoadSpec;
  },
): string | null {
  if (figures !== "steady") return null;
  const changing = ["phases", "stages"].find((key) => key in load);
  if (changing !== undefined) {
    return `Cannot take figures from the steady part of ${changing}: their load itself changes`;
  }
  if ("requests" in load && load.requests !== undefined) return null;
  const [leastMs, shortestMs] = [STEADY_INTERVALS * interval, shortestOf(load)];
  if (shortestMs >= leastMs) return null;
  return `Cannot find the steady part of runs of ${durationText(shortestMs)}: ` +
    `runs must have at least ${STEADY_INTERVALS} intervals, which last ${durationText(leastMs)}`;
}

/**
 * The parts of an experiment that the checks of `discard` and `figures` need. Any of them may be invalid, because the
 * schema reports that separately.
 */
interface MeasuredParts {
  readonly load?: LoadSpec;
  readonly scenarios?: Readonly<Record<string, { readonly load?: LoadSpec } | undefined>>;
  readonly discard?: number;
  readonly figures?: Figures;
  readonly interval?: number;
}

interface PlacedLoad {
  /** Where problems of the load are reported in the experiment file. */
  readonly path: PropertyKey[];
  readonly load: LoadSpec;
}

/**
 * Every valid load of an experiment, except those of replays, with the place at which its problems are reported.
 * @param given The parts of the experiment, any of which may be invalid.
 * @param isWrong Whether the value at a path is invalid. A load that is invalid is left out, because its length is
 * unknown.
 * @param key Where problems of the load that scenarios share are reported.
 */
function loadsOf(
  { load, scenarios }: MeasuredParts,
  isWrong: (path: Path) => boolean,
  key: "discard" | "figures",
): PlacedLoad[] {
  const own = Object.entries(scenarios ?? {}).flatMap(([scenario, spec]) => {
    const path = ["scenarios", scenario, "load"];
    return spec?.load === undefined || Object.hasOwn(spec, "replay")
      ? []
      : [{ path, place: path, load: spec.load }];
  });
  const isShared = Object.values(scenarios ?? {}).some((spec) =>
    spec?.load === undefined && !Object.hasOwn(Object(spec), "replay")
  );
  const shared = { path: [key], place: ["load"], load };
  return [...isShared ? [shared] : [], ...own].flatMap(({ path, place, load }) =>
    load === undefined || isWrong(place) ? [] : [{ path, load }]
  );
}

/**
 * The problems of loads that are too short for `discard`. They are placed at a scenario's own load, or at `discard` for
 * the load that scenarios share.
 */
export function discardConflicts(
  given: MeasuredParts,
  isWrong: (path: Path) => boolean,
): Conflict[] {
  const { discard } = given;
  if (discard === undefined || isWrong(["discard"])) return [];
  return loadsOf(given, isWrong, "discard").flatMap(({ path, load }) => {
    const message = discardConflict({ discard, load });
    return message === null ? [] : [{ path, message }];
  });
}

/**
 * The problems of loads whose runs can't have the steady part that `figures` needs. They are placed at a scenario's own
 * load, or at `figures` for the load that scenarios share.
 */
export function figuresConflicts(
  given: MeasuredParts,
  isWrong: (path: Path) => boolean,
): Conflict[] {
  const { figures, interval } = given;
  const isUnknown = isWrong(["figures"]) || isWrong(["interval"]);
  if (interval === undefined || isUnknown) return [];
  return loadsOf(given, isWrong, "figures").flatMap(({ path, load }) => {
    const message = figuresConflict({ figures, interval, load });
    return message === null ? [] : [{ path, message }];
  });
}
