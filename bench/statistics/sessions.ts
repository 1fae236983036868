/** Tests gates and comparisons between measuring sessions, with a known change of the program. */
import { allowedBy, sideOf } from "../../report/judge/rules.ts";
import type { Outcome } from "../../report/judge/reasons.ts";
import {
  contrastOfSessions,
  type SessionFigure,
  type SessionSide,
} from "../../runner/stats/comparison/sessions.ts";
import { comparisonVerdict, type Verdict } from "../../runner/stats/comparison/verdict.ts";
import { UNCOUNTED } from "../../runner/stats/comparison/significance_tests.ts";
import { pBeyond, studentInterval } from "../../runner/stats/confidence/confidence_interval.ts";
import type { NoiseOf, Row, Section } from "../bench.ts";
import { atMost, row } from "./percent.ts";
import { Random } from "./random.ts";

/** The standard error of a session's figure, according to the session's own five runs, which differ by 2 %. */
const WITHIN = 0.02 / Math.sqrt(5);
/** The smallest ratio that `not worse than baseline by 5%` allows. */
const ALLOWED_RATIO = 1 / 1.05;
const MARGIN_RATIO = 0.02;

/** Returns the logarithm of the machine's speed in each of several successive sessions. */
type Nights = (seed: number, sessions: number) => number[];

function nights(stdev: number, value: (random: Random) => number): Nights {
  return (seed, sessions) => {
    const random = new Random(seed);
    return Array.from({ length: sessions }, () => stdev * random.normal() + value(random));
  };
}

/** Further noise: one session in five is 10 % faster. */
const odd = (random: Random): number => random.uniform() < 0.2 ? Math.log(1.1) : 0;

const waves = (stdev: number, correlation: number): Nights => (seed, sessions) =>
  new Random(seed).waves(sessions, { stdev, correlation });

const KINDS: readonly (readonly [name: string, nights: Nights])[] = [
  ["sessions differ by 2 %", nights(0.02, () => 0)],
  ["by 3 %", nights(0.03, () => 0)],
  ["by 1 %, one in five ×1.1", nights(0.01, odd)],
  ["by 2 %, one in five ×1.1", nights(0.02, odd)],
  ["by 3 %, one in five ×1.1", nights(0.03, odd)],
  ["by 3 %, AR(0.5)", waves(0.03, 0.5)],
  ["by 3 %, AR(0.9)", waves(0.03, 0.9)],
];

function handedIn(noise: NoiseOf): typeof KINDS {
  return [[
    "by 3 %, the noise handed in",
    (seed, sessions) => {
      const next = noise(seed);
      return Array.from({ length: sessions }, () => 0.03 * next());
    },
  ]];
}

const times = (side: SessionSide, sessions: number): SessionSide[] =>
  Array.from({ length: sessions }, () => side);

/** The side to which each session belongs, in the order of time. */
const DESIGNS: readonly (readonly [name: string, sides: readonly SessionSide[]])[] = [
  ["1 a side, none else", ["base", "next"]],
  ["1 a side, 5 earlier", [...times("earlier", 5), "base", "next"]],
  ["1 a side, 12 earlier", [...times("earlier", 12), "base", "next"]],
  ["1 a side, 20 earlier", [...times("earlier", 20), "base", "next"]],
  ["12 of the base, then 1", [...times("base", 12), "next"]],
  ["3, then 3", [...times("base", 3), ...times("next", 3)]],
  ["5, then 5", [...times("base", 5), ...times("next", 5)]],
  ["5 a side in turns", Array.from({ length: 10 }, (_, i) => i % 2 === 0 ? "base" : "next")],
];

interface Judged {
  readonly gate: Outcome;
  readonly verdict: Verdict;
}

/** Judges the same sessions both by a threshold against a baseline and by a comparison. */
function judged(
  sides: readonly SessionSide[],
  { nights, ratio, seed }: {
    readonly nights: Nights;
    readonly ratio: number;
    readonly seed: number;
  },
): Judged {
  const own = new Random(seed + 1_000_000);
  const levels = nights(seed, sides.length);
  const contrast = contrastOfSessions(sides.map((side, i): SessionFigure => ({
    side,
    startedMs: null,
    value: (side === "next" ? ratio : 1) * Math.exp(levels[i] + WITHIN * own.normal()),
    logStandardError: WITHIN,
  })));
  if (contrast === null || contrast.groups !== null) {
    return { gate: "inconclusive", verdict: "inconclusive" };
  }
  const interval = studentInterval(contrast.value, contrast, 0.95);
  const { verdict } = comparisonVerdict({
    ratio: interval,
    adjustedP: pBeyond(interval, MARGIN_RATIO),
    exact: UNCOUNTED,
    marginRatio: MARGIN_RATIO,
    better: "higher",
  });
  return { gate: sideOf(interval, allowedBy(">=", ALLOWED_RATIO)), verdict };
}

const LESS_5 = 0.95;
const LESS_10 = 0.9;

/** @param cases The number of cases per row. */
export function sessionGates(cases: number, noise?: NoiseOf): Section[] {
  const kinds = noise === undefined ? KINDS : handedIn(noise);
  const share = (
    sides: readonly SessionSide[],
    nights: Nights,
    ratio: number,
    is: (judged: Judged) => boolean,
  ): number =>
    Array.from({ length: cases }, (_, i) => judged(sides, { nights, ratio, seed: 7_919 * i + 1 }))
      .filter(is).length / cases;
  const lines = (
    of: (sides: readonly SessionSide[], nights: Nights) => number,
    most?: number,
  ): Row[] =>
    DESIGNS.flatMap(([design, sides]) =>
      kinds.map(([kind, nights]) =>
        row(
          `${design}; ${kind}`,
          of(sides, nights),
          most === undefined ? undefined : atMost(most),
        )
      )
    );
  const tables: readonly (readonly [caption: string, rows: Row[]])[] = [
    [
      "5 % less passes `not worse than baseline by 5%`",
      lines((sides, nights) => share(sides, nights, LESS_5, ({ gate }) => gate === "held"), 5),
    ],
    [
      "Just at that limit, it fails",
      lines(
        (sides, nights) => share(sides, nights, ALLOWED_RATIO, ({ gate }) => gate === "broken"),
        5,
      ),
    ],
    [
      "A against A called better or worse by `compare`",
      lines(
        (sides, nights) =>
          share(sides, nights, 1, ({ verdict }) => verdict === "better" || verdict === "worse"),
        5,
      ),
    ],
    [
      "10 % less called worse by `compare`",
      lines((sides, nights) => share(sides, nights, LESS_10, ({ verdict }) => verdict === "worse")),
    ],
    [
      "No change passes `not worse than baseline by 5%`",
      lines((sides, nights) => share(sides, nights, 1, ({ gate }) => gate === "held")),
    ],
  ];
  return tables.map(([caption, rows]) => ({
    caption: `${caption}, ${cases} cases a line`,
    unit: "%",
    rows,
    notes: ["Runs of a session: 5 that differ by 2 %."],
  }));
}
