/**
 * How long runs will take: their loads, and what starting and stopping took so far. Pure.
 */
import { expectedMsOf } from "../../scenarios/load/load.ts";
import { type Cell } from "../../scenarios/plan/plan.ts";

/**
 * Starting, checking and stopping a target, before any was seen, and each server that it has besides. A framework loads
 * its packages first: on two cores three of NestJS and their balancer take 1.8 to 3.5 s.
 */
const FIRST_GUESS_MS = { framework: 1_000, other: 500 };
const NEXT_SERVER_MS = { framework: 700, other: 150 };
/** A run that ends by count, before any was seen. */
const COUNTED_GUESS_MS = 1_000;

/** A mean as it grows. */
class Mean {
  #sum = 0;
  #count = 0;

  add(value: number): void {
    this.#sum += value;
    this.#count++;
  }

  /** Null of nothing. */
  get value(): number | null {
    return this.#count === 0 ? null : this.#sum / this.#count;
  }
}

export class Schedule {
  readonly #byCell = new Map<Cell, Mean>();
  /** What runs took beyond their load: starts differ from target to target. */
  readonly #beyondByTarget = new Map<string, Mean>();
  readonly #beyond = new Mean();

  /** Notes that a run of `cell` took `tookMs` from start to end. */
  took(cell: Cell, tookMs: number): void {
    const beyondMs = tookMs - loadMs(cell);
    meanOf(this.#byCell, cell).add(tookMs);
    meanOf(this.#beyondByTarget, cell.target).add(beyondMs);
    this.#beyond.add(beyondMs);
  }

  /** Milliseconds that a run of each of the cells will take in all. */
  expectedMs(cells: readonly Cell[]): number {
    return cells.reduce((sum, cell) => sum + this.#expectedOf(cell), 0);
  }

  /** As its own runs did; else as those of its target, or of any, beside its load. */
  #expectedOf(cell: Cell): number {
    const beyondMs = this.#beyondByTarget.get(cell.target)?.value ?? this.#beyond.value ??
      firstGuessMs(cell);
    return this.#byCell.get(cell)?.value ?? Math.max(0, loadMs(cell) + beyondMs);
  }
}

function firstGuessMs({ targetSpec, others }: Cell): number {
  const { servers, gateways } = startedBy(targetSpec);
  const specs = [targetSpec, ...Object.values(others)];
  const kind = specs.some((spec) => "framework" in spec) ? "framework" : "other";
  const next = NEXT_SERVER_MS[kind] * (servers - 1) + NEXT_SERVER_MS.other * gateways;
  return FIRST_GUESS_MS[kind] + next;
}

/** Before the load. */
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

function loadMs({ load }: Cell): number {
  return expectedMsOf(load) ?? COUNTED_GUESS_MS;
}
