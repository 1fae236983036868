/** Results of two sides that took turns slice by slice beside a neighbour, drawn by a seed. */
import type { Results, Run } from "../../runner/result/result.ts";
import type { TrustFinding } from "../../runner/result/findings.ts";
import type { Slices } from "../../runner/result/slices.ts";
import {
  compareResults,
  type ResultsComparison,
} from "../../report/subjects/comparison/comparison.ts";
import { type CellSpec, resultsFixture } from "./fixture.ts";
import { type Random, randomFrom } from "./intervals.ts";
import { setRate } from "./rates.ts";

export interface SlicedSpec {
  readonly seed?: number;
  /** Pairs of processes. */
  readonly processes: number;
  /** Pairs of slices of each. */
  readonly pairs: number;
  /** Speed of the new side over that of the base. */
  readonly ratio: number;
  /** Standard deviation of the speed between processes. */
  readonly between?: number;
  /** Of single slices; default 2 %. */
  readonly slice?: number;
  /** Cores that the base uses at rest. */
  readonly restless?: number;
  /** Whether nobody starts the processes: they were there already. */
  readonly areRunning?: boolean;
}

const SLICE_S = 0.1;
const CUT_S = 0.01;
const PAUSE_S = 0.005;
const PER_SECOND = 5_000;

/** The sides as `ab` or `versus` would compare them. */
export function slicedComparison(spec: SlicedSpec): ResultsComparison {
  const [base, next] = slicedSides(spec);
  return compareResults(base, next, {
    ...spec.areRunning
      ? { names: ["base", "new"] }
      : { names: ["base", "head"], revisions: { base: "main (a1b2c3d)", next: "9f8e7d6" } },
  });
}

const NEIGHBOUR: TrustFinding = {
  code: "neighbour",
  severity: "invalid",
  evidence: { others: 1, busiest: [], waiting: 0.4, waiter: "target" },
  advice: ["stop-other-programs"],
};

/** No run is valid, as other programs took the cores. */
export function besideNeighbour(results: Results): Results {
  for (const { generator } of results.runs) {
    generator.trust = "invalid";
    generator.findings = [NEIGHBOUR];
  }
  return results;
}

/** The sides as the targets `a` and `b` of an experiment with `order: slices`. */
export function slicedTargets(spec: SlicedSpec): Results {
  const [base, next] = slicedSides(spec);
  const runs = [base, next].flatMap(({ runs }, at) =>
    runs.map((run) => ({ ...run, target: ["a", "b"][at] }))
  );
  const experiment = { ...base.experiment, targets: { a: { app: "api" }, b: { app: "api" } } };
  return { ...base, experiment, runs, planned: runs.length };
}

export function slicedSides(spec: SlicedSpec): readonly [base: Results, next: Results] {
  const random = randomFrom(spec.seed ?? 54);
  const cell: CellSpec = {
    ...{ target: "app", scenario: "static", medianMs: 4, duration: 2 },
    ...{ runs: spec.processes, watched: !spec.areRunning },
  };
  const sides = [1, 2].map((seed) =>
    resultsFixture({ seed, cells: [cell], experiment: { order: "slices" } })
  );
  for (let at = 0; at < spec.processes; at++) {
    const drawn = drawnSlices(spec, random);
    sides.forEach(({ runs }, side) => takeSlices(runs[at], drawn[side]));
  }
  return [sides[0], sides[1]];
}

function takeSlices(run: Run, items: Slices["items"]): void {
  const sumOf = (values: readonly number[]): number => values.reduce((sum, one) => sum + one, 0);
  setRate(run, sumOf(items.completed) / sumOf(items.measuredS));
  run.slices = {
    ...{
      sliceMs: 1_000 * (SLICE_S + CUT_S),
      cutMs: 1_000 * CUT_S,
      shiftMs: 0,
      pauseMs: 1_000 * PAUSE_S,
      partner: "app",
    },
    histogram: run.histogram,
    items,
  };
}

/** Of one pair of processes: a neighbour takes a core in bursts, which slows both. */
function drawnSlices(
  {
    pairs,
    ratio,
    areRunning = false,
    between = areRunning ? 0 : 0.005,
    slice = 0.02,
    restless = 0,
  }: SlicedSpec,
  random: Random,
): Slices["items"][] {
  const normal = (): number =>
    Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const levels = [1, ratio].map((speed) => speed * Math.exp(between * normal()));
  const sides = levels.map(() => emptyItems());
  let [atS, busyUntilS, nextBusyS, isTurned] = [0, 0, 0.5 * random(), false];
  for (let pair = 0; pair < pairs; pair++) {
    isTurned = pair % 2 === 0 ? random() < 0.5 : !isTurned;
    (isTurned ? [1, 0] : [0, 1]).forEach((side, place) => {
      if (atS >= nextBusyS) {
        busyUntilS = atS + 0.2 + 0.8 * random();
        nextBusyS = busyUntilS + 0.3 + 1.2 * random();
      }
      const isBusy = atS < busyUntilS;
      const speed = levels[side] * Math.exp(slice * normal()) * (isBusy ? 0.6 : 1) *
        (side === 1 ? 1 - restless / 2 : 1);
      const completed = Math.round(PER_SECOND * SLICE_S * speed);
      const items = sides[side];
      items.pair.push(pair);
      items.place.push(place);
      items.startS.push(Number(atS.toFixed(4)));
      items.measuredS.push(SLICE_S);
      items.completed.push(completed);
      items.failed.push(0);
      items.serviceSumMs.push(completed * 4 / speed);
      items.served.push(Math.round(completed * (1 + CUT_S / SLICE_S)));
      const restMs = side === 0 ? 1_000 * restless * (SLICE_S + CUT_S + PAUSE_S) : 0.1;
      items.cpuMs.push(restMs + completed * 0.18 / levels[side] * Math.exp(slice / 2 * normal()));
      items.restCpuMs.push(restMs);
      items.othersCpuMs?.push((isBusy ? 95 : 4) * (1 + 0.05 * normal()));
      atS += SLICE_S + CUT_S + PAUSE_S;
    });
  }
  return sides;
}

function emptyItems(): Slices["items"] {
  return {
    ...{ pair: [], place: [], startS: [], measuredS: [], completed: [], failed: [] },
    ...{ serviceSumMs: [], served: [], cpuMs: [], restCpuMs: [], othersCpuMs: [] },
  };
}
