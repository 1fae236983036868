/** The pacer of a job, and those of loads that two targets get in turns. */
import { Arrivals, Profile, RecordedSchedule } from "../../../scenarios/pace/arrivals.ts";
import { Turns, type TurnsSpec } from "../../../scenarios/pace/slices.ts";
import type { PacerSpec } from "./job.ts";
import { ClosedPacer, OpenPacer, type Pacer } from "./pacer.ts";

/** A closed loop in slices: an exchange is due whenever somebody is free and it is this side's turn. */
export class TurnsPacer implements Pacer {
  readonly intended = false;
  left = Infinity;
  #pair = 0;
  /** Of the slice at hand, or else of the next. */
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

/** @param ofSide Absent: the load is not in slices. */
export function pacerOf(spec: PacerSpec, ofSide?: TurnsSpec): Pacer {
  const turns = ofSide && new Turns(ofSide);
  if (spec.kind === "closed") return turns ? new TurnsPacer(turns) : new ClosedPacer(spec.requests);
  if (spec.kind === "recorded") return new OpenPacer(new RecordedSchedule(spec));
  const arrivals = new Arrivals(new Profile(spec.phases), spec.arrivals);
  return new OpenPacer(turns ? { next: () => turns.whenLoadedUs(arrivals.next()) } : arrivals);
}
