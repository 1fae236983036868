/** Why a rule is inconclusive, or has nothing to be held against: a sentence for each code, without a full stop. */
import { unsteadyText } from "../cells/cells.ts";
import { figureRangeText } from "../writing/figure_text.ts";
import type { Absence, Outcome, Reason } from "../judge/rules.ts";
import { formatCount, formatNumber, formatShare } from "../writing/units.ts";
import { counted } from "../writing/words.ts";

/** What was found with a code; several codes may have the same evidence. */
export type WithCode<Found, Code> = Found extends { readonly code: infer Codes }
  ? Code extends Codes ? Found : never
  : never;

/** By code, the sentence of what was found. */
export type Catalogue<Found extends { readonly code: string }> = {
  readonly [Code in Found["code"]]: (found: WithCode<Found, Code>) => string;
};

/** The sentence of what was found: a catalogue has one for each of its codes. */
export function sentenceIn<Found extends { readonly code: string }>(
  catalogue: Catalogue<Found>,
  found: Found,
): string {
  const sentence: (found: never) => string = catalogue[found.code as Found["code"]];
  return sentence(found as never);
}

const WITHOUT: Readonly<Record<Outcome, string>> = {
  held: "it holds",
  broken: "it does not hold",
  inconclusive: "it is inconclusive",
};

/** More requests are no advice. */
const MOST_REQUESTS = 1e9;

const REASONS: Catalogue<Reason> = {
  "one-run": () => "one run: no interval",
  "one-run-each": () => "one run each: no interval",
  "one-run-of": ({ cell }) => `one run of ${cell}: no interval`,
  "one-run-with-figure": () => "one run has the figure: no interval",
  "one-run-a-side": () => "one run says nothing about the next: measure 5 or more a side",
  "no-interval": () => "it has no interval over the runs: compare another figure",
  "no-ratio": () => "both are 0, which have no ratio",
  "across-limit": ({ more }) =>
    more === null
      ? "the interval lies across the limit"
      : more === "cells"
      ? "the interval over the cells lies across the limit, more cells would decide"
      : "the interval lies across the limit, more runs would decide",
  "few-cells": ({ least }) => `fewer than ${least} cells: no interval`,
  "few-runs": () => "inconclusive: too few runs",
  "measured-once": ({ name }) => `${name} was measured once: no interval`,
  "at-least": ({ name }) => `${name} is known to be at least that, and may be more`,
  "settling-open": ({ cell }) => `a run of ${cell} ended before it had surely settled`,
  "requests-open": ({ cell, count }) =>
    cell === ""
      ? `${counted(count, "request")} never ended, so it may be more`
      : `${counted(count, "request")} of ${cell} never ended, so it may be more`,
  "wrong-responses": ({ cell, wrongRatio }) =>
    `${formatShare(wrongRatio)} of the requests of ${cell} were wrong or failed, ` +
    "and a fast error is no success",
  "busy-machine": ({ invalid, runs, without }) =>
    invalid === 1
      ? `1 of ${counted(runs, "run")} behind it is not valid, and without it ${WITHOUT[without]}`
      : `${invalid} of ${runs} runs behind it are not valid, and without them ${WITHOUT[without]}`,
  "busy-failures": ({ cell }) =>
    `the generator or the machine may have caused the failures of ${cell}`,
  "busy-peak": ({ name, invalid, runs }) =>
    `${invalid} of ${
      counted(runs, "run")
    } after ${name} are not valid, so it was measured on a busy machine`,
  "rounds-differ": ({ name, low, high }) =>
    `${name} was ${formatNumber(low)}/s in one round and ${
      formatNumber(high)
    }/s in another, so other programs disturbed it`,
  groups: ({ groups, unit }) => {
    const near = groups.map(({ count, value }) =>
      `${count} near ${figureRangeText({ value, interval: null }, unit)}`
    );
    return `runs fall into two groups: ${near.join(", ")}`;
  },
  unsteady: ({ unsteady }) => unsteadyText(unsteady),
  "few-requests": ({ percentile, needed, count }) =>
    `p${percentile} needs ${formatCount(needed)} requests, ${formatCount(count)} were measured`,
  "more-runs": ({ runs, isEachSide }) =>
    runs === null
      ? "it lies so near the limit that 1,000 runs would not decide"
      : `about ${formatCount(runs)} runs ${isEachSide ? "a side " : ""}would decide`,
  "more-requests": ({ requests, like }) =>
    requests <= MOST_REQUESTS
      ? `about ${formatCount(roundedUp(requests))} requests ${
        like === null ? "" : `${like} `
      }would decide`
      : "it lies at the limit, where no number of requests decides",
  "other-session": () =>
    "worse in these two sessions, and nobody knows by how much sessions differ: measure both in one experiment",
  family: ({ tests, remedy }) =>
    `it fails alone, but not surely among ${counted(tests, "test")}${
      remedy === null ? "" : `; ${reasonText(remedy)}`
    }`,
};

/** To three digits: no estimate is better. */
function roundedUp(count: number): number {
  const step = 10 ** Math.max(0, Math.floor(Math.log10(count)) - 2);
  return Math.ceil(count / step) * step;
}

export function reasonText(reason: Reason): string {
  return sentenceIn(REASONS, reason);
}

const ABSENCES: Catalogue<Absence> = {
  "cell-not-measured": ({ cell, why }) => `${cell} was not measured: ${why}`,
  "no-figure": ({ cell, figure, why }) => `${cell} has no ${figure}: ${why}`,
  "nothing-to-judge": ({ why }) => `nothing to judge: ${why}`,
  "no-baseline": ({ why }) => `nothing to judge by: ${why}`,
  "wrong-selector": ({ problem }) => problem,
  "nothing-measured": () => "nothing was measured",
  "none-selected": ({ selector }) => `no cell of ${selector} was measured`,
  "no-pair": ({ left, right }) => `no cell of ${left} has its like in ${right}`,
  "no-four": () => "no cells of the two ratios go together",
  "figure-zero": () => "one of the figures is 0",
  "peak-not-measured": ({ name }) => `${name} was not measured`,
  "load-changes": ({ cell }) => `${cell} has a load that itself changes`,
  "runs-too-short": ({ cell }) => `the runs of ${cell} were too short to detect a warm-up`,
  "no-order": ({ figures, cells, without }) =>
    `${figures.join(" and ")} have no order over ${counted(cells, "cell")}${withoutText(without)}`,
};

export function absenceText(absence: Absence): string {
  return sentenceIn(ABSENCES, absence);
}

/** Of cells. */
export function withoutText(without: number): string {
  return without === 0 ? "" : `; ${counted(without, "cell")} without both figures`;
}
