/** Factors: what varies in an experiment, and every combination of its values. Pure. */
import type { Json } from "../../base/yaml/json_text.ts";
import type { Phase } from "../pace/arrivals.ts";
import { durationText, rateText } from "../../base/quantity.ts";

/** Values of each factor, by name; undefined for one that the file leaves out. */
export type Factors = Readonly<Record<string, readonly Json[] | undefined>>;

/** Values of factors that vary, as people write them, by their paths. */
export type FactorValues = Readonly<Record<string, Json>>;

/** One value of each factor. */
export type Combination<F extends Factors> = { [Name in keyof F]: NonNullable<F[Name]>[number] };

/** How many combinations there are; nothing is built for it. */
export function countOf(factors: Factors): number {
  return Object.values(factors)
    .reduce((count, values) => values === undefined ? count : count * new Set(values).size, 1);
}

/** Every combination of one value of each factor; the last factor changes fastest. */
export function combinations<F extends Factors>(factors: F): Combination<F>[] {
  return Object.entries(factors).reduce<Record<string, Json>[]>(
    (all, [name, values]) => {
      if (values === undefined) return all;
      const each = [...new Set(values)];
      return all.flatMap((before) => each.map((value) => ({ ...before, [name]: value })));
    },
    [{}],
  ) as Combination<F>[];
}

/** Whether a factor has several values. */
export function varies(name: string, factors: Factors): boolean {
  return new Set(factors[name]).size > 1;
}

/** A phase as written: milliseconds, and arrivals per second at its start and, unless constant, at its end. */
export interface PhaseFactors {
  readonly duration: readonly number[];
  readonly arrivals: readonly number[];
  readonly rampTo?: readonly number[];
}

/** All phases of one load, with what is different in others, by `phases.INDEX.NAME`. */
export interface PhasesVariant {
  readonly phases: readonly Phase[];
  readonly parameters: FactorValues;
}

/** How long they last together, milliseconds. */
export function phasesMs(phases: readonly Phase[]): number {
  return phases.reduce((sum, { durationUs }) => sum + durationUs / 1_000, 0);
}

/** How many variants there are; nothing is built for it. */
export function countOfPhaseVariants(phases: readonly PhaseFactors[]): number {
  return phases.reduce((count, factors) => count * countOf({ ...factors }), 1);
}

export function phaseVariants(phases: readonly PhaseFactors[]): PhasesVariant[] {
  return phases.reduce<PhasesVariant[]>(
    (variants, phase, index) =>
      variants.flatMap((before) => everyPhase(phase, index).map(after(before))),
    [{ phases: [], parameters: {} }],
  );
}

function after(before: PhasesVariant): (next: PhasesVariant) => PhasesVariant {
  return ({ phases, parameters }) => ({
    phases: [...before.phases, ...phases],
    parameters: { ...before.parameters, ...parameters },
  });
}

function everyPhase({ duration, arrivals, rampTo }: PhaseFactors, index: number): PhasesVariant[] {
  const factors = { duration, arrivals, rampTo };
  return combinations(factors).map((values) => {
    const { duration, arrivals, rampTo = arrivals } = values;
    const shown = {
      duration: durationText(duration),
      arrivals: rateText(arrivals),
      rampTo: rateText(rampTo),
    };
    return {
      phases: [{ durationUs: duration * 1_000, fromPerSec: arrivals, toPerSec: rampTo }],
      parameters: Object.fromEntries(
        Object.entries(shown).filter(([name]) => varies(name, factors))
          .map(([name, value]) => [`phases.${index}.${name}`, value]),
      ),
    };
  });
}
