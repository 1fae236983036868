/**
 * The time that runs will take, expected from the duration of their loads and from how long starting and stopping has
 * taken so far. Every start of `plateau check` loads this module, so it imports nothing that takes long to load. Pure.
 */
import { expectedMsOf } from "../../scenarios/load/load.ts";
import type { Experiment } from "../../scenarios/file/experiment_shape.ts";
import type { Cell } from "../../scenarios/plan/plan.ts";
import { TRIAL_MS } from "../slices/lengths.ts";

/**
 * Assumed milliseconds to start, check and stop a target before any start was seen, and, in `NEXT_SERVER_MS`, to start
 * each further server of that target. A framework loads its packages first: three NestJS servers and their balancer
 * take 1.8 to 3.5 s on two cores.
 */
const FIRST_GUESS_MS = { framework: 1_000, other: 500 };
const NEXT_SERVER_MS = { framework: 700, other: 150 };
/** Assumed length, in milliseconds, of a load that ends after a given number of requests. */
const COUNTED_GUESS_MS = 1_000;

/**
 * Assumed pause after a slice, as a share of the slice. Actual shares range from 0.08 with fast responses to 0.5 with
 * slow ones.
 */
const PAUSE_SHARE = 0.25;

class Mean {
  #sum = 0;
  #count = 0;

  add(value: number): void {
    this.#sum += value;
    this.#count++;
  }

  /** The mean; null if there is no value yet. */
  get value(): number | null {
    return this.#count === 0 ? null : this.#sum / this.#count;
  }
}

export class ExpectedTime {
  readonly #isInSlices: boolean;
  readonly #byCell = new Map<Cell, Mean>();
  /** Milliseconds that runs took beyond their load, by target, because some targets start more slowly than others. */
  readonly #beyondByTarget = new Map<string, Mean>();
  readonly #beyond = new Mean();

  constructor(order: Experiment["order"]) {
    this.#isInSlices = order === "slices";
  }

  /**
   * Records that a run of `cell` took `tookMs` from start to end, not counting the trial that finds the slice lengths.
   */
  took(cell: Cell, tookMs: number): void {
    const beyondMs = tookMs - this.#loadMs(cell);
    meanOf(this.#byCell, cell).add(tookMs);
    meanOf(this.#beyondByTarget, cell.target).add(beyondMs);
    this.#beyond.add(beyondMs);
  }

  /**
   * Expected milliseconds in total for one run for each entry of `cells`, including the trials that find slice lengths
   * not known yet.
   */
  expectedMs(cells: readonly Cell[]): number {
    const unseen = this.#isInSlices
      ? [...new Set(cells)].filter((cell) => !this.#byCell.has(cell))
      : [];
    return cells.reduce((sum, cell) => sum + this.#expectedOf(cell), this.trialMs(unseen));
  }

  /**
   * Expected milliseconds to find the slice lengths for these cells. Each pair of cells needs one trial, with processes
   * of its own.
   */
  trialMs(cells: readonly Cell[]): number {
    return cells.reduce((sum, cell) => sum + TRIAL_MS / 2 + this.#beyondOf(cell), 0);
  }

  /**
   * Expected milliseconds of a run of the cell from start to end: the mean of its own runs, or else its load plus the
   * mean that runs of its target, or of any target, took beyond their load. Before the first run, that mean is replaced
   * by a guess.
   */
  #expectedOf(cell: Cell): number {
    return this.#byCell.get(cell)?.value ??
      Math.max(0, this.#loadMs(cell) + this.#beyondOf(cell));
  }

  #beyondOf(cell: Cell): number {
    return this.#beyondByTarget.get(cell.target)?.value ?? this.#beyond.value ?? firstGuessMs(cell);
  }

  /** Milliseconds of a cell's load, including the pauses between slices if it is loaded in slices. */
  #loadMs({ load }: Cell): number {
    const loadMs = expectedMsOf(load) ?? COUNTED_GUESS_MS;
    return this.#isInSlices ? loadMs * (1 + PAUSE_SHARE) : loadMs;
  }
}

function firstGuessMs({ targetSpec, others }: Pick<Cell, "targetSpec" | "others">): number {
  const { servers, gateways } = startedBy(targetSpec);
  const specs = [targetSpec, ...Object.values(others)];
  const kind = specs.some((spec) => "framework" in spec) ? "framework" : "other";
  const next = NEXT_SERVER_MS[kind] * (servers - 1) + NEXT_SERVER_MS.other * gateways;
  return FIRST_GUESS_MS[kind] + next;
}

/** Number of processes that are started before the load. */
function startedBy(target: Cell["targetSpec"]): { servers: number; gateways: number } {
  if ("cluster" in target) {
    const { instances, add } = target.cluster;
    return { servers: instances + (add?.ahead ? add.instances : 0), gateways: 1 };
  }
  const isBefore = "proxy" in target || ("nginx" in target && target.nginx.proxy !== undefined);
  return { servers: 1, gateways: isBefore ? 1 : 0 };
}

function meanOf<Key>(means: Map<Key, Mean>, key: Key): Mean {
  const mean = means.get(key) ?? new Mean();
  means.set(key, mean);
  return mean;
}
