/** What a card says: one sentence for each verdict, each note beside it and each state of trust, from typed evidence alone. */
import type { Standing } from "../judge/standing.ts";
import type { Shortfall } from "../judge/shortfall.ts";
import { shortfallShare, shortfallText } from "./judgements.ts";
import { percentText, timesText } from "../writing/ratios.ts";
import { counted, listed, listedSome } from "../writing/words.ts";

/** From the least to the most: shares of a throughput, 0–1, or ratios. */
export interface Range {
  readonly least: number;
  readonly most: number;
}

/** How many of the places; a verdict on one place alone says nothing of places. */
export interface Share {
  readonly those: number;
  readonly of: number;
  readonly noun: "scenario" | "setting" | "cell";
}

/** The places that the sentence is not about, by what is known of them. */
export interface Others {
  readonly likely: number;
  readonly equivalent: number;
  readonly undecided: number;
  /** In which the opposite holds. */
  readonly opposite: number;
}

/** Why nobody is ahead; `doubted`: the valid runs alone do not say so; `lost`: too few of them are left to compare. */
export type Why =
  | Exclude<Standing, "ahead" | "behind" | "equivalent">
  | "sessions"
  | "unconfirmed"
  | "doubted"
  | "lost";

interface Held {
  /** `requests/s`, `p99`, `purchases/s`. */
  readonly figure: string;
  readonly share: Share;
  readonly others: Others;
}

/** Who is ahead of whom, by how much; rival: null where it is another one in each place; margin: null where nobody keeps up. */
interface Ahead {
  readonly winner: string;
  readonly rival: string | null;
  readonly margin: Range | null;
}

/** What one target does beside the base; the ratios are of it over the base. */
interface Beside extends Held {
  readonly other: string;
  readonly base: string;
  readonly ratios: Range;
  readonly isMoreBetter: boolean;
}

const SENTENCES = {
  /** One target is ahead for certain, in some places at least, and no other is. */
  leads: (
    { winner, rival, margin, isAtLeast, figure, share, others }: Held & Ahead & {
      isAtLeast: boolean;
    },
  ) =>
    `${winner} leads${inShare(share)}${
      margin === null
        ? ", as no other keeps up"
        : `: ${isAtLeast ? "at least " : ""}${timesRange(margin)} the ${figure} of ${
          rival ?? "the runner-up"
        }`
    }${besides(others)}.`,
  /** @param on `the scenario`, `the number of connections`. */
  depends: ({ on, leaders: [first, ...rest], share, others }: Omit<Held, "figure"> & {
    readonly on: readonly string[];
    readonly leaders: readonly { readonly name: string; readonly places: number }[];
  }) =>
    `Which one leads depends on ${listed(on, "and")}: ${first.name} leads${
      inShare({ ...share, those: first.places })
    }, ${listed(rest.map(({ name, places }) => `${name} in ${places}`), "and")}${besides(others)}.`,
  /** Scenarios without a target in common. */
  separate: ({ scenarios, decided }: { scenarios: number; decided: Share }) =>
    `The ${scenarios} scenarios share no target, so each has an answer of its own; it is certain${
      inShare(decided)
    }.`,
  /** @param beaten Whom all of them are ahead of. */
  equivalent: ({ targets, figure, marginRatio, share, beaten, others }: Held & {
    readonly targets: readonly string[];
    readonly marginRatio: number;
    readonly beaten: readonly string[];
  }) =>
    `${listedSome(targets, "and")} have equal ${figure} within ${percentText(marginRatio)}${
      inShare(share)
    }${beaten.length === 0 ? "" : `, ahead of ${listedSome(beaten, "and")}`}${besides(others)}.`,
  /** @param likely Who is ahead by what was seen, without proof. */
  undecided: ({ likely, targets, why, runs, figure, share, others }: Held & {
    readonly targets: readonly string[];
    readonly why: Why;
    readonly runs: number;
    readonly likely: Ahead | null;
  }) =>
    likely === null
      ? `Undecided between ${listedSome(targets, "and")}${inShare(share)}: ${WHY[why](runs)}${
        besides(others)
      }.`
      : `${likely.winner} probably leads${inShare(share)}${
        likely.margin === null
          ? ""
          : `: ${timesRange(likely.margin)} the ${figure} of ${likely.rival ?? "the runner-up"}`
      }, not proven${besides(others)}.`,
  unsettled: ({ targets, share }: { targets: readonly string[]; share: Share }) =>
    `Not settled${inShare(share)}: most runs of ${
      listedSome(targets, "and")
    } never reach a steady state, so no target leads for certain.`,
  /** @param keepers Those that do what is required. */
  "falls-short": ({ keepers, worst, more, share, others }: Omit<Held, "figure"> & {
    readonly keepers: readonly string[];
    readonly worst: Shortfall;
    readonly more: number;
  }) =>
    `${keepers.length === 0 ? "No target" : `Only ${listedSome(keepers, "and")}`} ${
      DOES[KEEPS_UP.includes(worst.kind) ? "in time" : "correctly"][keepers.length > 1 ? 1 : 0]
    }${inShare(share)}: ${shortfallText(worst)}${
      more === 0 ? "" : `, and ${more} more ${more === 1 ? "falls" : "fall"} short`
    }${besides(others)}.`,
  /** @param where `at 80 connections`, `in static`. @param within The rules of a search for a capacity. @param of Targets that are not compared. */
  alone: ({ target, value, figure, where, within, of }: {
    readonly target: string;
    readonly value: string;
    readonly figure: string;
    readonly where: string;
    readonly within: readonly string[];
    readonly of: number;
  }) =>
    `${of > 1 ? `Nothing is compared. Of ${of} targets, ${target}` : target} ${
      within.length > 0 ? "takes" : "serves"
    } ${of > 1 ? "the most: " : ""}${value} ${figure}${
      within.length === 0 ? "" : ` with ${listed(within, "and")}`
    }${where === "" ? "" : `${of > 1 ? "," : " at most,"} ${where}`}.`,
  /** @param meaning What doubt means for the figures. @param side Of a comparison; "" for an experiment. */
  "nothing-valid": ({ runs, meaning, side }: { runs: number; meaning: string; side: string }) =>
    `Not to be trusted: ${runs === 1 ? "the only run" : `none of ${counted(runs, "run")}`}${
      side === "" ? "" : ` of ${side}`
    } is ${runs === 1 ? "not valid" : "valid"}, as ${meaning}.`,
  incomparable: (_: Readonly<Record<never, never>>) =>
    "Nothing can be compared: no two targets responded correctly at one setting.",
  costs: ({ other, base, ratios, isMoreBetter, figure, share, others }: Beside) =>
    `${other} costs ${
      isMoreBetter
        ? `${sharesText(ratios)} of the ${throughputOr(figure)} of ${base}`
        : `${timesRange(ratios)} the ${figure} of ${base}`
    }${inShare(share)}${besides(others)}.`,
  gains: ({ other, base, ratios, figure, share, others }: Beside) =>
    `${other} gains on ${base}${inShare(share)}: ${timesRange(ratios)} its ${figure}${
      besides(others)
    }.`,
  /** A comparison that thresholds decide, by their own sentence. */
  thresholds: ({ sentence }: { sentence: string }) => sentence,
};

export type CardCode = keyof typeof SENTENCES;
export type CardEvidence = {
  readonly [Code in CardCode]: Parameters<typeof SENTENCES[Code]>[0];
};
type Sentences<Evidence> = { readonly [Code in keyof Evidence]: (of: Evidence[Code]) => string };

export function cardSentence<Code extends CardCode>(
  code: Code,
  evidence: CardEvidence[Code],
): string {
  const sentences: Sentences<CardEvidence> = SENTENCES;
  return sentences[code](evidence);
}

const DOES = {
  "in time": ["keeps up", "keep up"],
  correctly: ["responds correctly", "respond correctly"],
} as const;

/** What a target falls short by that is no wrong response. */
const KEEPS_UP: readonly Shortfall["kind"][] = ["dropped", "slow", "timeout"];

export const WHY: Readonly<Record<Why, (runs: number) => string>> = {
  "likely-ahead": (runs) => `not proven by ${counted(runs, "run")} each`,
  "likely-behind": (runs) => `not proven by ${counted(runs, "run")} each`,
  "no-difference-seen": (runs) => `no difference was seen in ${counted(runs, "run")} each`,
  "few-runs": (runs) => `${counted(runs, "run")} each do not tell them apart`,
  groups: () => "their runs fall into two groups",
  unsteady: () => "most runs never reach a steady state",
  "at-least": () => "a search ended below the limit of a target",
  "one-run": () => "one run says nothing about the next",
  unknown: () => "the figures cannot be compared",
  sessions: () => "nobody knows by how much two sessions of this machine differ",
  unconfirmed: () => "fresh runs did not confirm it",
  doubted: () => "the valid runs alone do not decide",
  lost: () => "too few runs are valid",
};

/** ` in 4 of 5 scenarios`, ` in both scenarios`; "" of a single place. */
function inShare({ those, of, noun }: Share): string {
  if (of === 1) return "";
  if (those < of) return ` in ${those} of ${counted(of, noun)}`;
  return of === 2 ? ` in both ${noun}s` : ` in all ${counted(of, noun)}`;
}

/** `; equivalent in 1 and undecided in 2`: what is known of the other places; "" without any. */
function besides({ likely, equivalent, undecided, opposite }: Others): string {
  const known = [
    { text: "the opposite", count: opposite },
    { text: "probably so", count: likely },
    { text: "equivalent", count: equivalent },
    { text: "undecided", count: undecided },
  ].filter(({ count }) => count > 0).map(({ text, count }) => `${text} in ${count}`);
  return known.length === 0 ? "" : `; ${listed(known, "and")}`;
}

/** `1.2–2.9×`. */
export function timesRange({ least, most }: Range): string {
  const [low, high] = [least, most].map(timesText);
  return low === high ? low : `${low.replace("×", "")}–${high}`;
}

/** `34–59 %` of ratios below 1: what is lost of the whole. */
export function sharesText({ least, most }: Range): string {
  const [low, high] = [1 - most, 1 - least];
  const text = shortfallShare(high);
  return shortfallShare(low) === text ? text : `${Number((100 * low).toPrecision(2))}–${text}`;
}

/** What is lost a share of: of `requests/s` nobody says so. */
export function throughputOr(figure: string): string {
  return figure === "requests/s" ? "throughput" : figure;
}

// Notes: what a reader must know beside the verdict, each a whole sentence.

interface Price {
  readonly target: string;
  readonly rival: string;
  readonly ratio: number;
}

interface Step {
  readonly name: string;
  readonly p50: string;
}

const NOTES = {
  "longer-tail": ({ target, rival, ratio }: Price) =>
    `The p99 of ${target} is ${timesText(ratio)} that of ${rival}.`,
  "more-cpu": ({ target, rival, ratio }: Price) =>
    `${target} uses ${timesText(ratio)} the CPU per request of ${rival}.`,
  short: ({ worst, places, of }: { worst: Shortfall; places: number; of: number }) =>
    `${shortfallText(worst)}${of === 1 ? "" : ` in ${places} of ${of}`}, so it is not ranked${
      of === 1 || places === of ? "" : " there"
    }.`,
  "more-short": ({ targets }: { targets: readonly string[] }) =>
    `${listedSome(targets, "and")} ${targets.length === 1 ? "falls" : "fall"} short, too.`,
  unjudged: ({ targets, isFaster }: { targets: readonly string[]; isFaster: boolean }) =>
    `${listedSome(targets, "and")} ${
      isFaster ? "ran ahead of the others but " : ""
    }never settled, so ${targets.length === 1 ? "it is" : "they are"} not judged.`,
  refused: (
    { targets, status, ratio }: { targets: readonly string[]; status: string; ratio: number },
  ) =>
    `${ratio > 0.995 ? ratio === 1 ? "All" : "Nearly all" : `${percentText(ratio)} of the`} ` +
    `responses of ${listedSome(targets, "and")} have status ${status}.`,
  "slowest-step": ({ slowest, fastest }: { slowest: Step; fastest: Step }) =>
    `The slowest step is ${slowest.name} (p50 ${slowest.p50}), the fastest ${fastest.name} (${fastest.p50}).`,
  peak: ({ of, perSec }: { of: string; perSec: string }) =>
    `The most that ${of} can do on this machine is ${perSec} requests/s.`,
  "more-compared": ({ targets, base }: { targets: number; base: string }) =>
    `${counted(targets, "more target")} ${
      targets === 1 ? "is" : "are"
    } held against ${base} below.`,
  /** Another figure of the same comparison. */
  figure: ({ figure, words: [first, ...rest] }: {
    readonly figure: string;
    readonly words: readonly { readonly word: string; readonly cells: number }[];
  }) =>
    rest.length === 0
      ? `By ${figure}: ${first.word}${
        inShare({ those: first.cells, of: first.cells, noun: "cell" })
      }.`
      : `By ${figure}: ${
        listed([first, ...rest].map(({ word, cells }) => `${word} in ${cells}`), "and")
      }.`,
};

type NoteEvidence = { readonly [Code in keyof typeof NOTES]: Parameters<typeof NOTES[Code]>[0] };

export function noteSentence<Code extends keyof NoteEvidence>(
  code: Code,
  evidence: NoteEvidence[Code],
): string {
  const notes: Sentences<NoteEvidence> = NOTES;
  return notes[code](evidence);
}

// The line of trust: how the verdict depends on runs that are not valid. It qualifies the verdict and never denies it.

/**
 * What becomes of the verdict without the runs that are not valid:
 * - all-valid, none-valid: there is none to leave out, or none left; uncompared: nothing is compared;
 * - same; partly: in most places; in none: `fewer`: too few are left to compare; `open`: they do not decide; `changed`: they say otherwise.
 */
export type Survival =
  | "all-valid"
  | "none-valid"
  | "uncompared"
  | "same"
  | "partly"
  | "open"
  | "fewer"
  | "changed";

export interface TrustEvidence {
  /** `8 of 10 runs`, `all 10 runs of BASE and 8 of 10 of NEW`. */
  readonly valid: string;
  /** Of places that lean on runs that are not valid. */
  readonly lost: Share;
  /** `2 suspect and 1 invalid`; "" where nobody counts them. */
  readonly levels: string;
}

const TRUST: Readonly<Record<Survival, (evidence: TrustEvidence) => string>> = {
  "all-valid": ({ valid }) => `${valid} valid.`,
  "none-valid": ({ valid, levels }) =>
    `${valid} valid${levels === "" ? "" : ` (${levels})`}, so there is no verdict.`,
  uncompared: ({ valid, levels }) => `${valid} valid; the figures include the others (${levels}).`,
  same: ({ valid }) => `${valid} valid; the verdict is the same without the others.`,
  partly: ({ valid, lost }) =>
    `${valid} valid; without the others ${lost.those} of ${counted(lost.of, lost.noun)} ${
      lost.those === 1 ? "is" : "are"
    } not decided, and the verdict on the rest is the same.`,
  open: ({ valid }) => `${valid} valid, which do not decide without the others.`,
  fewer: ({ valid }) => `${valid} valid, too few to compare.`,
  changed: ({ valid }) => `${valid} valid, and they contradict the others.`,
};

export function trustLine(survival: Survival, evidence: TrustEvidence): string {
  return TRUST[survival](evidence);
}
