/**
 * The standing of one side of a comparison against the other, as far as their runs show: every sentence, table and
 * figure about a pair takes it from here. The interval beside it is the one that decides; if another criterion decided,
 * the standing says so: `likely` is a difference by the interval that a correction or an exact test does not confirm.
 */
import { type FigureComparison, NOTABLE_CHANGE } from "./comparison.ts";

/** How the next side compares with the base. */
export type Standing =
  | "ahead"
  | "behind"
  /** The whole interval lies within the margin. */
  | "equivalent"
  /**
   * The interval excludes 1, but not the margin; or Holm's correction, or the exact test, disagrees with the interval;
   * or a side never settled, but is on the same side in both halves of the runs.
   */
  | "likely-ahead"
  | "likely-behind"
  /** The interval contains 1, and the runs would have shown any notable change. */
  | "no-difference-seen"
  /** The interval contains 1, and notable changes as well. */
  | "few-runs"
  | "groups"
  | "unsteady"
  /** Two capacities are compared, and one is a lower bound. */
  | "at-least"
  /** No difference was seen, but the generator, which limited most runs of a side, may have hidden one. */
  | "generator"
  /** A single run says nothing about the next. */
  | "one-run"
  /** A side has runs that served nothing. */
  | "silent"
  /** Other obstacles to a verdict: two sessions, wrong responses, nothing to compare. */
  | "unknown";

export function standingOf(comparison: FigureComparison): Standing {
  const { figure, ratio, interval, verdict, reason, smallestChange } = comparison;
  if (verdict === "better") return "ahead";
  if (verdict === "worse") return "behind";
  if (verdict === "equivalent") return "equivalent";
  const likely = ((ratio ?? 1) > 1) === (figure === "rate") ? "likely-ahead" : "likely-behind";
  switch (reason) {
    case "margin":
    case "many":
    case "exact":
      return likely;
    case "few-runs":
      return smallestChange !== null && smallestChange <= NOTABLE_CHANGE
        ? "no-difference-seen"
        : "few-runs";
    case "unsteady":
      return comparison.isAheadInHalves && interval !== null &&
          (interval.low > 1 || interval.high < 1)
        ? likely
        : reason;
    case "groups":
    case "at-least":
    case "generator":
    case "one-run":
    case "silent":
      return reason;
    default:
      return "unknown";
  }
}

/** How certain a standing is, which a matrix shows by shading. */
export type Certainty = "decided" | "likely" | "open";

export function certaintyOf(standing: Standing): Certainty {
  if (standing === "ahead" || standing === "behind" || standing === "equivalent") return "decided";
  return standing === "likely-ahead" || standing === "likely-behind" ? "likely" : "open";
}
