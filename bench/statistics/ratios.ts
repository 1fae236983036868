/** Tests how often intervals of ratios, and of ratios of ratios, contain the truth. */
import type { Row, Section } from "../bench.ts";
import { RATIO, RATIO_OF_RATIOS, ratioCoverage } from "./coverage.ts";
import { FIGURES, type Machine } from "./experiment.ts";
import { between, row } from "./percent.ts";
import { Random } from "./random.ts";

const NOISES: readonly [name: string, machine: Machine][] = [
  ["2 % between runs", { run: 0.02 }],
  ["5 % between repetitions", { block: 0.05, run: 0.02 }],
  ["waves of 5 %, AR(0.8)", { waves: 0.05, run: 0.02 }],
];

/** The number of ratios per row. With this many, the standard error of a coverage of 95 % is 0.7 %. */
export const RATIOS = 1_000;
/**
 * The number of ratios per row under stalls. With this many, the standard error of the coverage is 0.3 %. The intervals
 * cover nearly 97 %, the upper limit of the bar, and chance must not carry them over it.
 */
const STALLED_RATIOS = 4_000;

interface Ratio {
  readonly name: string;
  readonly powers: readonly number[];
  readonly machine: Machine;
  readonly cases: number;
}

function ratioRows({ name, powers, machine, cases }: Ratio, repetitions: number): Row[] {
  const plan = { powers, machine, repetitions };
  return ratioCoverage(new Random(repetitions), cases, plan).map(({ share, refused }, f) => {
    const figure = nameOf(FIGURES[f]);
    const without = refused < 0.005 ? "" : ` (${(100 * refused).toFixed(0)} % refused)`;
    const isAtEdge = machine.stall !== undefined && figure === "p99";
    return row(
      `${name}, ${figure}, ${repetitions} repetitions${without}`,
      share,
      isAtEdge ? undefined : between(93, 97),
    );
  });
}

export function ratios(): Section {
  const rows = [5, 10, 20].flatMap((repetitions) =>
    NOISES.flatMap(([name, machine]) =>
      ratioRows({ name, powers: RATIO, machine, cases: RATIOS }, repetitions)
    )
  );
  const wild = ratioRows(
    {
      name: "waves of 20 %, AR(0.8), 10 % between runs",
      powers: RATIO,
      machine: { waves: 0.2, run: 0.1 },
      cases: RATIOS,
    },
    4,
  );
  const machine = { stall: 0.05, run: 0.02 };
  const stalled = [5, 10].flatMap((repetitions) =>
    ratioRows(
      {
        name: "ratio of ratios, runs stall",
        powers: RATIO_OF_RATIOS,
        machine,
        cases: STALLED_RATIOS,
      },
      repetitions,
    )
  );
  return {
    caption:
      "95 % intervals of ratios that hold the truth, 1,000 a line, and 4,000 where runs stall",
    unit: "%",
    rows: [...rows, ...wild, ...stalled],
    notes: [
      "Of those that are not refused, as the ratios fall into two groups. Stalls hold up 0.5 % of the requests, so " +
      "the p99 jumps between quick and held up ones: its intervals are too wide.",
    ],
  };
}

function nameOf(figure: typeof FIGURES[number]): string {
  return typeof figure === "number" ? `p${figure}` : figure;
}
