/** Which part of each run the report's figures are of: all but a discarded start, or the steady part. */
import { DEFAULT_DURATION_MS, type LoadSpec } from "./load_shape.ts";
import { lastingMs } from "./factors.ts";
import { type Conflict, type Path } from "../../base/problems.ts";
import { between, durationText } from "../../base/quantity.ts";
import * as z from "zod";

export const discard = between("0s", "1h");

/** Why runs of this load can't be without their first `discard` milliseconds; null when they can. */
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

/** The length of the shortest of the runs, milliseconds. */
function shortestOf(load: LoadSpec): number {
  if ("capacity" in load) return Math.min(...load.capacity.map(({ trial: [, long] }) => long));
  if ("phases" in load) return Math.min(...load.phases.map(({ parts }) => lastingMs(parts)));
  if ("stages" in load) return Math.min(...load.stages.map(({ parts }) => lastingMs(parts)));
  return Math.min(...load.duration ?? [DEFAULT_DURATION_MS]);
}

export const figures = z.enum(["whole", "steady"]).optional().describe(
  "Part of each run that rates and latencies are of: the whole (default), or the steady part; a run without a " +
    "steady part counts whole",
);
type Figures = z.output<typeof figures>;

/** Intervals that a steady part takes to be found; `runner/stats/steady_state/steady_state.ts` has the same. */
const STEADY_INTERVALS = 20;

/** Why runs of this load have no steady part to take figures of; null when they may have. Times in milliseconds. */
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
    return `Cannot take figures of the steady part of ${changing}: their load itself changes`;
  }
  if ("requests" in load && load.requests !== undefined) return null;
  const [leastMs, shortestMs] = [STEADY_INTERVALS * interval, shortestOf(load)];
  if (shortestMs >= leastMs) return null;
  return `Cannot find the steady part of runs of ${durationText(shortestMs)}: ` +
    `it takes ${STEADY_INTERVALS} intervals, ${durationText(leastMs)}`;
}

/** The parts of an experiment that matter here; each may be wrong, which the schema reports. */
interface MeasuredParts {
  readonly load?: LoadSpec;
  readonly scenarios?: Readonly<Record<string, { readonly load?: LoadSpec } | undefined>>;
  readonly discard?: number;
  readonly figures?: Figures;
  readonly interval?: number;
}

/** Where a load is written, and the load. */
interface PlacedLoad {
  /** The place of its problems. */
  readonly path: PropertyKey[];
  readonly load: LoadSpec;
}

/**
 * Every load that is right as it is written.
 * @param given May be wrong in every part, which the schema reports.
 * @param isWrong Whether what stands at a path is wrong: its length is then not known.
 * @param key The place of problems of the load that scenarios share.
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

/** Loads that are too short for `discard`; a scenario's own load is the place of its problem. */
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

/** Loads whose runs cannot have the steady part that `figures` needs; placed as those of `discard`. */
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
