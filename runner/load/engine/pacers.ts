/** The pacers of open loops and of loads that take turns with another load, and the choice of the pacer for a job. */
import { Arrivals, Profile, RecordedSchedule } from "../../../scenarios/pace/arrivals.ts";
import { Turns, type TurnsSpec } from "../../../scenarios/pace/slices.ts";
import type { PacerSpec } from "./job.ts";
import { ClosedPacer, type Pacer } from "./pacer.ts";

/** Open loop: an exchange is due when it arrives, whether or not a connection is free. */
export class OpenPacer implements Pacer {
  readonly intended = true;
  nextUs: number;
  /** After `stop`, the due time of the first exchange that was not taken; Infinity before. */
  #keptUs = Infinity;
  /** Due times after `nextUs` that `coming` has already drawn. */
  readonly #foreseen: number[] = [];

  constructor(private readonly arrivals: Pick<Arrivals, "next">) {
    this.nextUs = arrivals.next();
  }

  take(nowUs: number): number {
    const dueUs = this.nextUs;
    if (dueUs > nowUs) return -1;
    this.nextUs = this.#following();
    return dueUs;
  }

  #following(): number {
    return this.#foreseen.shift() ?? this.arrivals.next();
  }

  /** The due time of the exchange that comes `later` exchanges after the next one; Infinity if there is none. */
  coming(later: number): number {
    if (later === 0 || this.nextUs === Infinity) return this.nextUs;
    while (this.#foreseen.length < later) this.#foreseen.push(this.arrivals.next());
    return this.#foreseen[later - 1];
  }

  get left(): number {
    return this.nextUs === Infinity ? 0 : Infinity;
  }

  stop(): void {
    this.#keptUs = Math.min(this.#keptUs, this.nextUs);
    this.nextUs = Infinity;
  }

  drop(endUs: number, visit: (dueUs: number) => void): void {
    this.stop();
    for (; this.#keptUs < endUs; this.#keptUs = this.#following()) visit(this.#keptUs);
  }
}

/**
 * A closed loop in slices of time: an exchange is due whenever a connection is free during one of the load's own
 * slices.
 */
export class TurnsPacer implements Pacer {
  readonly intended = false;
  left = Infinity;
  #pair = 0;
  /** When the current slice began; between slices, when the next one begins. */
  nextUs: number;
  #endUs: number;

  constructor(private readonly turns: Turns) {
    this.nextUs = turns.startUs(0);
    this.#endUs = this.nextUs + turns.spec.sliceUs;
  }

  take(nowUs: number): number {
    while (nowUs >= this.#endUs) this.#goOn();
    return nowUs >= this.nextUs ? nowUs : -1;
  }

  #goOn(): void {
    this.nextUs = this.turns.startUs(++this.#pair);
    this.#endUs = this.nextUs + this.turns.spec.sliceUs;
  }

  stop(): void {
    this.left = 0;
    this.nextUs = this.#endUs = Infinity;
  }

  drop(): void {
    this.stop();
  }
}

/** @param ofSide The load's turns, if it alternates with another load in slices of time; absent: it may always send. */
export function pacerOf(spec: PacerSpec, ofSide?: TurnsSpec): Pacer {
  const turns = ofSide && new Turns(ofSide);
  if (spec.kind === "closed") return turns ? new TurnsPacer(turns) : new ClosedPacer(spec.requests);
  if (spec.kind === "recorded") return new OpenPacer(new RecordedSchedule(spec));
  const arrivals = new Arrivals(new Profile(spec.phases), spec.arrivals);
  return new OpenPacer(turns ? { next: () => turns.whenLoadedUs(arrivals.next()) } : arrivals);
}
