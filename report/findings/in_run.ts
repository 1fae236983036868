/** The meaning of a figure's interval within a single run, and why a figure has none. */
import type { NO_INTERVAL_REASONS } from "../../runner/result/in_run.ts";

type Reason = typeof NO_INTERVAL_REASONS[number];

/** Texts without a full stop, to follow the figure. */
export const NO_INTERVAL_TEXTS: Readonly<Record<Reason, string>> = {
  "too-short": "the run is too short",
  "not-stationary": "the level of the figure changes during the run",
  "depends-too-long": "the figure varies too slowly for a run of this length",
  "few-clusters": "the run has too few clusters of slow or failed requests",
  "lower-bounds": "some requests never ended",
};

export const OF_THIS_RUN_TEXT =
  "These 95 % intervals are about this run alone. They do not show how another process of the target would differ; only repeated runs do.";
